import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { parseList } from "structured-headers";
import { describe, expect, test, vi } from "vitest";
import { bytesOf } from "../../../objects/limiter/packed-admissions.ts";
import { RateLimiter } from "../../../objects/limiter/rate-limiter.ts";
import { parseSender, senderName } from "../../../src/http/sender.ts";
import { speedUpTimers, stopClock } from "../kit/faults.ts";
import {
  beacon,
  call,
  errorOf,
  expectErrors,
  freshAddress,
  freshPage,
  freshSender,
  SENDER_KEY,
  useUp,
} from "../kit/kit.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The rows of a limiter object by their keys, those of the journal as times and senders. */
function stored(stub: DurableObjectStub<RateLimiter>) {
  return runInDurableObject(stub, (_, { storage }) =>
    [...storage.kv.list()].map(([key, value]) => [
      key,
      value instanceof Uint8Array ? entriesOf(value) : value,
    ]),
  );
}

function entriesOf(row: Uint8Array): [at: number, sender: string][] {
  const hex = (bytes: Uint8Array) =>
    Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const view = new DataView(row.buffer, row.byteOffset);
  return Array.from({ length: row.length / 24 }, (_, i) => [
    view.getFloat64(24 * i, true),
    hex(row.subarray(24 * i + 8, 24 * i + 24)),
  ]);
}

function bytesOfAll(senders: readonly string[]): Uint8Array {
  return Uint8Array.from(senders.flatMap((sender) => [...bytesOf(sender)]));
}

async function limiterOf(ip: string) {
  return env.LIMITER.getByName(await senderName(SENDER_KEY, parseSender(ip)));
}

/** Somebody who visits a page of their own. */
async function visitor() {
  const [{ page_id }, ip] = [await freshPage(), freshAddress()];
  return { page_id, ip, send: () => beacon({ page_id }, { ip }) };
}

describe("the public limit", () => {
  test("400 questions at once about one sender admit exactly 60", async () => {
    const sender = freshSender();
    const stub = env.LIMITER.getByName(sender);
    const verdicts = await Promise.all(
      Array.from({ length: 400 }, () => stub.check({ sender, scope: "public", limit: 60 })),
    );
    expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(60);
  });

  test("S1: Retry-After rounds up, so waiting that long is always enough, and at most 1 s too long", async () => {
    const clock = stopClock();
    const { ip, send } = await visitor();
    await useUp(ip);
    for (const [advance_ms, retry_after_s] of [
      [58_600, "2"],
      [400, "1"],
      [999, "1"],
    ] as const) {
      clock.advance(advance_ms);
      const refused = await send();
      expect(refused.headers.get("Retry-After")).toBe(retry_after_s);
    }
    clock.advance(1);
    expect((await send()).status).toBe(202);
  });

  test("S2: RateLimit fields are RFC 9651 lists of strings, and t equals Retry-After on a 429", async () => {
    const fieldOf = (response: Response, name: string) =>
      parseList(response.headers.get(name) ?? "").map(([item, parameters]) => [
        item,
        Object.fromEntries(parameters),
      ]);
    const { ip, send } = await visitor();
    const first = await send();
    expect(fieldOf(first, "RateLimit-Policy")).toEqual([["public", { q: 60, w: 60 }]]);
    expect(fieldOf(first, "RateLimit")).toEqual([["public", { r: 59, t: 60 }]]);
    await useUp(ip, "public", 1);
    const refused = await send();
    const retry_after_s = Number(refused.headers.get("Retry-After"));
    expect(fieldOf(refused, "RateLimit")).toEqual([["public", { r: 0, t: retry_after_s }]]);
    expect(await errorOf(refused)).toMatchObject({
      ok: false,
      code: "RATE_LIMITED",
      details: { scope: "public", limit: 60, window_s: 60, retry_after_s },
    });
  });

  test("charges a bad request too, and never a preflight", async () => {
    const ip = freshAddress();
    const bad = await beacon({}, { ip });
    expect(bad.status).toBe(400);
    expect(bad.headers.get("RateLimit")).toBe('"public";r=59;t=60');
    const preflight = await call("/api/analytics/view", { method: "OPTIONS", ip });
    expect(preflight.headers.get("RateLimit")).toBeNull();
    const next = await beacon({}, { ip });
    expect(next.headers.get("RateLimit")).toMatch(/^"public";r=58;/);
  });
});

describe("the limiter object", () => {
  test("stores one row per scope, times and senders only, and deletes itself when the window is over", async () => {
    const clock = stopClock();
    const { ip, send } = await visitor();
    await send();
    const stub = await limiterOf(ip);
    const sender = await senderName(SENDER_KEY, ip);
    expect(await stored(stub)).toEqual([["journal/public/60000/0", [[Date.now(), sender]]]]);

    clock.advance(30_000);
    await send();
    clock.advance(30_000);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    // The second request's window is still open, so the object sets another alarm.
    clock.advance(60_000);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    const left = await runInDurableObject(stub, async (_, { storage }) => ({
      rows: [...storage.kv.list()],
      tables: storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
      alarm: await storage.getAlarm(),
    }));
    expect(left).toEqual({ rows: [], tables: [], alarm: null });
    expect((await send()).headers.get("RateLimit")).toMatch(/^"public";r=59;/);
  });

  test("F16: honours a window that was stored before windows had a length", async () => {
    const clock = stopClock();
    const ip = freshAddress();
    const stub = await limiterOf(ip);
    const sender = await senderName(SENDER_KEY, ip);
    const window = Array.from({ length: 60 }, (_, i) => Date.now() - 59 + i);
    await runInDurableObject(stub, async (_, { storage }) => {
      storage.kv.put(`${sender}/public`, window);
      await storage.setAlarm(Date.now() + 2 * MINUTE_MS);
    });
    await evictDurableObject(stub);
    const check = { sender, scope: "public", limit: 60 };
    clock.advance(MINUTE_MS - 60);
    expect(await stub.check(check)).toMatchObject({ admitted: false, reset_ms: 1 });
    clock.advance(1);
    expect(await stub.check(check)).toMatchObject({ admitted: true, remaining: 0 });
    expect(await stored(stub)).toEqual([
      [`${sender}/public`, window],
      ["journal/public/60000/0", [[Date.now(), sender]]],
    ]);
    await evictDurableObject(stub);
    expect(await stub.check(check)).toMatchObject({ admitted: false, reset_ms: 1 });
    clock.advance(2 * MINUTE_MS);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await stored(stub)).toEqual([]);
  });

  test("S16: deletes a window of a minute within minutes, and one of an hour at its end", async () => {
    const clock = stopClock();
    const sender = freshSender();
    const stub = env.LIMITER.getByName(sender);
    const began = Date.now();
    const alarm = async () => {
      const at = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
      if (at === null) return null;
      clock.set(at);
      await runDurableObjectAlarm(stub);
      return at - began;
    };
    await stub.check({ sender, scope: "error", limit: 30 });
    await stub.check({ sender, scope: "error_group", limit: 5, window_ms: HOUR_MS });
    const hour = [`journal/error_group/${HOUR_MS}/0`, [[began, sender]]];
    expect(await stored(stub)).toEqual([["journal/error/60000/0", [[began, sender]]], hour]);
    // A second visit, whose window is still open at the first alarm.
    clock.set(began + 90_000);
    await stub.check({ sender, scope: "error", limit: 30 });
    expect(await alarm()).toBe(2 * MINUTE_MS);
    expect(await stored(stub)).toHaveLength(2);
    expect(await alarm()).toBe(4 * MINUTE_MS);
    expect(await stored(stub)).toEqual([hour]);
    // Another visit while the object waits for the end of the hour expires as early.
    clock.set(began + 20 * MINUTE_MS);
    await stub.check({ sender, scope: "error", limit: 30 });
    await evictDurableObject(stub);
    expect(await alarm()).toBe(22 * MINUTE_MS);
    expect(await stored(stub)).toEqual([hour]);
    // No alarm runs until the hour is over.
    expect(await alarm()).toBe(HOUR_MS);
    expect(await stored(stub)).toEqual([]);
    expect(await alarm()).toBeNull();
  });

  test("F10: a batch is decided in its order, in the windows of single checks, and outlives evictions", async () => {
    stopClock();
    const shard = env.LIMITER.getByName("shard-1");
    const [one, other] = [freshSender(), freshSender()];
    const limit = { scope: "public", limit: 3 };
    const ask = async (...senders: string[]) => [
      ...(await shard.checkAll({ ...limit, senders: bytesOfAll(senders) })),
    ];
    await shard.check({ ...limit, sender: one });
    expect(await ask(one, other, one, one)).toEqual(
      [
        [1, MINUTE_MS],
        [2, MINUTE_MS],
        [0, MINUTE_MS],
        [-1, MINUTE_MS],
      ].flat(),
    );
    expect(await ask()).toEqual([]);
    await evictDurableObject(shard);
    expect(await ask(other, one)).toEqual([1, MINUTE_MS, -1, MINUTE_MS]);
    expect(await shard.check({ ...limit, sender: other })).toEqual({
      admitted: true,
      remaining: 0,
      reset_ms: MINUTE_MS,
    });
  });

  test("a request that several windows refuse waits for the last of them, and is taken then", async () => {
    const clock = stopClock();
    const limiter = env.LIMITER.getByName(freshSender());
    const [one, both] = [freshSender(), freshSender()];
    const ask = (...parts: { sender: string; limit: number }[]) =>
      limiter.checkTogether({ scope: "public", parts });
    await ask({ sender: one, limit: 1 });
    clock.advance(1_000);
    await ask({ sender: both, limit: 1 });
    const parts = [
      { sender: one, limit: 1 },
      { sender: both, limit: 1 },
    ];
    for (const [asked, refused] of [
      [parts, 1],
      [parts.toReversed(), 0],
    ] as const) {
      expect(await ask(...asked)).toMatchObject({ admitted: false, refused, reset_ms: MINUTE_MS });
    }
    clock.advance(MINUTE_MS - 1);
    expect(await ask(...parts)).toMatchObject({ refused: 1, reset_ms: 1 });
    clock.advance(1);
    expect((await ask(...parts)).admitted).toBe(true);
  });

  test("one setting maps the router's senders to that number of objects", async () => {
    const page = await freshPage();
    const check = vi.spyOn(RateLimiter.prototype, "checkAll");
    const names = new Set<string>();
    check.mockImplementation(function (this: RateLimiter) {
      names.add((this as unknown as { ctx: DurableObjectState }).ctx.id.name ?? "");
      return Promise.resolve(Int32Array.of(1, 1_000));
    });
    env.LIMITER_SHARDS = "4";
    for (let i = 0; i < 40; i += 1) await beacon({ page_id: page.page_id });
    expect([...names].sort()).toEqual(["shard-0", "shard-1", "shard-2", "shard-3"]);
  });
});

describe("while a sender's refusal is in memory", () => {
  test("the router answers by itself and calls no object", async () => {
    const clock = stopClock();
    const { page_id, ip, send } = await visitor();
    await useUp(ip);
    await send();
    const check = vi.spyOn(RateLimiter.prototype, "checkAll");
    for (let i = 0; i < 20; i += 1) {
      const refused = await send();
      expect(refused.status).toBe(429);
      expect(refused.headers.get("Retry-After")).toBe(String(60 - i));
      clock.advance(1_000);
    }
    expect((await call(`/r/${page_id}/shop`, { ip })).headers.get("X-Beacon-Outcome")).toBe(
      "limited",
    );
    expect(check).not.toHaveBeenCalled();
    clock.advance(40_000);
    expect((await send()).status).toBe(202);
    expect(check).toHaveBeenCalledTimes(1);
  });
});

describe("S1: a refusal that took long to arrive", () => {
  test("names a time at which a request without delay is admitted", async () => {
    const clock = stopClock();
    const { ip, send } = await visitor();
    await useUp(ip);
    clock.advance(500);
    const { checkAll: check } = RateLimiter.prototype;
    const slow = vi.spyOn(RateLimiter.prototype, "checkAll").mockImplementation(async function (
      this: RateLimiter,
      request,
    ) {
      clock.advance(300);
      return check.call(this, request);
    });
    await send();
    slow.mockRestore();
    clock.advance(900);
    // The object decided 300 ms after the call: counted from the call, 58 s would be enough.
    const refused = await send();
    expect(refused.headers.get("Retry-After")).toBe("59");
    clock.advance(58_000);
    expect((await send()).status).toBe(429);
    clock.advance(1_000);
    expect((await send()).status).toBe(202);
  });
});

describe("F18: when the limiter object fails", () => {
  const limiterFails = () =>
    vi.spyOn(RateLimiter.prototype, "checkAll").mockImplementation(() => {
      throw new Error("limiter down");
    });

  test("beacons, redirects and pixels go on, and the failure is logged", async () => {
    const page = await freshPage();
    const logged = expectErrors();
    limiterFails();
    expect((await beacon({ page_id: page.page_id })).status).toBe(202);
    expect((await call(`/r/${page.page_id}/shop`)).headers.get("X-Beacon-Outcome")).toBe("counted");
    expect((await call(`/p/${page.page_id}.gif`)).status).toBe(200);
    expect(logged()).toEqual(Array(3).fill("limiter_failed"));
  });

  test("a limiter that does not answer counts as failed", async () => {
    speedUpTimers();
    const page = await freshPage();
    expectErrors();
    vi.spyOn(RateLimiter.prototype, "checkAll").mockImplementation(() => new Promise(() => {}));
    expect((await beacon({ page_id: page.page_id })).status).toBe(202);
  });

  test("auth, tip and newsletter are refused with 503", async () => {
    expectErrors();
    limiterFails();
    for (const path of ["/api/auth/login", "/api/tip", "/api/newsletter"]) {
      const response = await call(path);
      expect(response.status).toBe(503);
      expect((await errorOf(response)).code).toBe("DEPENDENCY_DOWN");
      expect(response.headers.get("Retry-After")).toBe("1");
    }
  });
});
