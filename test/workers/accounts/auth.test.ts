/** Sign-in and sign-out, with the demo hub. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { returnAddress } from "../../../src/accounts/return-address.ts";
import { RETURN_TO_CHARS_MAX } from "../../../src/http/limits.ts";
import { cases } from "../kit/cases.ts";
import { speedUpTimers } from "../kit/faults.ts";
import { hubCalls, hubFault, mendHub, signIn, userOf } from "../kit/hub-kit.ts";
import { call, countOf, errorOf, expectErrors, ORIGIN } from "../kit/kit.ts";

interface SessionAnswer {
  ok: true;
  authenticated: boolean;
  user: { id: string; plan: string } | null;
  csrf_token: string | null;
}

async function sessionOf(cookie: string): Promise<SessionAnswer> {
  const response = await call("/api/auth/session", { headers: { Cookie: cookie } });
  expect(response.status).toBe(200);
  return response.json<SessionAnswer>();
}

/** The `Location` of the login for this `return_to`, or the error's code. */
async function loginLeads(return_to?: string): Promise<URL | string> {
  const query = return_to === undefined ? "" : `?return_to=${encodeURIComponent(return_to)}`;
  const response = await call(`/api/auth/login${query}`);
  if (response.status !== 302) return (await errorOf(response)).code;
  return new URL(response.headers.get("Location") ?? "");
}

describe("GET /api/auth/login", () => {
  test("leads to the hub's page, which is told the whole address to send people back to", async () => {
    for (const [return_to, address] of [
      [undefined, `${ORIGIN}/`],
      ["/demo?x=1#links", `${ORIGIN}/demo?x=1#links`],
      [`${ORIGIN}/صلة`, `${ORIGIN}/%D8%B5%D9%84%D8%A9`],
      ["https://me:word@sila.example/demo", `${ORIGIN}/demo`],
    ] as const) {
      const leads = await loginLeads(return_to);
      expect(leads).toBeInstanceOf(URL);
      if (!(leads instanceof URL)) continue;
      expect(leads.origin + leads.pathname).toBe(env.AUTH_URL);
      expect([...leads.searchParams]).toEqual([["return_to", address]]);
    }
  });

  test("refuses to send anybody elsewhere", async () => {
    for (const elsewhere of [
      ...["//evil.example", "/\\evil.example", "/\t/evil.example", "http://sila.example/"],
      ...["https://sila.example@evil.example/", "https://sila.example:444/"],
      ...["javascript:alert(1)", "blob:https://sila.example/x"],
    ]) {
      expect([elsewhere, await loginLeads(elsewhere)]).toEqual([elsewhere, "VALIDATION_FAILED"]);
    }
  });

  test("takes an address of at most 2,048 characters, as its encoding counts them", () => {
    const longest = `/${"a".repeat(RETURN_TO_CHARS_MAX - ORIGIN.length - 1)}`;
    expect(returnAddress(longest, ORIGIN)).toBe(ORIGIN + longest);
    expect(returnAddress(`${longest}a`, ORIGIN)).toBeNull();
    expect(returnAddress(`/${"ل".repeat(400)}`, ORIGIN)).toBeNull();
    expect(returnAddress(`/${"ل".repeat(300)}`, ORIGIN)).not.toBeNull();
  });

  test("never leads off this site, whatever is asked for", () => {
    const parts = fc.constantFrom(
      ...["/", "\\", "//", "evil.example", "@", ":", "https:", "\t", "%2f", ".", "..", "?", "#"],
    );
    const texts = fc.oneof(
      fc.array(parts, { maxLength: 8 }).map((all) => all.join("")),
      fc.string(),
      fc.webUrl(),
    );
    fc.assert(
      fc.property(texts, (return_to) => {
        const address = returnAddress(return_to, ORIGIN);
        // As the hub parses it, and as a browser follows it.
        return (
          address === null ||
          (address.startsWith(`${ORIGIN}/`) && URL.parse(address)?.origin === ORIGIN)
        );
      }),
      { numRuns: cases(5_000, 1 / 25) },
    );
  });
});

describe("GET /api/auth/session", () => {
  test("says that nobody is signed in, without asking the hub where there is no cookie", async () => {
    await hubCalls();
    for (const cookie of ["", "other=1", "hub_session=", "hub_session=a b", 'hub_session="x"']) {
      const nobody = { ok: true, authenticated: false, user: null, csrf_token: null };
      expect(await sessionOf(cookie)).toEqual(nobody);
    }
    expect(await hubCalls()).toEqual([]);
    expect(await sessionOf("hub_session=nobody")).toMatchObject({ authenticated: false });
  });

  test("says who is signed in, with a token of this session alone, and sets no cookie", async () => {
    const cookie = await signIn("demo-pro");
    const response = await call("/api/auth/session", { headers: { Cookie: cookie } });
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.has("Set-Cookie")).toBe(false);
    const { csrf_token, ...session } = await response.json<SessionAnswer>();
    expect(session).toEqual({ ok: true, authenticated: true, user: await userOf("demo-pro") });
    expect(csrf_token).toMatch(/^[0-9a-f]{64}$/);
    expect((await sessionOf(cookie)).csrf_token).toBe(csrf_token);
    expect((await sessionOf(await signIn("demo-pro"))).csrf_token).not.toBe(csrf_token);
  });

  test("S21: sends the hub its own cookie and nothing else of the visitor's", async () => {
    const cookie = await signIn("demo-pro");
    await hubCalls();
    await call("/api/auth/session", {
      headers: {
        Cookie: `owner_of=demo; ${cookie}; other=secret`,
        Authorization: "Bearer secret",
        "X-Forwarded-For": "203.0.113.9",
        "User-Agent": "somebody's browser",
      },
    });
    const calls = await hubCalls();
    expect(calls).toMatchObject([{ method: "GET", path: "/api/session", headers: { cookie } }]);
    expect(JSON.stringify(calls)).not.toMatch(/secret|owner_of|203\.0\.113|somebody/);
  });

  test.for(["error", "down", "wrong", "huge", "redirect", "hang"] as const)(
    "S21: a hub with the fault %s is an error, and never somebody signed in",
    async (fault) => {
      speedUpTimers();
      const logged = expectErrors();
      const headers = { Cookie: await signIn("demo-pro") };
      await hubFault("/api/session", fault);
      const expected = fault === "hang" ? [504, "UPSTREAM_TIMEOUT"] : [502, "UPSTREAM_ERROR"];
      const response = await call("/api/auth/session", { headers });
      expect([response.status, (await errorOf(response)).code]).toEqual(expected);
      expect((await call("/api/me/wallet", { headers })).status).toBe(expected[0]);
      expect(countOf(logged(), "hub_failed")).toBe(2);
    },
  );
});

/** The headers of a request from a page of this site in a current browser. */
async function fromOurPage(Cookie: string): Promise<Record<string, string>> {
  const token = (await sessionOf(Cookie)).csrf_token ?? "";
  return { Cookie, "X-CSRF-Token": token, Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
}

function logOut(headers: Record<string, string>, body: string | null = null): Promise<Response> {
  return call("/api/auth/logout", { method: "POST", headers, body });
}

describe("POST /api/auth/logout", () => {
  test("ends the session at the hub and here, at once, also a cached one", async () => {
    const cookie = await signIn("demo-pro");
    const others = await signIn("demo-pro");
    expect(await sessionOf(others)).toMatchObject({ authenticated: true });
    const response = await logOut(await fromOurPage(cookie));
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(await sessionOf(cookie)).toMatchObject({ authenticated: false, csrf_token: null });
    expect((await call("/api/me/wallet", { headers: { Cookie: cookie } })).status).toBe(401);
    // The session on another device stays valid.
    expect(await sessionOf(others)).toMatchObject({ authenticated: true });
  });

  test("is an error if the hub cannot be reached, and the session goes on", async () => {
    const cookie = await signIn("demo-pro");
    const headers = await fromOurPage(cookie);
    await hubFault("/api/logout", "error");
    const logged = expectErrors();
    expect((await logOut(headers)).status).toBe(502);
    expect(logged()).toEqual(["hub_failed"]);
    expect(await sessionOf(cookie)).toMatchObject({ authenticated: true });
    await mendHub();
    expect((await logOut(headers)).status).toBe(204);
    expect(await sessionOf(cookie)).toMatchObject({ authenticated: false });
  });
});

describe("S5: a request with the session's cookie", () => {
  test("needs the token and a page of ours, both, whatever its type is", async () => {
    const cookie = await signIn("demo-free");
    const right = await fromOurPage(cookie);
    const others_token = (await fromOurPage(await signIn("demo-free")))["X-CSRF-Token"] ?? "";
    const own_token = right["X-CSRF-Token"] ?? "";
    const without = (...names: string[]) =>
      Object.fromEntries(Object.entries(right).filter(([name]) => !names.includes(name)));
    const wrong: [string, Record<string, string>][] = [
      ["no token", without("X-CSRF-Token")],
      ["another session's token", { ...right, "X-CSRF-Token": others_token }],
      ["a token that is too long", { ...right, "X-CSRF-Token": `${own_token}0` }],
      ["another site", { ...right, "Sec-Fetch-Site": "cross-site" }],
      ["a sister host", { ...right, "Sec-Fetch-Site": "same-site" }],
      ["another origin", { ...right, Origin: "https://evil.example" }],
      ["a hidden origin", { ...right, Origin: "null" }],
      ["an old browser", { ...without("Sec-Fetch-Site"), Origin: "https://evil.example" }],
      ["neither origin nor site", without("Sec-Fetch-Site", "Origin")],
      ["a form", { Cookie: cookie, Origin: ORIGIN, "Content-Type": "text/plain" }],
    ];
    for (const [what, headers] of wrong) {
      const response = await logOut(headers, "x");
      expect([what, response.status]).toEqual([what, 403]);
      expect((await errorOf(response)).code).toBe("CSRF_REQUIRED");
    }
    expect(await sessionOf(cookie)).toMatchObject({ authenticated: true });
    expect((await logOut(right, "x")).status).toBe(204);
    expect(await sessionOf(cookie)).toMatchObject({ authenticated: false });
  });

  test("passes with either Origin or Sec-Fetch-Site, for older browsers", async () => {
    for (const missing of ["Origin", "Sec-Fetch-Site"]) {
      const { [missing]: _, ...headers } = await fromOurPage(await signIn("demo-free"));
      expect((await logOut(headers)).status).toBe(204);
    }
  });
});
