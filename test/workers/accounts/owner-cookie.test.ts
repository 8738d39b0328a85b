/** S24: the owner's visits have their own class, and nobody can give it to other visits. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  OWNER_COOKIE_DAYS,
  OWNER_COOKIE_PAGES_MAX,
  OWNER_COOKIES_READ_MAX,
} from "../../../src/accounts/limits.ts";
import { ownerCookieValue } from "../../../src/accounts/owner-cookie.ts";
import { classify } from "../../../src/counting/classify.ts";
import { requireConfig } from "../../../src/http/config.ts";
import { Secret } from "../../../src/http/secret.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { cases } from "../kit/cases.ts";
import { stopClock } from "../kit/faults.ts";
import { hubFault, signIn } from "../kit/hub-kit.ts";
import { beacon, call, freshPage, ORIGIN, ownerCookie, pageObject } from "../kit/kit.ts";

const HOST_NAME = "__Host-owner_of";
const PLAIN_NAME = "owner_of";
const DAY_S = 86_400;
const LOCAL = "http://localhost:8787";
const PHONE =
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

/** The class of an event on `page_id` from a browser with these cookies. */
async function classOf(page_id: string, Cookie: string, origin = ORIGIN): Promise<string> {
  const request = new Request(`${origin}/api/analytics/view`, {
    headers: { Cookie, "User-Agent": PHONE },
  });
  return (await classify(env, request, page_id, "192.0.2.1", {})).class;
}

/** Opens the dashboard; returns the `Set-Cookie` line. */
async function visitDashboard(user_id: string, path = "/dashboard"): Promise<string> {
  const response = await call(path, { headers: { Cookie: await signIn(user_id) } });
  expect(response.status).toBe(200);
  await response.body?.cancel();
  return response.headers.get("Set-Cookie") ?? "";
}

const pairOf = (line: string) => line.split(";")[0] ?? "";
const textOf = (line: string) => pairOf(line).slice(pairOf(line).indexOf("=") + 1);
const attributesOf = (line: string) => line.split("; ").slice(1).sort();
const now_s = () => Math.floor(Date.now() / 1_000);

const key = () => requireConfig(env, "counting").SESSION_KEY;

describe("S24: the cookie of an owner", () => {
  test("S7: is set by both pages of the dashboard, for 30 days, for this host only and hidden from scripts", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-free" });
    for (const path of ["/dashboard", `/dashboard/${page_id}`]) {
      const line = await visitDashboard("demo-free", path);
      expect(line.startsWith(`${HOST_NAME}=`)).toBe(true);
      expect(attributesOf(line)).toEqual([
        "HttpOnly",
        `Max-Age=${OWNER_COOKIE_DAYS * DAY_S}`,
        "Path=/",
        "SameSite=Lax",
        "Secure",
      ]);
      const [expires_s, ...rest] = textOf(line).split(".");
      expect(Math.abs(Number(expires_s) - now_s() - 30 * DAY_S)).toBeLessThanOrEqual(2);
      expect(rest).toContain(page_id);
      expect(rest.at(-1)).toMatch(/^[0-9a-f]{64}$/);
      expect(await classOf(page_id, pairOf(line))).toBe("owner");
    }
  });

  test("classes beacon, pixel and redirect, on the pages that it names and no other", async () => {
    const mine = await freshPage({ owner_id: "demo-free" });
    const Cookie = `a=b; ${pairOf(await visitDashboard("demo-free"))}; c=d`;
    const other = await freshPage({ owner_id: "demo-free" });
    for (const [{ page_id }, expected] of [
      [mine, "owner"],
      [other, "human"],
    ] as const) {
      const headers = { Cookie, "User-Agent": PHONE };
      await beacon({ page_id }, { headers });
      await call(`/p/${page_id}.gif`, { headers });
      await call(`/r/${page_id}/shop`, { headers });
      const totals = await pageObject(page_id).totals();
      expect(new Set(totals.map((total) => total.class))).toEqual(new Set([expected]));
      expect(totals.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(3);
    }
  });

  test("counts until its expiry and not from it on, and is renewed by each visit to the dashboard", async () => {
    const clock = stopClock();
    // A full second, in which the expiry is told.
    clock.set(Math.ceil(Date.now() / 1_000) * 1_000);
    const { page_id } = await freshPage({ owner_id: "demo-free" });
    const first = pairOf(await visitDashboard("demo-free"));
    clock.advance(20 * DAY_S * 1_000);
    const second = pairOf(await visitDashboard("demo-free"));
    clock.advance(10 * DAY_S * 1_000 - 1);
    expect(await classOf(page_id, first)).toBe("owner");
    clock.advance(1);
    expect(await classOf(page_id, first)).toBe("human");
    expect(await classOf(page_id, second)).toBe("owner");
  });

  test("has room for sixty pages of the longest ids in the 4,096 bytes of a cookie", async () => {
    const longest = () => crypto.randomUUID() + crypto.randomUUID().slice(8);
    const ids = Array.from({ length: OWNER_COOKIE_PAGES_MAX + 1 }, longest);
    expect(ids[0]).toHaveLength(64);
    await Promise.all(ids.map((page_id) => freshPage({ owner_id: "demo-business", page_id })));
    // The page that is visited is always among them.
    const visited = ids.sort().at(-1) ?? "";
    const line = await visitDashboard("demo-business", `/dashboard/${visited}`);
    expect(line.length).toBeLessThanOrEqual(4_096);
    const named = textOf(line).split(".").slice(1, -1);
    expect(named).toHaveLength(OWNER_COOKIE_PAGES_MAX);
    for (const page_id of [visited, named.at(-1) ?? ""]) {
      expect(await classOf(page_id, pairOf(line))).toBe("owner");
    }
  });

  test("is removed by a dashboard without pages", async () => {
    await env.DB.prepare("UPDATE pages SET owner_id = NULL WHERE owner_id = 'demo-pro'").run();
    expect(pairOf(await visitDashboard("demo-pro"))).toBe(`${HOST_NAME}=`);
  });
});

describe("S24: at sign-out the cookie", () => {
  async function logOut(
    headers: Record<string, string>,
    origin = ORIGIN,
  ): Promise<{ status: number; line: string }> {
    const response = await call(`${origin}/api/auth/logout`, { method: "POST", headers });
    return { status: response.status, line: response.headers.get("Set-Cookie") ?? "" };
  }

  const ourPage = async () => (await creator("demo-pro")).headers;

  const GONE = ["HttpOnly", "Max-Age=0", "Path=/", "SameSite=Lax", "Secure"];

  test("is removed under the name and attributes with which it was set", async () => {
    await freshPage({ owner_id: "demo-pro" });
    const set = await visitDashboard("demo-pro");
    const { status, line } = await logOut(await ourPage());
    expect([status, pairOf(line)]).toEqual([204, `${HOST_NAME}=`]);
    expect(attributesOf(line)).toEqual(GONE);
    const age = (attribute: string) => !attribute.startsWith("Max-Age");
    expect(attributesOf(set).filter(age)).toEqual(GONE.filter(age));
  });

  test("is removed even without a session", async () => {
    for (const headers of [{}, { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" }]) {
      const { status, line } = await logOut(headers);
      expect([status, pairOf(line), attributesOf(line)]).toEqual([204, `${HOST_NAME}=`, GONE]);
    }
    const headers = await ourPage();
    await logOut(headers);
    expect((await logOut(headers)).line).toContain("Max-Age=0");
  });

  test("is removed under its plain name off https", async () => {
    const { line } = await logOut({}, LOCAL);
    expect([pairOf(line), attributesOf(line)]).toEqual([
      `${PLAIN_NAME}=`,
      GONE.filter((attribute) => attribute !== "Secure"),
    ]);
  });

  test("stays if the sign-out failed, or if another site requested it", async () => {
    const headers = await ourPage();
    await hubFault("/api/logout", "error");
    expect(await logOut(headers)).toEqual({ status: 502, line: "" });
    expect(await logOut({ ...headers, "X-CSRF-Token": "x" })).toEqual({ status: 403, line: "" });
    for (const foreign of [
      { "Sec-Fetch-Site": "cross-site" },
      { Origin: "https://evil.example" },
    ]) {
      expect(await logOut(foreign)).toEqual({ status: 204, line: "" });
    }
  });
});

describe("S24: nobody makes a visit look like the owner's", () => {
  const until = () => now_s() + 60;

  test("with a cookie of another name: on https the one with __Host-, off https the plain one", async () => {
    const host = await ownerCookieValue(key(), HOST_NAME, ["p"], until());
    const plain = await ownerCookieValue(key(), PLAIN_NAME, ["p"], until());
    expect(await classOf("p", `${HOST_NAME}=${host}`)).toBe("owner");
    expect(await classOf("p", `${PLAIN_NAME}=${plain}`, LOCAL)).toBe("owner");
    for (const [cookie, origin] of [
      [`${PLAIN_NAME}=${host}`, ORIGIN],
      [`${PLAIN_NAME}=${plain}`, ORIGIN],
      [`${HOST_NAME}=${plain}`, ORIGIN],
      [`x${HOST_NAME}=${host}`, ORIGIN],
      // For browsers the name has no prefix, so any host of the domain may set this cookie.
      [`\u00a0${HOST_NAME}=${host}`, ORIGIN],
      [`a=${HOST_NAME}=${host}`, ORIGIN],
      [`a="; ${PLAIN_NAME}=${host}"`, ORIGIN],
      [`${HOST_NAME}=${host}`, LOCAL],
      [`${PLAIN_NAME}=${host}`, LOCAL],
    ] as const) {
      expect([cookie, await classOf("p", cookie, origin)]).toEqual([cookie, "human"]);
    }
  });

  test("with a value that was not signed, or not by this deployment, for this page, or as it is", async () => {
    const other_key = Secret.parse(crypto.getRandomValues(new Uint8Array(32)).toHex());
    if (typeof other_key === "string") throw new Error(other_key);
    const { SENDER_KEY } = requireConfig(env, "counting");
    const expires_s = until();
    const right = await ownerCookieValue(key(), HOST_NAME, ["p", "q", "r"], expires_s);
    const signature = right.slice(-64);
    for (const value of [
      ...["p", "", `${expires_s}.p`, `${expires_s}.p.${"0".repeat(64)}`],
      await ownerCookieValue(other_key, HOST_NAME, ["p"], expires_s),
      await ownerCookieValue(SENDER_KEY, HOST_NAME, ["p"], expires_s),
      await ownerCookieValue(key(), HOST_NAME, ["q", "r"], expires_s),
      await ownerCookieValue(key(), HOST_NAME, ["px", "P"], expires_s),
      await ownerCookieValue(key(), HOST_NAME, ["p"], now_s()),
      await ownerCookieValue(key(), "session", ["p"], expires_s),
      // The next test has all others that differ from a valid one in a character.
      ...[`"${right}"`, right.toUpperCase()],
      `${expires_s}.q.p.r.${signature}`,
      `${expires_s}.p.${signature}`,
      `${expires_s + 1}.p.q.r.${signature}`,
    ]) {
      expect([value, await classOf("p", `${HOST_NAME}=${value}`)]).toEqual([value, "human"]);
    }
    expect(await classOf("p", `${HOST_NAME}=${right}`)).toBe("owner");
  });

  test("with any change to a valid one", async () => {
    const right = await ownerCookieValue(key(), HOST_NAME, ["p", "q"], until());
    await fc.assert(
      fc.asyncProperty(
        fc.nat(right.length - 1),
        fc.constantFrom(..."0123456789abcdefpq._-AZ~"),
        fc.constantFrom("replace", "insert", "remove"),
        async (at, char, how) => {
          const middle = how === "replace" ? char : how === "insert" ? char + right[at] : "";
          const changed = right.slice(0, at) + middle + right.slice(at + 1);
          if (changed === right) return;
          expect(await classOf("p", `${HOST_NAME}=${changed}`)).toBe("human");
        },
      ),
      { numRuns: cases(400) },
    );
  });

  test("by sending it several times: other cookies of that name have no effect", async () => {
    const valid = await ownerCookie("p");
    const planted = `${HOST_NAME}=1.p.${"0".repeat(64)}`;
    const foreign = await ownerCookie("q");
    for (const cookies of [
      [planted, valid],
      [valid, planted],
      [foreign, valid],
      [planted, foreign, valid],
      [valid, valid],
    ]) {
      expect(await classOf("p", cookies.join("; "))).toBe("owner");
    }
    for (const cookies of [[planted, planted], [foreign, planted], [foreign]]) {
      expect(await classOf("p", cookies.join("; "))).toBe("human");
    }
    const [name = "", value = ""] = valid.split("=");
    expect(await classOf("p", `${name}=${value.slice(0, 40)}; ${name}=${value.slice(40)}`)).toBe(
      "human",
    );
  });

  test(`by sending thousands: ${OWNER_COOKIES_READ_MAX} are looked at`, async () => {
    const signing = vi.spyOn(crypto.subtle, "sign");
    const forged = `${HOST_NAME}=${until()}.p.${"0".repeat(64)}`;
    const before = Array(OWNER_COOKIES_READ_MAX - 1).fill(forged);
    expect(await classOf("p", [...before, await ownerCookie("p")].join(";"))).toBe("owner");
    expect(await classOf("p", [forged, ...before, await ownerCookie("p")].join(";"))).toBe("human");
    signing.mockClear();
    expect(await classOf("p", Array(1_000).fill(forged).join("; "))).toBe("human");
    expect(signing.mock.calls.length).toBeLessThanOrEqual(OWNER_COOKIES_READ_MAX);
  });

  test("and an event without the cookie, or with another page's, has nothing hashed", async () => {
    const signing = vi.spyOn(crypto.subtle, "sign");
    const others = await ownerCookie("q");
    signing.mockClear();
    expect(await classOf("p", "a=b; hub_session=x")).toBe("human");
    expect(await classOf("p", others)).toBe("human");
    expect(signing).not.toHaveBeenCalled();
  });
});

test("a session cookie behind another blank than a space is not the hub's", async () => {
  const Cookie = await signIn("demo-pro");
  for (const blank of ["\u00a0", "\v", "\f"]) {
    const response = await call("/api/auth/session", { headers: { Cookie: `${blank}${Cookie}` } });
    expect(await response.json()).toMatchObject({ authenticated: false });
  }
});
