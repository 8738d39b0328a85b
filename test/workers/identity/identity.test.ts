/** Accounts in the box (docs/security.md S40–S45): who gets an account, who gets in, and who does not get in any more. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { runCron } from "../../../src/cron.ts";
import { DEVICE_KEPT_MS } from "../../../src/identity/limits.ts";
import { OPERATIONS } from "../../../src/site/openapi/operations.ts";
import { call, errorOf, freshPage, ORIGIN } from "../kit/kit.ts";
import { Browser, identityHere, restoredAfter, useOwnAccounts } from "./identity-kit.ts";
import { SoftwareAuthenticator } from "./software-authenticator.ts";

useOwnAccounts();
// Mutants break the modules of this isolate.
beforeEach(identityHere);

const codeOf = async (response: Response) => [response.status, (await errorOf(response)).code];

async function signedIn(): Promise<Browser> {
  const owner = await Browser.open();
  expect((await owner.setUp()).status).toBe(201);
  return owner;
}

/** The same person at another device that has their passkey. */
async function otherDevice(of: Browser): Promise<Browser> {
  const other = await Browser.open(of.authenticator);
  expect((await other.signIn()).status).toBe(200);
  return other;
}

/** The same at a computer whose browser tells what it is. */
async function signInOnWindows(of: Browser): Promise<Browser> {
  const other = await Browser.open(of.authenticator);
  const { options } = await (await other.ask("POST", "/api/auth/passkey/options")).json<{
    options: never;
  }>();
  const response = await of.authenticator.signIn(options);
  const agent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0";
  const init = { headers: { "User-Agent": agent } };
  expect((await other.ask("POST", "/api/auth/passkey", { response }, init)).status).toBe(200);
  return other;
}

async function addPasskey(to: Browser, authenticator: SoftwareAuthenticator): Promise<Response> {
  const asked = await to.ask("POST", "/api/me/account/passkeys/options");
  const { options } = await asked.json<{ options: never }>();
  const response = await authenticator.register(options);
  return to.ask("POST", "/api/me/account/passkeys", { response, name: "هاتف" });
}

async function newCodes(browser: Browser): Promise<string[]> {
  const made = await browser.ask("POST", "/api/me/account/codes");
  return (await made.json<{ codes: string[] }>()).codes;
}

async function noticesOf(browser: Browser): Promise<string[]> {
  const { notifications } = await (await browser.ask("GET", "/api/me/notifications")).json<{
    notifications: { text_en: string }[];
  }>();
  return notifications.map(({ text_en }) => text_en);
}

/** R2 takes nothing until the returned function is called; the identity Worker has to be in this isolate. */
function breakPuts(): () => void {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(Object.getPrototypeOf(env.MEDIA), "put").mockRejectedValue(new Error("R2 refuses"));
  return () => vi.restoreAllMocks();
}

async function isIn(browser: Browser): Promise<boolean> {
  return (await browser.session()).authenticated;
}

describe("S40: the first owner", () => {
  test("makes their account with the deployment's code: an operator with the plan business", async () => {
    const owner = await signedIn();
    expect((await owner.session()).user).toMatchObject({ name: "نورة", plan: "business" });
    expect((await owner.ask("GET", "/admin")).status).toBe(200);
  });

  test("is the only one that a code makes, also of two at once", async () => {
    const browsers = await Promise.all([Browser.open(), Browser.open(), Browser.open()]);
    const answers = await Promise.all(browsers.map((one) => one.setUp()));
    expect(answers.map(({ status }) => status).sort()).not.toContain(500);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const in_now = await Promise.all(browsers.map(isIn));
    expect(in_now.filter(Boolean)).toHaveLength(1);
    expect(await codeOf(await (await Browser.open()).setUp())).toEqual([403, "SETUP_REFUSED"]);
  });

  test("F20: cannot be made again after D1 went back to before it, nor after the owner's deletion", async () => {
    await restoredAfter(async () => void (await signedIn()));
    expect(await codeOf(await (await Browser.open()).setUp())).toEqual([403, "SETUP_REFUSED"]);
    Object.assign(env, { SETUP_CODE: crypto.randomUUID() });
    const owner = await signedIn();
    await owner.ask("DELETE", "/api/me/account");
    await env.DB.exec("UPDATE auth_users SET ends_at = 1");
    await runCron(env, 1);
    expect(await isIn(owner)).toBe(false);
    expect(await codeOf(await (await Browser.open()).setUp())).toEqual([403, "SETUP_REFUSED"]);
  });

  test("F39: cannot be made again where the request that made it ended before R2 knew", async () => {
    await restoredAfter(async () => {
      await signedIn();
      // As after a kill between D1 and R2.
      const { objects } = await env.MEDIA.list({ prefix: "identity/ended/setup/" });
      await env.MEDIA.delete(objects.map(({ key }) => key));
      await env.DB.exec("UPDATE auth_used SET is_noted = 0 WHERE key LIKE 'setup/%'");
      await runCron(env, 1);
    });
    expect(await codeOf(await (await Browser.open()).setUp())).toEqual([403, "SETUP_REFUSED"]);
  });

  test("is made again by a new code, and by no other", async () => {
    await signedIn();
    Object.assign(env, { SETUP_CODE: crypto.randomUUID() });
    expect(await codeOf(await (await Browser.open()).setUp("x".repeat(36)))).toEqual([
      403,
      "SETUP_REFUSED",
    ]);
    Object.assign(env, { SETUP_CODE: "" });
    expect(await codeOf(await (await Browser.open()).setUp(""))).toEqual([403, "SETUP_REFUSED"]);
    Object.assign(env, { SETUP_CODE: crypto.randomUUID() });
    await signedIn();
  });

  test("has a code that may be guessed ten times in a minute", async () => {
    const browser = await Browser.open();
    const guess = () =>
      browser.ask("POST", "/api/auth/setup/options", { code: crypto.randomUUID(), name: "x" });
    const answers = await Promise.all(Array.from({ length: 12 }, guess));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  });
});

describe("S40: an account", () => {
  test("is nobody's before the first owner's, whatever SIGN_UP says", async () => {
    for (const SIGN_UP of ["invite", "open", "closed"] as const) {
      Object.assign(env, { SIGN_UP });
      const answer = await (await Browser.open()).signUp();
      expect(await codeOf(answer)).toEqual([403, "INVITATION_REQUIRED"]);
    }
  });

  test("is everybody's where sign-up is open, with the plan of the setting, and else nobody's", async () => {
    await signedIn();
    Object.assign(env, { SIGN_UP: "open", NEW_USER_PLAN: "pro" });
    const somebody = await Browser.open();
    expect((await somebody.signUp()).status).toBe(201);
    expect((await somebody.session()).user).toMatchObject({ name: "سالم", plan: "pro" });
    expect((await somebody.ask("GET", "/admin")).status).toBe(404);
    for (const SIGN_UP of ["invite", "closed"] as const) {
      Object.assign(env, { SIGN_UP });
      const answer = await (await Browser.open()).signUp();
      expect(await codeOf(answer)).toEqual([403, "INVITATION_REQUIRED"]);
    }
  });

  test("does not exist with an account hub", async () => {
    Object.assign(env, {
      ...{ HUB_URL: "http://localhost:8788", AUTH_URL: "http://localhost:8788/sign-in" },
      ...{
        HUB_SESSION_COOKIE: "hub_session",
        HUB_WEBHOOK_SECRET: `whsec_${crypto.getRandomValues(new Uint8Array(32)).toBase64()}`,
      },
    });
    const browser = await Browser.open();
    for (const path of ["/api/auth/setup", "/api/auth/passkey", "/api/me/account"]) {
      expect([path, (await browser.ask("POST", path, {})).status]).toEqual([path, 404]);
    }
    for (const path of ["/account", "/setup", "/account/sign-in"]) {
      expect([path, (await browser.ask("GET", path)).status]).toEqual([path, 404]);
    }
  });
});

describe("S41: a passkey", () => {
  test("signs its user in, in four requests to /api/auth, and out", async () => {
    const owner = await signedIn();
    const other = await Browser.open(owner.authenticator);
    const entered = await other.signIn("/dashboard/new?slug=x");
    expect(await entered.json()).toEqual({
      ok: true,
      return_to: `${ORIGIN}/dashboard/new?slug=x`,
    });
    expect((await other.session()).user?.id).toBe((await owner.session()).user?.id);
    const signed_out = await other.ask("POST", "/api/auth/logout");
    expect([signed_out.status, ...signed_out.headers.getSetCookie()]).toContainEqual(
      expect.stringMatching(
        /^__Host-sila_session=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    );
    expect([await isIn(other), await isIn(owner)]).toEqual([false, true]);
  });

  test("answers each challenge once", async () => {
    const owner = await signedIn();
    const other = await Browser.open(owner.authenticator);
    const { options } = await (await other.ask("POST", "/api/auth/passkey/options")).json<{
      options: never;
    }>();
    const response = await owner.authenticator.signIn(options);
    const answers = await Promise.all(
      [1, 2, 3].map(() => other.ask("POST", "/api/auth/passkey", { response })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    // Its counter is no higher than itself, which is no sign of a copy.
    expect(await noticesOf(owner)).toEqual([]);
  });

  test("that was copied signs nobody in, and its user is told, once for each challenge", async () => {
    const owner = await signedIn();
    const { options } = await (await owner.ask("POST", "/api/auth/passkey/options")).json<{
      options: never;
    }>();
    const response = await owner.authenticator.signIn(options, { counter: 1 });
    for (const _ of [1, 2]) {
      const answer = await owner.ask("POST", "/api/auth/passkey", { response });
      expect(await codeOf(answer)).toEqual([401, "SIGN_IN_REFUSED"]);
    }
    expect(await noticesOf(owner)).toEqual([expect.stringContaining("may have been copied")]);
  });

  test("S43: signs nobody in for another site, from another site, or to another site", async () => {
    const owner = await signedIn();
    const other = await Browser.open(owner.authenticator);
    expect((await other.signIn("https://evil.example/")).status).toBe(400);
    const cross = await other.ask("POST", "/api/auth/passkey/options", undefined, {
      headers: { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
    });
    expect(await codeOf(cross)).toEqual([403, "CSRF_REQUIRED"]);
    const { options } = await (await other.ask("POST", "/api/auth/passkey/options")).json<{
      options: never;
    }>();
    const response = await owner.authenticator.signIn(options, { origin: "https://evil.example" });
    expect(await codeOf(await other.ask("POST", "/api/auth/passkey", { response }))).toEqual([
      401,
      "SIGN_IN_REFUSED",
    ]);
  });

  test("that was removed signs nobody in, also after D1 went back; the last one stays", async () => {
    const owner = await signedIn();
    const [id] = owner.authenticator.ids;
    const path = `/api/me/account/passkeys/${id}`;
    expect(await codeOf(await owner.ask("DELETE", path))).toEqual([409, "LAST_WAY_IN"]);
    const second = await Browser.open();
    const { options } = await (await owner.ask("POST", "/api/me/account/passkeys/options")).json<{
      options: never;
    }>();
    const response = await second.authenticator.register(options);
    const added = await owner.ask("POST", "/api/me/account/passkeys", { response, name: "هاتف" });
    expect(added.status).toBe(201);
    await restoredAfter(async () => {
      expect((await owner.ask("DELETE", path)).status).toBe(200);
      expect((await owner.ask("DELETE", path)).status).toBe(404);
    });
    const thief = await Browser.open(owner.authenticator);
    expect(await codeOf(await thief.signIn())).toEqual([401, "SIGN_IN_REFUSED"]);
    expect((await second.signIn()).status).toBe(200);
  });

  test("has an id of up to 1,023 bytes, and is removed for good also where R2 failed", async () => {
    const owner = await signedIn();
    const long = await SoftwareAuthenticator.create({ origin: ORIGIN, id_bytes: 1_023 });
    const added = await addPasskey(owner, long);
    expect(added.status).toBe(201);
    const other = await Browser.open(long);
    expect((await other.signIn()).status).toBe(200);
    await restoredAfter(async () => {
      const mend = breakPuts();
      const removed = await owner.ask("DELETE", `/api/me/account/passkeys/${long.ids[0]}`);
      expect(removed.status).toBe(200);
      mend();
      await runCron(env, 1);
    });
    expect(await codeOf(await other.signIn())).toEqual([401, "SIGN_IN_REFUSED"]);
  });

  test("that cannot be added or removed is in no list and no notice", async () => {
    const owner = await signedIn();
    const [first = ""] = owner.authenticator.ids;
    await env.DB.exec(
      `INSERT INTO auth_passkeys SELECT 'p' || value, user_id, '', 0, '[]', '', 0, 1, NULL
       FROM auth_passkeys, json_each('[${Array.from({ length: 19 }, (_, n) => n)}]')`.replaceAll(
        "\n",
        " ",
      ),
    );
    const more = await SoftwareAuthenticator.create({ origin: ORIGIN });
    expect(await codeOf(await addPasskey(owner, more))).toEqual([401, "SIGN_IN_REFUSED"]);
    await env.DB.prepare("DELETE FROM auth_passkeys WHERE id <> 'p1' AND id <> ?1")
      .bind(first)
      .run();
    const removed = await Promise.all(
      ["p1", first].map((id) => owner.ask("DELETE", `/api/me/account/passkeys/${id}`)),
    );
    expect(removed.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { results } = await env.DB.prepare(
      "SELECT what FROM auth_acts WHERE what LIKE 'passkey%' AND by_id = (SELECT id FROM auth_users)",
    ).all();
    expect(results).toEqual([{ what: "passkey_removed" }]);
    expect(await noticesOf(owner)).toEqual([]);
  });
});

describe("S42: a session", () => {
  test("has a cookie that no script, no other host and no other site's form gets", async () => {
    const owner = await Browser.open();
    const made = await owner.setUp();
    const [cookie] = made.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-sila_session=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const { results } = await env.DB.prepare("SELECT * FROM auth_sessions").all();
    expect(JSON.stringify(results)).not.toContain(owner.cookie.split("=")[1]);
  });

  test("that is ended from another device ends at once, and stays ended after D1 went back", async () => {
    const owner = await signedIn();
    const other = await otherDevice(owner);
    // Cached, as by the page that is open there.
    expect(await isIn(other)).toBe(true);
    await restoredAfter(async () => {
      const { sessions } = await (await owner.ask("GET", "/api/me/account")).json<{
        sessions: { id: string; is_this: boolean }[];
      }>();
      const [there] = sessions.filter(({ is_this }) => !is_this);
      const ended = await owner.ask("DELETE", `/api/me/account/sessions/${there?.id}`);
      expect(ended.status).toBe(200);
      expect([await isIn(other), await isIn(owner)]).toEqual([false, true]);
    });
    expect([await isIn(other), await isIn(owner)]).toEqual([false, true]);
  });

  test("ends all others", async () => {
    const owner = await signedIn();
    const others = [await otherDevice(owner), await otherDevice(owner)];
    expect((await owner.ask("DELETE", "/api/me/account/sessions")).status).toBe(200);
    expect(await Promise.all([owner, ...others].map(isIn))).toEqual([true, false, false]);
  });

  test("on a new device is told to its user", async () => {
    const owner = await signedIn();
    await signInOnWindows(owner);
    expect(await noticesOf(owner)).toEqual([expect.stringContaining("Firefox · Windows")]);
  });

  test("is told also where the user has no other one, but not that of a new account", async () => {
    const owner = await signedIn();
    expect(await noticesOf(owner)).toEqual([]);
    expect((await owner.ask("POST", "/api/auth/logout", {})).status).toBe(204);
    const windows = await signInOnWindows(owner);
    expect(await noticesOf(windows)).toEqual([expect.stringContaining("Firefox · Windows")]);
  });

  test("is told of a device that the user signed out of 30 days ago, or ended from elsewhere", async () => {
    const owner = await signedIn();
    const leave = async (by: Browser) => {
      expect((await by.ask("POST", "/api/auth/logout", {})).status).toBe(204);
    };
    const windows = await signInOnWindows(owner);
    await leave(windows);
    expect(await noticesOf(await signInOnWindows(owner))).toHaveLength(1);
    expect((await owner.ask("DELETE", "/api/me/account/sessions")).status).toBe(200);
    const again = await signInOnWindows(owner);
    expect(await noticesOf(again)).toHaveLength(2);
    await leave(again);
    await runCron(env, Date.now() + DEVICE_KEPT_MS - 1_000);
    expect(await noticesOf(await signInOnWindows(owner))).toHaveLength(2);
    await env.DB.exec("UPDATE auth_sessions SET expires_at = 0");
    await runCron(env, Date.now());
    expect(await noticesOf(await signInOnWindows(owner))).toHaveLength(3);
  });
});

describe("S45: a way back in", () => {
  test("is open where R2 fails after D1 has used the code", async () => {
    const owner = await signedIn();
    const codes = await newCodes(owner);
    const lost = await Browser.open();
    await restoredAfter(async () => {
      const mend = breakPuts();
      const answer = await lost.ask("POST", "/api/auth/recover", { code: codes[0] });
      expect(answer.status).toBe(200);
      mend();
      await runCron(env, 1);
    });
    const thief = await Browser.open();
    const again = await thief.ask("POST", "/api/auth/recover", { code: codes[0] });
    expect(await codeOf(again)).toEqual([401, "SIGN_IN_REFUSED"]);
  });

  test("is closed to a suspended user, whose code stays", async () => {
    const owner = await signedIn();
    const codes = await newCodes(owner);
    await env.DB.exec("UPDATE auth_users SET suspended_at = 1");
    const lost = await Browser.open();
    const enter = () => lost.ask("POST", "/api/auth/recover", { code: codes[0] });
    expect(await codeOf(await enter())).toEqual([401, "SIGN_IN_REFUSED"]);
    await env.DB.exec("UPDATE auth_users SET suspended_at = NULL");
    expect((await enter()).status).toBe(200);
  });

  test("is none of the codes that were replaced, also after D1 went back", async () => {
    const owner = await signedIn();
    const [old] = await newCodes(owner);
    await restoredAfter(async () => void (await newCodes(owner)));
    const thief = await Browser.open();
    const answer = await thief.ask("POST", "/api/auth/recover", { code: old });
    expect(await codeOf(answer)).toEqual([401, "SIGN_IN_REFUSED"]);
  });

  test("is ten codes where two requests make them at once: those of one of both", async () => {
    const owner = await signedIn();
    const made = await Promise.all([newCodes(owner), newCodes(owner)]);
    const { results } = await env.DB.prepare("SELECT hash FROM auth_recovery_codes").all();
    expect(results).toHaveLength(10);
    const statuses: number[] = [];
    for (const [code] of made) {
      const lost = await Browser.open();
      statuses.push((await lost.ask("POST", "/api/auth/recover", { code })).status);
    }
    expect(statuses.sort()).toEqual([200, 401]);
  });

  test("is one of ten codes, each once, also after D1 went back", async () => {
    const owner = await signedIn();
    const codes = await newCodes(owner);
    expect(new Set(codes).size).toBe(10);
    const [code = "", next = ""] = codes;
    const lost = await Browser.open();
    await restoredAfter(async () => {
      const typed = code.toLowerCase().replaceAll("-", " ");
      expect((await lost.ask("POST", "/api/auth/recover", { code: typed })).status).toBe(200);
    });
    expect((await lost.session()).user?.id).toBe((await owner.session()).user?.id);
    const thief = await Browser.open();
    for (const used of [code, "", "0000-0000-0000-0000"]) {
      const answer = await thief.ask("POST", "/api/auth/recover", { code: used });
      expect(await codeOf(answer)).toEqual([401, "SIGN_IN_REFUSED"]);
    }
    await owner.ask("POST", "/api/me/account/codes");
    const old = await thief.ask("POST", "/api/auth/recover", { code: next });
    expect(await codeOf(old)).toEqual([401, "SIGN_IN_REFUSED"]);
  });
});

describe("the deletion of an account", () => {
  test("can be undone for half an hour, and then ends the user", async () => {
    const owner = await signedIn();
    const other = await otherDevice(owner);
    const { ends_at } = await (await owner.ask("DELETE", "/api/me/account")).json<{
      ends_at: number;
    }>();
    expect(ends_at - Date.now()).toBeGreaterThan(1_799_000 - 60_000);
    expect([await isIn(other), await isIn(owner)]).toEqual([false, false]);
    await runCron(env, 1);
    expect((await owner.signIn()).status).toBe(200);
    expect((await owner.ask("POST", "/api/me/account/keep")).status).toBe(200);
    await env.DB.exec("UPDATE auth_users SET ends_at = 1 WHERE ends_at IS NOT NULL");
    await runCron(env, 1);
    expect(await isIn(owner)).toBe(true);
    await owner.ask("DELETE", "/api/me/account");
    await env.DB.exec("UPDATE auth_users SET ends_at = 1");
    await runCron(env, 1);
    expect(await isIn(owner)).toBe(false);
    expect(await codeOf(await other.signIn())).toEqual([401, "SIGN_IN_REFUSED"]);
    for (const table of ["users", "sessions", "passkeys", "recovery_codes", "links"]) {
      const left = await env.DB.prepare(`SELECT COUNT(*) AS n FROM auth_${table}`).first("n");
      expect([table, left]).toEqual([table, 0]);
    }
  });
});

describe("a deleted user", () => {
  test("is deleted again after D1 went back", async () => {
    const owner = await signedIn();
    await restoredAfter(async () => {
      await owner.ask("DELETE", "/api/me/account");
      await env.DB.exec("UPDATE auth_users SET ends_at = 1");
      await runCron(env, 1);
      await env.DB.exec("DELETE FROM deleted_users");
    });
    await runCron(env, 1);
    await runCron(env, 1);
    const other = await Browser.open(owner.authenticator);
    expect(await codeOf(await other.signIn())).toEqual([401, "SIGN_IN_REFUSED"]);
    expect(await env.DB.prepare("SELECT * FROM auth_users").first()).toBeNull();
  });
});

describe("an event that cannot be applied", () => {
  test("keeps no other one back", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const owner = await signedIn();
    const other = await otherDevice(owner);
    expect(await isIn(other)).toBe(true);
    await env.DB.exec(
      `INSERT INTO auth_events (id, body) VALUES ('bad', '{"type":"notification.created","data":{}}')`,
    );
    await owner.ask("DELETE", "/api/me/account/sessions");
    expect(await isIn(other)).toBe(false);
    const { results } = await env.DB.prepare("SELECT id FROM auth_events").all();
    expect(results).toEqual([{ id: "bad" }]);
    await env.DB.exec("DELETE FROM auth_events");
    vi.restoreAllMocks();
  });
});

describe("the account page", () => {
  test("is for whoever is signed in, and each answer has the headers of its limit", async () => {
    const owner = await signedIn();
    const page = await owner.ask("GET", "/account");
    expect([page.status, page.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    expect(page.headers.get("RateLimit-Policy")).toBe('"public";q=60;w=60');
    expect(await codeOf(await call("/account"))).toEqual([401, "AUTH_REQUIRED"]);
    const made = await owner.ask("POST", "/api/auth/passkey/options");
    expect(made.headers.get("RateLimit")).toMatch(/^"auth";r=\d+;t=\d+$/);
  });
});

describe("what changes an account", () => {
  const ROUTES = OPERATIONS.filter(({ tag }) => tag === "own_accounts").map(
    ({ method, path, access }) => {
      return { method: method.toUpperCase(), path: path.replace(":id", "none"), access };
    },
  );
  const bodyOf = (method: string) => (method === "GET" ? undefined : {});

  test("needs its session and the session's token, and is charged to the exact limit", async () => {
    const owner = await signedIn();
    const stranger = await Browser.open();
    expect((await stranger.ask("GET", "/account")).status).toBe(401);
    const own = ROUTES.filter(({ access }) => access !== undefined);
    expect(own.map(({ path }) => path)).toEqual(
      ROUTES.map(({ path }) => path).filter((path) => path.startsWith("/api/me/")),
    );
    for (const { method, path, access } of own) {
      const answer = await stranger.ask(method, path, bodyOf(method));
      expect([path, ...(await codeOf(answer))]).toEqual([path, 401, "AUTH_REQUIRED"]);
      expect([path, answer.headers.get("RateLimit")]).toEqual([
        path,
        expect.stringMatching(/^"public";/),
      ]);
      if (access === "session") continue;
      for (const headers of [{ "X-CSRF-Token": "" }, { "Sec-Fetch-Site": "cross-site" }]) {
        const refused = await owner.ask(method, path, bodyOf(method), { headers });
        expect([path, ...(await codeOf(refused))]).toEqual([path, 403, "CSRF_REQUIRED"]);
      }
    }
    expect(await isIn(owner)).toBe(true);
  });

  test("S43: makes nobody a session from a page of another site", async () => {
    const headers = { "Sec-Fetch-Site": "cross-site" };
    // An issuer sends browsers back by a GET, which needs the cookie of its visit.
    const signing_in = ROUTES.filter(
      ({ method, path }) => path.startsWith("/api/auth/") && method !== "GET",
    );
    expect(signing_in.length).toBeGreaterThan(6);
    const browser = await Browser.open();
    for (const { method, path } of signing_in) {
      const refused = await browser.ask(method, path, {}, { headers });
      expect([path, ...(await codeOf(refused))]).toEqual([path, 403, "CSRF_REQUIRED"]);
    }
  });

  test("shows at once", async () => {
    const owner = await signedIn();
    const { passkeys } = await (await owner.ask("GET", "/api/me/account")).json<{
      passkeys: { name: string }[];
    }>();
    // The authenticator of this test does not tell what it is, and its browser neither.
    expect(passkeys.map(({ name }) => name)).toEqual(["Passkey"]);
    const changed = await owner.ask("PATCH", "/api/me/account", {
      name: "نورة العلي",
      locale: "en",
    });
    expect(changed.status).toBe(200);
    expect((await owner.session()).user).toMatchObject({ name: "نورة العلي", locale: "en" });
    const page = await owner.ask("GET", "/account");
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("نورة العلي")]);
    const response = await call("/api/auth/session", { headers: { Cookie: owner.cookie } });
    expect(Object.keys((await response.json<{ user: object }>()).user)).toEqual([
      ...["id", "name", "email", "plan", "locale"],
    ]);
  });
});

test("S44: whatever is wrong with a passkey or a code has one answer, which names nobody", async () => {
  const owner = await signedIn();
  const { options } = await (await owner.ask("POST", "/api/auth/passkey/options")).json<{
    options: { allowCredentials?: unknown };
  }>();
  expect(options.allowCredentials).toBeUndefined();
  const stranger = await Browser.open();
  await stranger.authenticator.register(
    (await (await owner.ask("POST", "/api/me/account/passkeys/options")).json<{ options: never }>())
      .options,
  );
  await env.DB.exec("UPDATE auth_users SET suspended_at = 1");
  const answers = await Promise.all([
    // Of nobody, of a suspended user, and no code of anybody.
    stranger.signIn(),
    (await Browser.open(owner.authenticator)).signIn(),
    stranger.ask("POST", "/api/auth/recover", { code: "0000-0000-0000-0000" }),
  ]);
  const told = await Promise.all(
    answers.map(async (answer) => {
      const { details: _, ...error } = await errorOf(answer);
      return [answer.status, error];
    }),
  );
  expect(told).toEqual(told.map(() => [401, expect.objectContaining({ code: "SIGN_IN_REFUSED" })]));
  expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1);
});

describe("where the accounts fail", () => {
  const { TIPS } = env;
  const events = () => env.DB.prepare("SELECT COUNT(*) AS n FROM auth_events").first<number>("n");

  test("F38: without the identity Worker nobody gets in and nobody is signed in, and pages go on", async () => {
    const owner = await signedIn();
    const { slug } = await freshPage();
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const down = () => Promise.reject(new Error("the Worker is down"));
    Object.assign(env, { IDENTITY: { serve: down, hub: down, tidy: down } });
    const signing_in = await owner.ask("POST", "/api/auth/passkey/options");
    expect(await codeOf(signing_in)).toEqual([503, "DEPENDENCY_DOWN"]);
    expect((await owner.ask("GET", "/api/me/account")).status).toBe(503);
    // A session that is not in the cache.
    const asked = await call("/api/me/pages", { headers: { Cookie: `${owner.cookie}x` } });
    expect(await codeOf(asked)).toEqual([502, "UPSTREAM_ERROR"]);
    expect((await call(`/${slug}`)).status).toBe(200);
    await runCron(env, 1);
    expect(logged.mock.calls.join("\n")).toContain("identity_failed");
  });

  test("F40: an event that fails stays, and the cron applies it", async () => {
    const owner = await signedIn();
    await owner.ask("DELETE", "/api/me/account");
    await env.DB.exec("UPDATE auth_users SET ends_at = 1");
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const end = vi.fn(() => Promise.reject(new Error("the object is down")));
    Object.assign(env, { TIPS: { getByName: () => ({ end }) } });
    await runCron(env, 1);
    expect(end).toHaveBeenCalledOnce();
    expect([await isIn(owner), await events()]).toEqual([false, 1]);
    expect(logged.mock.calls.join("\n")).toContain("account_events_failed");
    Object.assign(env, { TIPS });
    await runCron(env, 1);
    expect(await events()).toBe(0);
  });
});
