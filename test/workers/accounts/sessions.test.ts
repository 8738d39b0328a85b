/** Cached sessions: valid for a minute at most, and not after a revocation. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  deleteOldAccountChanges,
  noteAccountChanged,
  readAccountTimes,
} from "../../../src/accounts/accounts-store.ts";
import { User } from "../../../src/accounts/hub-answers.ts";
import { SESSION_CACHE_MS } from "../../../src/accounts/limits.ts";
import { stopClock } from "../kit/faults.ts";
import { changePlan, hubCalls, hubFault, revoke, signIn } from "../kit/hub-kit.ts";
import { call } from "../kit/kit.ts";

const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
const kv: KVNamespace = Object.getPrototypeOf(env.KV);

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

/** The plan of the signed-in user, or null. */
async function planOf(cookie: string): Promise<string | null> {
  const response = await call("/api/auth/session", { headers: { Cookie: cookie } });
  expect(response.status).toBe(200);
  return (await response.json<{ user: { plan: string } | null }>()).user?.plan ?? null;
}

/** Session requests to the hub since the last call. */
async function questions(): Promise<number> {
  return (await hubCalls()).filter(({ path }) => path === "/api/session").length;
}

test("S12: a user's name from the hub is answered without bidi controls", async () => {
  const user = { id: "u", email: "a@b.example", plan: "pro", locale: "ar" };
  expect(User.parse({ ...user, name: "\u202eليان\u2066\0" }).name).toBe("ليان");
});

describe("the hub's word about a session", () => {
  test("is requested once in 60 s", async () => {
    const clock = stopClock();
    const cookie = await signIn("demo-pro");
    await questions();
    for (let i = 0; i < 5; i += 1) expect(await planOf(cookie)).toBe("pro");
    expect(await questions()).toBe(1);
    clock.advance(SESSION_CACHE_MS - 1);
    await planOf(cookie);
    expect(await questions()).toBe(0);
    clock.advance(1);
    await planOf(cookie);
    expect(await questions()).toBe(1);
  });

  test("is used while the hub is down, but not longer than its minute", async () => {
    const clock = stopClock();
    const cookie = await signIn("demo-pro");
    await planOf(cookie);
    await hubFault("*", "down");
    expect(await planOf(cookie)).toBe("pro");
    clock.advance(SESSION_CACHE_MS);
    const response = await call("/api/auth/session", { headers: { Cookie: cookie } });
    expect(response.status).toBe(502);
  });

  test("ends with the session, even within the minute", async () => {
    const clock = stopClock();
    const cookie = await signIn("demo-pro", 30);
    expect(await planOf(cookie)).toBe("pro");
    // A little later, because the hub's clock has moved on.
    clock.advance(35_000);
    await hubFault("*", "down");
    const response = await call("/api/auth/session", { headers: { Cookie: cookie } });
    expect(response.status).toBe(502);
  });

  test("is requested again after a change of the account", async () => {
    const cookie = await signIn("demo-business");
    expect(await planOf(cookie)).toBe("business");
    await changePlan("demo-business", "free");
    expect(await planOf(cookie)).toBe("business");
    await noteAccountChanged(env.DB, "demo-business").run();
    expect(await planOf(cookie)).toBe("free");
    await changePlan("demo-business", "business");
    await noteAccountChanged(env.DB, "demo-business").run();
    await revoke("demo-business");
    expect(await planOf(cookie)).toBeNull();
  });

  test("of one account is not invalidated with another's", async () => {
    const cookie = await signIn("demo-pro");
    await planOf(cookie);
    await noteAccountChanged(env.DB, "demo-free").run();
    await questions();
    expect(await planOf(cookie)).toBe("pro");
    expect(await questions()).toBe(0);
  });

  test("is not cached if the account changed while it was under way", async () => {
    const cookie = await signIn("demo-free");
    const real = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const answer = await real(input, init);
      await revoke("demo-free");
      await noteAccountChanged(env.DB, "demo-free").run();
      return answer;
    });
    expect(await planOf(cookie)).toBe("free");
    vi.restoreAllMocks();
    expect(await planOf(cookie)).toBeNull();
  });

  test("is cached under a keyed hash, without the cookie, with an expiry in KV", async () => {
    const put = vi.spyOn(kv, "put");
    const cookie = await signIn("demo-pro");
    await planOf(cookie);
    const [name, value, options] = put.mock.calls[0] ?? [];
    expect(name).toMatch(/^session\/[0-9a-f]{64}$/);
    const secret = cookie.split("=")[1] ?? "";
    expect(secret.length).toBeGreaterThan(20);
    expect(`${name}${value}`).not.toContain(secret);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
    expect(name).not.toContain(new Uint8Array(digest).toHex());
    expect(options).toEqual({ expirationTtl: 60 });
  });
});

describe("without its stores a session", () => {
  test("is requested each time if KV fails, or has an invalid value", async () => {
    const cookie = await signIn("demo-pro");
    const get = vi.spyOn(kv, "get").mockRejectedValue(new Error("KV is down"));
    vi.spyOn(kv, "put").mockRejectedValue(new Error("KV is down"));
    await questions();
    expect(await planOf(cookie)).toBe("pro");
    expect(await planOf(cookie)).toBe("pro");
    expect(await questions()).toBe(2);
    for (const value of [{}, [], "x", { user: { id: "demo-pro" }, until: Date.now() + 9e9 }]) {
      get.mockResolvedValue(value as never);
      expect(await planOf(cookie)).toBe("pro");
    }
    expect(await questions()).toBe(4);
  });

  test("is valid only by the hub's own answer while D1 cannot confirm it", async () => {
    const cookie = await signIn("demo-pro");
    await planOf(cookie);
    vi.spyOn(statement, "first").mockRejectedValue(new Error("D1 is down"));
    await questions();
    expect(await planOf(cookie)).toBe("pro");
    expect(await questions()).toBe(1);
    await hubFault("/api/session", "down");
    const response = await call("/api/auth/session", { headers: { Cookie: cookie } });
    expect(response.status).toBe(502);
  });
});

test("a change of an account is deleted when no cached session can be older, and never reverted", async () => {
  await noteAccountChanged(env.DB, "someone").run();
  const { changed_at, now } = await readAccountTimes(env.DB, "someone");
  expect(changed_at).toBeGreaterThan(0);
  expect(now).toBeGreaterThanOrEqual(changed_at);
  await env.DB.prepare("UPDATE accounts SET changed_at = changed_at + 5000").run();
  await noteAccountChanged(env.DB, "someone").run();
  expect((await readAccountTimes(env.DB, "someone")).changed_at).toBe(changed_at + 5_000);
  await deleteOldAccountChanges(env.DB, 60_000).run();
  expect((await readAccountTimes(env.DB, "someone")).changed_at).toBe(changed_at + 5_000);
  await env.DB.prepare("UPDATE accounts SET changed_at = 1").run();
  await deleteOldAccountChanges(env.DB, 60_000).run();
  expect((await readAccountTimes(env.DB, "someone")).changed_at).toBe(0);
});
