/** Accounts of issuers (docs/security.md S47): who gets in by one, and which answers of an issuer are refused. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { boundedFetch } from "../../../src/identity/bounded-fetch.ts";
import type { Served } from "../../../src/identity/box.ts";
import { addIdentity } from "../../../src/identity/identities-store.ts";
import { IDENTITIES_MAX, ISSUER_ANSWER_BYTES_MAX } from "../../../src/identity/limits.ts";
import { freshEmail } from "../blocks/newsletter-kit.ts";
import { breakD1, stopClock } from "../kit/faults.ts";
import { errorOf, ORIGIN } from "../kit/kit.ts";
import { Browser, identityHere, restoredAfter, useOwnAccounts } from "./identity-kit.ts";
import { encoded, newKeys, TestIssuer } from "./test-issuer.ts";

useOwnAccounts();

const NONE = {
  ...{ OIDC_ISSUER: "", OIDC_NAME: "", OIDC_CLIENT_ID: "", OIDC_CLIENT_SECRET: "" },
  ...{ GITHUB_CLIENT_ID: "", GITHUB_CLIENT_SECRET: "" },
};

let issuer: TestIssuer;
let owner: Browser;

beforeEach(async () => {
  identityHere();
  issuer = await TestIssuer.open();
  const { id, secret } = issuer.client;
  Object.assign(env, {
    ...{ OIDC_ISSUER: issuer.address, OIDC_NAME: "Work" },
    ...{ OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret },
    ...{ GITHUB_CLIENT_ID: id, GITHUB_CLIENT_SECRET: secret },
  });
  owner = await Browser.open();
  expect((await owner.setUp()).status).toBe(201);
});

const codeOf = async (response: Response) => [response.status, (await errorOf(response)).code];

/** What a browser keeps while it is at the issuer. */
interface Visit {
  browser: Browser;
  location: string;
  cookie: string;
}

const START = "/api/auth/issuer/oidc";
const OWN = "/api/me/account/identities";

async function begin(browser: Browser, path = START, body: object = {}): Promise<Visit> {
  const started = await browser.ask("POST", path, { locale: "en", ...body });
  expect(started.status).toBe(200);
  const { location } = await started.json<{ location: string }>();
  const [cookie = ""] = started.headers.getSetCookie();
  expect(cookie).toMatch(
    /^__Host-sila_oidc=[\w-]+\.[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  return { browser, location, cookie: cookie.split(";")[0] ?? "" };
}

/** The issuer sends the browser back. Where that leads, and what is said of it. */
async function comeBack({ browser, location, cookie }: Visit, url = issuer.agree(location)) {
  const Cookie = [browser.cookie, cookie].filter(Boolean).join("; ");
  const headers = { Cookie, "Sec-Fetch-Site": "cross-site" };
  const answer = await browser.ask("GET", url.pathname + url.search, undefined, { headers });
  expect(answer.status).toBe(302);
  const { pathname, searchParams, origin } = new URL(answer.headers.get("Location") ?? "", ORIGIN);
  expect(origin).toBe(ORIGIN);
  return { pathname, problem: searchParams.get("problem") };
}

const idOf = async (browser: Browser) => (await browser.session()).user?.id ?? null;

/** Connects the issuer's account to the owner's. */
async function connected(): Promise<string> {
  const visit = await begin(owner, OWN, { issuer: "oidc" });
  expect(await comeBack(visit)).toEqual({ pathname: "/account", problem: null });
  const { identities } = await (await owner.ask("GET", "/api/me/account")).json<{
    identities: { id: string; name: string }[];
  }>();
  expect(identities).toMatchObject([{ name: "ليلى" }]);
  return identities[0]?.id ?? "";
}

describe("an account of an issuer", () => {
  test("that a user has connected signs them in, and leads to where they wanted", async () => {
    await connected();
    const other = await Browser.open();
    const visit = await begin(other, START, { return_to: "/dashboard/x" });
    expect(await comeBack(visit)).toEqual({ pathname: "/dashboard/x", problem: null });
    expect(await idOf(other)).toBe(await idOf(owner));
  });

  test("makes an account where everybody may, of the name and the verified address that the issuer tells", async () => {
    Object.assign(env, { SIGN_UP: "open" });
    const email = freshEmail();
    issuer.claims = { ...issuer.claims, email, email_verified: true };
    const browser = await Browser.open();
    expect(await comeBack(await begin(browser))).toMatchObject({ problem: null });
    expect((await browser.session()).user).toMatchObject({ name: "ليلى", email, plan: "free" });
    issuer.claims = { sub: "s-2", email: freshEmail(), email_verified: "true" };
    const unverified = await Browser.open();
    await comeBack(await begin(unverified));
    expect((await unverified.session()).user).toMatchObject({ name: "Work", email: "" });
  });

  test("may be described beside its token, but as another one's it is refused", async () => {
    Object.assign(env, { SIGN_UP: "open" });
    vi.spyOn(console, "error").mockImplementation(() => {});
    const email = freshEmail();
    issuer.userinfo = { sub: "s-1", name: "ليان", email, email_verified: true };
    const browser = await Browser.open();
    expect(await comeBack(await begin(browser))).toMatchObject({ problem: null });
    expect((await browser.session()).user).toMatchObject({ name: "ليان", email });
    issuer.userinfo = { ...issuer.userinfo, sub: "s-2" };
    const other = await Browser.open();
    expect(await comeBack(await begin(other))).toMatchObject({ problem: "failed" });
  });

  test("makes an account of an invitation, once, and else none", async () => {
    const made = await owner.ask("POST", "/api/admin/invitations", { plan: "pro" });
    const { link } = await made.json<{ link: string }>();
    const invitation = link.slice(link.indexOf("#") + 1);
    const [guest, late] = [await Browser.open(), await Browser.open()];
    expect(await comeBack(await begin(late))).toEqual({
      ...{ pathname: "/account/sign-in", problem: "no_account" },
    });
    expect(await comeBack(await begin(guest, START, { invitation }))).toMatchObject({
      problem: null,
    });
    expect((await guest.session()).user).toMatchObject({ plan: "pro" });
    issuer.claims = { sub: "s-2" };
    const again = await comeBack(await begin(late, START, { invitation }));
    expect([again.problem, await idOf(late)]).toEqual(["no_account", null]);
  });

  test.each([
    [true, "known_email", null],
    [false, null, ""],
  ])(
    "never signs in to another account by its address (verified: %s)",
    async (email_verified, problem, email) => {
      Object.assign(env, { SIGN_UP: "open" });
      const known = freshEmail();
      await env.DB.prepare("UPDATE auth_users SET email = ?1").bind(known).run();
      issuer.claims = { ...issuer.claims, email: known.toUpperCase(), email_verified };
      const browser = await Browser.open();
      expect(await comeBack(await begin(browser))).toMatchObject({ problem });
      expect((await browser.session()).user?.email ?? null).toBe(email);
      expect(await idOf(browser)).not.toBe(await idOf(owner));
    },
  );

  test("belongs to one user, and is connected by the one who is signed in", async () => {
    const id = await connected();
    expect(id).toMatch(/^[\w-]{22}$/);
    Object.assign(env, { SIGN_UP: "open" });
    const other = await Browser.open();
    expect((await other.signUp()).status).toBe(201);
    const visit = await begin(other, OWN, { issuer: "oidc" });
    expect(await comeBack(visit)).toEqual({ pathname: "/account", problem: "taken" });
    // Somebody else is signed in by now, or nobody.
    issuer.claims = { sub: "s-2" };
    for (const browser of [owner, await Browser.open()]) {
      const begun = await begin(other, OWN, { issuer: "oidc" });
      expect(await comeBack({ ...begun, browser })).toMatchObject({ problem: "expired" });
    }
    expect(await codeOf(await other.ask("DELETE", `${OWN}/${id}`))).toEqual([404, "NOT_FOUND"]);
  });

  test("that was removed signs nobody in, also after D1 went back; the last way in stays", async () => {
    const id = await connected();
    await restoredAfter(async () => {
      expect((await owner.ask("DELETE", `${OWN}/${id}`)).status).toBe(200);
    });
    const thief = await Browser.open();
    expect(await comeBack(await begin(thief))).toMatchObject({ problem: "refused" });
    const passkey = `/api/me/account/passkeys/${owner.authenticator.ids[0]}`;
    const both = [owner.ask("DELETE", passkey), owner.ask("DELETE", `${OWN}/${id}`)];
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("is no way in, and can be removed, once the settings do not name its issuer", async () => {
    const id = await connected();
    Object.assign(env, NONE);
    const passkey = `/api/me/account/passkeys/${owner.authenticator.ids[0]}`;
    expect(await codeOf(await owner.ask("DELETE", passkey))).toEqual([409, "LAST_WAY_IN"]);
    expect((await owner.ask("DELETE", `${OWN}/${id}`)).status).toBe(200);
  });

  test("makes one account where two browsers come back at once", async () => {
    Object.assign(env, { SIGN_UP: "open" });
    const visits = [await begin(await Browser.open()), await begin(await Browser.open())];
    await Promise.all(visits.map((visit) => comeBack(visit)));
    const users = env.DB.prepare("SELECT COUNT(*) AS n FROM auth_users");
    expect(await users.first("n")).toBe(2);
  });

  test("is told to its user when it is connected, and not where it is not", async () => {
    const email = freshEmail();
    await env.DB.prepare("UPDATE auth_users SET email = ?1").bind(email).run();
    vi.spyOn(console, "error").mockImplementation(() => {});
    const served = vi.spyOn(env.IDENTITY, "serve");
    const acts = env.DB.prepare(
      "SELECT COUNT(*) AS n FROM auth_acts WHERE what = 'identity_added'",
    );
    const before = Number(await acts.first("n"));
    const told = async () => {
      const last: Served | undefined = await served.mock.results.at(-1)?.value;
      return [last?.mails.length, Number(await acts.first("n")) - before];
    };
    const failing = await begin(owner, OWN, { issuer: "oidc" });
    const broken = breakD1("before");
    expect(await comeBack(failing)).toMatchObject({ problem: "failed" });
    broken.mend();
    expect(await told()).toEqual([0, 0]);
    const { user } = await owner.session();
    const user_id = user?.id ?? "";
    for (let n = 0; n < IDENTITIES_MAX; n += 1) {
      const subject = String(n);
      const identity = { issuer: "https://other.example/", subject, id: subject, user_id };
      await addIdentity(env.DB, { ...identity, name: "", created_at: 0 }).run();
    }
    const full = await begin(owner, OWN, { issuer: "oidc" });
    expect(await comeBack(full)).toMatchObject({ problem: "refused" });
    expect(await told()).toEqual([0, 0]);
    await env.DB.exec("DELETE FROM auth_identities WHERE subject = '0'");
    expect(await comeBack(await begin(owner, OWN, { issuer: "oidc" }))).toMatchObject({
      problem: null,
    });
    expect(await told()).toEqual([1, 1]);
  });

  test("signs nobody in whose account is suspended", async () => {
    await connected();
    await env.DB.exec("UPDATE auth_users SET suspended_at = 1");
    const browser = await Browser.open();
    expect(await comeBack(await begin(browser))).toMatchObject({ problem: "refused" });
    expect(await idOf(browser)).toBeNull();
  });
});

describe("an answer that is not for this browser's request", () => {
  test("signs nobody in: another one's, one that came before, and one that was changed", async () => {
    await connected();
    const [one, other] = [await Browser.open(), await Browser.open()];
    const visit = await begin(one);
    const mixed = { ...(await begin(other)), browser: other };
    expect(await comeBack(mixed, issuer.agree(visit.location))).toMatchObject({
      problem: "expired",
    });
    // An answer at the address of another issuer.
    const elsewhere = issuer.agree(visit.location);
    elsewhere.pathname = "/api/auth/issuer/github/callback";
    expect(await comeBack(visit, elsewhere)).toMatchObject({ problem: "expired" });
    const url = issuer.agree(visit.location);
    expect(await comeBack(visit, url)).toMatchObject({ problem: null });
    const again = { ...visit, browser: other };
    expect(await comeBack(again, url)).toMatchObject({ problem: "refused" });
    const [, text = "", signature = ""] = /=(.+)\.(.+)$/.exec(visit.cookie) ?? [];
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    const changed = { ...JSON.parse(new TextDecoder().decode(bytes)), return_to: "//evil.example" };
    for (const cookie of ["", `__Host-sila_oidc=${encoded(changed)}.${signature}`]) {
      expect(await comeBack({ ...visit, browser: other, cookie }, url)).toMatchObject({
        problem: "expired",
      });
    }
    expect(await idOf(other)).toBeNull();
  });

  test("does not end the visit that goes on in another tab", async () => {
    const browser = await Browser.open();
    const { cookie, location } = await begin(browser);
    const Cookie = [cookie, browser.cookie].filter(Boolean).join("; ");
    const forgets = async (url: URL) => {
      const path = url.pathname + url.search;
      const answer = await browser.ask("GET", path, undefined, { headers: { Cookie } });
      return answer.headers.getSetCookie().some((one) => one.startsWith("__Host-sila_oidc=;"));
    };
    expect(await forgets(issuer.agree(location, { state: "other" }))).toBe(false);
    expect(await forgets(issuer.agree(location))).toBe(true);
  });

  test("says that somebody turned back, and takes nothing else that an issuer says into the page", async () => {
    const browser = await Browser.open();
    const visit = await begin(browser);
    const denied = issuer.agree(visit.location, { error: "access_denied" });
    expect(await comeBack(visit, denied)).toMatchObject({ problem: "cancelled" });
    const other = await begin(browser);
    const words = { error: "server_error", error_description: "<b>Call 0900</b>" };
    const failed = issuer.agree(other.location, words);
    expect(await comeBack(other, failed)).toMatchObject({ problem: "failed" });
  });

  test("is begun by a page of this site alone, for an issuer that is set, and leads to this site", async () => {
    const browser = await Browser.open();
    const headers = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    const ask = (path: string, body: object, init = {}) =>
      browser.ask("POST", path, { locale: "en", ...body }, init);
    expect(await codeOf(await ask(START, {}, { headers }))).toEqual([403, "CSRF_REQUIRED"]);
    expect(await codeOf(await ask("/api/auth/issuer/google", {}))).toEqual([404, "NOT_FOUND"]);
    const away = await ask(START, { return_to: "https://evil.example/" });
    expect(await codeOf(away)).toEqual([400, "VALIDATION_FAILED"]);
    const without = { headers: { "X-CSRF-Token": "" } };
    const linked = await owner.ask("POST", OWN, { issuer: "oidc", locale: "en" }, without);
    expect(await codeOf(linked)).toEqual([403, "CSRF_REQUIRED"]);
  });
});

describe("an issuer's answer is refused", () => {
  const CLAIMS: Record<string, object> = {
    "of another issuer": { iss: "https://other.example/" },
    "for another client": { aud: "other" },
    "for several clients, of which another one asked": { aud: ["our_client", "x"], azp: "x" },
    "with another nonce": { nonce: "other" },
    "without a nonce": { nonce: undefined },
    "that has expired": { exp: 1 },
    "that is not valid yet": { nbf: 9e9 },
    "without a subject": { sub: undefined },
    "with an empty subject": { sub: "" },
    "with a subject that is too long": { sub: "x".repeat(256) },
  };
  test.each(Object.entries(CLAIMS))("%s", async (_, claims) => {
    Object.assign(env, { SIGN_UP: "open" });
    issuer.claims = { ...issuer.claims, ...claims };
    await expectRefused();
  });

  test("that is signed by another key, by the client's secret, or by none", async () => {
    Object.assign(env, { SIGN_UP: "open" });
    // An issuer may have clients that take these, for which it says so.
    issuer.algorithms = ["ES256", "HS256", "none"];
    const others = await newKeys();
    issuer.sign = (header, claims) => issuer.signBy(others, header, claims);
    await expectRefused();
    issuer.sign = async (_, claims) => `${encoded({ alg: "none" })}.${encoded(claims)}.`;
    await expectRefused();
    issuer.sign = async (header, claims) => {
      const input = `${encoded({ ...header, alg: "HS256" })}.${encoded(claims)}`;
      const bytes = new TextEncoder();
      const hmac = { name: "HMAC", hash: "SHA-256" };
      const raw = bytes.encode(issuer.client.secret);
      const key = await crypto.subtle.importKey("raw", raw, hmac, false, ["sign"]);
      const signature = await crypto.subtle.sign("HMAC", key, bytes.encode(input));
      return `${input}.${new Uint8Array(signature).toBase64({ alphabet: "base64url" })}`;
    };
    await expectRefused();
  });

  test("that comes with another `iss` or another `state`, or without them", async () => {
    Object.assign(env, { SIGN_UP: "open" });
    for (const more of [{ iss: "https://other.example/" }, { iss: "" }]) await expectRefused(more);
    for (const more of [{ state: "other" }, { state: "" }]) await expectRefused(more, "expired");
  });

  const ANSWERS: Record<string, (right: Response) => Response> = {
    "that is an error": () => Response.json({ error: "invalid_grant" }, { status: 400 }),
    "that is no JSON": () => new Response("<html>"),
    "that is too large": () => Response.json({ x: "x".repeat(ISSUER_ANSWER_BYTES_MAX) }),
    "that leads elsewhere": () =>
      new Response(null, { status: 302, headers: { Location: `${issuer.address}keys` } }),
    "without an ID token": () => Response.json({ access_token: "at", token_type: "bearer" }),
    "of another kind of token": () => Response.json({ access_token: "at", token_type: "mac" }),
  };
  test.each(Object.entries(ANSWERS))("%s", async (_, answer) => {
    Object.assign(env, { SIGN_UP: "open" });
    issuer.answer = answer;
    await expectRefused();
  });

  test("until its new key is fetched, a minute after the one before", async () => {
    await connected();
    await issuer.rotate();
    await env.DB.exec("DELETE FROM auth_identities");
    await expectRefused();
    const clock = stopClock();
    clock.advance(61_000);
    await connected().finally(clock.restart);
  });

  async function expectRefused(more: Record<string, string> = {}, problem = "failed") {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const browser = await Browser.open();
    const visit = await begin(browser);
    expect(await comeBack(visit, issuer.agree(visit.location, more))).toEqual({
      ...{ pathname: "/account/sign-in", problem },
    });
    expect(await idOf(browser)).toBeNull();
    expect(await env.DB.prepare("SELECT 1 FROM auth_identities").first()).toBeNull();
  }

  test("that does not come in time, or never ends", async () => {
    const never = new Promise<Response>(() => {});
    const endless = new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
    for (const answer of [never, endless]) {
      vi.spyOn(globalThis, "fetch").mockReturnValue(Promise.resolve(answer));
      const asking = { method: "GET", headers: {} };
      await expect(boundedFetch(30)("https://issuer.example/", asking)).rejects.toThrow(
        "no answer within",
      );
    }
  });
});

describe("GitHub", () => {
  const GITHUB = "/api/auth/issuer/github";

  test("is asked by its own API who somebody is: the number of an account, and its verified address", async () => {
    Object.assign(env, { SIGN_UP: "open" });
    const email = freshEmail();
    const other = { email: freshEmail(), primary: false, verified: true };
    issuer.github.emails = [other, { email, primary: true, verified: true }];
    const browser = await Browser.open();
    expect(await comeBack(await begin(browser, GITHUB))).toMatchObject({ problem: null });
    expect((await browser.session()).user).toMatchObject({ name: "layla", email });
    // The login is another one now, and somebody else has the one before.
    issuer.github = { user: { id: 7, login: "layla2" }, emails: [] };
    const renamed = await Browser.open();
    await comeBack(await begin(renamed, GITHUB));
    expect(await idOf(renamed)).toBe(await idOf(browser));
    issuer.github = {
      user: { id: 8, login: "layla" },
      emails: [{ ...other, primary: true, verified: false }],
    };
    const successor = await Browser.open();
    await comeBack(await begin(successor, GITHUB));
    expect(await idOf(successor)).not.toBe(await idOf(browser));
    expect((await successor.session()).user).toMatchObject({ email: "" });
  });

  test("signs nobody in with an error that it answers as a success", async () => {
    Object.assign(env, { SIGN_UP: "open" });
    vi.spyOn(console, "error").mockImplementation(() => {});
    issuer.answer = () => Response.json({ error: "bad_verification_code" });
    const browser = await Browser.open();
    expect(await comeBack(await begin(browser, GITHUB))).toMatchObject({ problem: "failed" });
  });
});
