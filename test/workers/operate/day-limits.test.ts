/**
 * F42: a free account has reached a limit of the day, which the platform says in every answer until midnight UTC. No
 * acknowledged event is lost, one that was refused counts with its id, and links redirect.
 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import { DAY_LIMIT_RETRY_AFTER_S } from "../../../src/http/api-error.ts";
import { stopClock, useUpD1, useUpRows } from "../kit/faults.ts";
import { signIn } from "../kit/hub-kit.ts";
import { beacon, call, count, expectErrors, freshPage, pageObject, sums } from "../kit/kit.ts";

const OWNER = "demo-pro";

let clock: ReturnType<typeof stopClock>;

beforeEach(() => {
  clock = stopClock();
  expectErrors();
});

const alarmOf = (page_id: string) => runDurableObjectAlarm(pageObject(page_id));

async function expectRefused(response: Response): Promise<void> {
  const after = response.headers.get("Retry-After");
  expect([response.status, after]).toEqual([503, String(DAY_LIMIT_RETRY_AFTER_S)]);
}

async function expectRedirected(page_id: string): Promise<void> {
  const { status, headers } = await call(`/r/${page_id}/shop`);
  expect([status, headers.get("Location")]).toEqual([302, "https://shop.example/"]);
}

test.for(["read", "write"] as const)(
  "F42: D1 refuses to %s for ten hours: events are counted, it is asked rarely, and has all of them after",
  async (what) => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    const { calls, mend } = useUpD1(what);
    for (let minute = 0; minute < 600; minute += 1) {
      clock.advance(60_000);
      if (minute % 100 === 0) expect((await beacon({ page_id })).status).toBe(202);
      const due_at = await runInDurableObject(pageObject(page_id), (_, { storage }) =>
        storage.getAlarm(),
      );
      if (due_at !== null && due_at <= Date.now()) await alarmOf(page_id);
    }
    await expectRedirected(page_id);
    // Ten minutes, shortened by up to a half; without the pauses of a limit it would be asked each minute.
    expect(calls()).toBeLessThan(150);
    expect(calls()).toBeGreaterThan(50);
    mend();
    clock.advance(HOUR_MS);
    await pageObject(page_id).flush();
    expect(await sums(page_id)).toEqual({ accepted: 8, flushed: 8, pending: 0 });
  },
);

test("F42: objects write no row: beacons are refused for ten minutes, links redirect, and nothing is lost", async () => {
  const { page_id } = await freshPage({ owner_id: OWNER });
  const headers = { Cookie: await signIn(OWNER) };
  const [asleep, silent] = [await freshPage(), await freshPage()];
  for (const page of [{ page_id }, asleep, silent]) await count(page.page_id, 5);
  await evictDurableObject(pageObject(asleep.page_id));
  const { mend } = await useUpRows(page_id);
  for (const id of [page_id, asleep.page_id]) {
    await expectRefused(await beacon({ page_id: id, event_id: "kept" }));
    await expectRedirected(id);
    expect(await sums(id)).toMatchObject({ accepted: 5 });
    // D1 takes the flush, and the object can neither note it nor set an alarm.
    await alarmOf(id).catch(() => {});
    expect(await sums(id)).toMatchObject({ accepted: 5 });
  }
  expect((await call(`/dashboard/${page_id}`, { headers })).status).toBe(200);
  // Sign-in is closed while no limit can be counted.
  expect((await call("/api/auth/session")).status).toBe(503);

  await alarmOf(silent.page_id).catch(() => {});

  mend();
  clock.advance(HOUR_MS / 2);
  expect(await pageObject(silent.page_id).sweep()).toBe("rearmed");
  await alarmOf(silent.page_id);
  expect(await sums(silent.page_id)).toEqual({ accepted: 5, flushed: 5, pending: 0 });
  for (const id of [page_id, asleep.page_id]) {
    const sent = await beacon({ page_id: id, event_id: "kept" });
    expect([sent.status, sent.headers.get("X-Beacon-Outcome")]).toEqual([202, "counted"]);
    await pageObject(id).flush();
    expect(await sums(id)).toEqual({ accepted: 6, flushed: 6, pending: 0 });
  }
});

test("F42: no object is called any more: beacons are refused for ten minutes, and links redirect", async () => {
  const { page_id } = await freshPage();
  const refuse = () => {
    throw new Error("Exceeded allowed volume of requests in Durable Objects free tier.");
  };
  vi.spyOn(env.PAGE, "getByName").mockImplementation(refuse);
  vi.spyOn(env.LIMITER, "getByName").mockImplementation(refuse);
  await expectRefused(await beacon({ page_id }));
  await expectRedirected(page_id);
  expect((await call("/api/auth/session")).status).toBe(503);
});
