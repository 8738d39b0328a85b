/**
 * A page with few events that nobody looks at: what an event costs until D1 has confirmed it, how
 * long that takes, and that whoever looks gets fresh numbers.
 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { PageEvent } from "../../../objects/events/event.ts";
import { packEvents } from "../../../objects/events/packed-events.ts";
import { QUIET_EVENTS_MAX } from "../../../objects/page/page-ledger.ts";
import { PageObject } from "../../../objects/page/page-object.ts";
import { JOURNAL_KEPT_MAX } from "../../../objects/page/tables/page-tables.ts";
import type { Stats } from "../../../src/stats/stats-shape.ts";
import { breakD1, stopClock } from "../kit/faults.ts";
import { signIn } from "../kit/hub-kit.ts";
import {
  beacon,
  call,
  eventOf,
  freshPage,
  pageObject,
  recordAll,
  sums,
  tallyRows,
} from "../kit/kit.ts";
import { rowsWritten, rowsWrittenToD1 } from "../kit/rows-written.ts";

const OWNER = "demo-pro";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let clock: ReturnType<typeof stopClock>;

beforeEach(() => {
  clock = stopClock();
  clock.set(Math.ceil(Date.now() / DAY_MS) * DAY_MS + 12 * HOUR_MS);
  // The jitter of alarms.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});

/** A page that has had two events today, which D1 has; its object sleeps. */
async function quietPage(): Promise<string> {
  const { page_id } = await freshPage({ owner_id: OWNER, time_zone: "UTC" });
  await beacon({ page_id });
  await beacon({ page_id, link_id: "shop" });
  await runDurableObjectAlarm(pageObject(page_id));
  await evictDurableObject(pageObject(page_id));
  clock.advance(HOUR_MS);
  return page_id;
}

function bots(n: number): PageEvent[] {
  return Array.from({ length: n }, (_, i) => eventOf(`bot-${i}`, { class: "bot" }));
}

/** Milliseconds until the alarm. */
async function alarmIn(page_id: string): Promise<number> {
  const at = await runInDurableObject(pageObject(page_id), (_, { storage }) => storage.getAlarm());
  return (at ?? Number.POSITIVE_INFINITY) - Date.now();
}

async function inD1(page_id: string): Promise<number> {
  return (await tallyRows(page_id)).reduce((sum, { n }) => sum + n, 0);
}

/** Rows of the object and of D1; the object sleeps afterwards. */
async function allRows(page_id: string, work: () => Promise<unknown>): Promise<number> {
  let d1 = 0;
  const object = await rowsWritten(pageObject(page_id), async () => {
    d1 = await rowsWrittenToD1(work);
  });
  await evictDurableObject(pageObject(page_id));
  return object + d1;
}

describe("all rows until D1 has confirmed an event, in its object and in D1", () => {
  test("are at most 6 for a lone event", async () => {
    const page_id = await quietPage();
    let rows = await allRows(page_id, () => beacon({ page_id }));
    // The journal and the alarm.
    expect(rows).toBe(2);
    rows += await allRows(page_id, () => runDurableObjectAlarm(pageObject(page_id)));
    expect(await sums(page_id)).toEqual({ accepted: 3, flushed: 3, pending: 0 });
    expect(await inD1(page_id)).toBe(3);
    // A tally, the day, how far D1 has confirmed, and the alarm of the day's end.
    expect(rows).toBeLessThanOrEqual(6);
  });

  test("are at most 2.7 per event of a page with one in ten minutes, its day's end included", async () => {
    const page_id = await quietPage();
    let rows = 0;
    let events = 2;
    const runDueAlarm = async () => {
      if ((await alarmIn(page_id)) > 0) return;
      rows += await allRows(page_id, () => runDurableObjectAlarm(pageObject(page_id)));
    };
    for (; events < 2 + 36; events += 1) {
      const link_id = events % 3 === 0 ? { link_id: "shop" } : {};
      rows += await allRows(page_id, () => beacon({ page_id, ...link_id }));
      for (let minute = 0; minute < 10; minute += 1) {
        clock.advance(MINUTE_MS);
        await runDueAlarm();
      }
    }
    clock.advance(DAY_MS);
    await runDueAlarm();
    expect(await sums(page_id)).toEqual({ accepted: events, flushed: events, pending: 0 });
    expect(await inD1(page_id)).toBe(events);
    expect(rows / 36).toBeLessThanOrEqual(2.7);
  });
});

describe("an event of a page that nobody looks at", () => {
  test("I3: reaches D1 within the hour, jittered", async () => {
    const page_id = await quietPage();
    await beacon({ page_id });
    expect(await alarmIn(page_id)).toBeGreaterThanOrEqual(45 * MINUTE_MS);
    expect(await alarmIn(page_id)).toBeLessThanOrEqual(60 * MINUTE_MS);
    expect(await pageObject(page_id).sweep()).toBe("healthy");
  });

  test("F8: is flushed at once after a sweep that finds its alarm lost", async () => {
    const page_id = await quietPage();
    await beacon({ page_id });
    await runInDurableObject(pageObject(page_id), (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(pageObject(page_id));
    expect(await pageObject(page_id).sweep()).toBe("rearmed");
    expect(await alarmIn(page_id)).toBeLessThanOrEqual(0);
  });

  test.each<[string, before: (page_id: string) => Promise<unknown>]>([
    [
      "as one of many that wait",
      async (page_id) => {
        // Two short of the first milestone, which would be a reason of its own.
        await recordAll(page_id, bots(QUIET_EVENTS_MAX - 2));
        await beacon({ page_id });
        expect(await alarmIn(page_id)).toBeGreaterThan(MINUTE_MS);
      },
    ],
    [
      "completing a milestone",
      async (page_id) => {
        const views = Array.from({ length: 98 }, (_, i) => eventOf(`view-${i}`));
        await recordAll(page_id, views);
        await runDurableObjectAlarm(pageObject(page_id));
      },
    ],
    ["after a look at the page's numbers", (page_id) => pageObject(page_id).look()],
  ])("reaches D1 within FLUSH_SECONDS %s", async (_, before) => {
    const page_id = await quietPage();
    await before(page_id);
    await beacon({ page_id });
    expect(await alarmIn(page_id)).toBeLessThanOrEqual(MINUTE_MS);
  });
});

describe("a quiet page", () => {
  test("S16: deletes the visitors of a day in time, however far its flush is", async () => {
    const page_id = await quietPage();
    clock.set(Math.ceil(Date.now() / DAY_MS) * DAY_MS - 2 * MINUTE_MS);
    await runDurableObjectAlarm(pageObject(page_id));
    await beacon({ page_id });
    // Ten minutes after midnight.
    expect(await alarmIn(page_id)).toBeLessThanOrEqual(12 * MINUTE_MS);
  });

  test("F29: clears a journal that events which do not count have filled", async () => {
    const page_id = await quietPage();
    const view = { class: "human", link_id: "", visitor: "192.0.2.1\nx", origin: {} } as const;
    const long = { utm_source: "\u{1f3f7}".repeat(100), utm_medium: "\u{1f4e3}".repeat(100) };
    await runInDurableObject(pageObject(page_id), async (page: PageObject) => {
      await page.changed();
      for (let batch = 0; batch < 40; batch += 1) {
        const events = Array.from({ length: 1_000 }, (_, i) => {
          const key = (i === 0 ? `${batch + 1}` : "f").padStart(16, "0");
          const origin = { ...long, utm_campaign: `${batch} ${i}`.padEnd(100, "\u{1f4e3}") };
          return { ...view, key, origin };
        });
        await page.recordBatch(packEvents(events));
      }
    });
    // Urgent while it is full, and never again after the flush.
    expect(await alarmIn(page_id)).toBeLessThanOrEqual(0);
    await runDurableObjectAlarm(pageObject(page_id));
    await beacon({ page_id });
    expect(await alarmIn(page_id)).toBeGreaterThan(MINUTE_MS);
  });

  test("F5: shares one flush among all who look while D1 does not answer", async () => {
    const page_id = await quietPage();
    await beacon({ page_id });
    clock.advance(30 * MINUTE_MS);
    const { calls, mend } = breakD1("before");
    await Promise.all(Array.from({ length: 10 }, () => pageObject(page_id).look()));
    mend();
    expect(calls()).toBeLessThanOrEqual(2);
    await pageObject(page_id).flush();
    expect(await sums(page_id)).toEqual({ accepted: 3, flushed: 3, pending: 0 });
  });
});

describe("a look at the numbers", () => {
  const openList = async () => {
    const headers = { Cookie: await signIn(OWNER), Accept: "text/html" };
    expect((await call("/dashboard", { headers })).status).toBe(200);
  };

  test("flushes what has waited for longer than FLUSH_SECONDS, and nothing younger", async () => {
    const page_id = await quietPage();
    await beacon({ page_id });
    clock.advance(61_000);
    await evictDurableObject(pageObject(page_id));
    expect((await pageObject(page_id).snapshot()).watermark).toBe(Date.now());
    expect(await inD1(page_id)).toBe(3);
    await beacon({ page_id });
    clock.advance(59_000);
    const { watermark } = await pageObject(page_id).snapshot();
    expect(watermark).toBe(Date.now() - 59_000);
    expect(await inD1(page_id)).toBe(3);
  });

  test("F4: says how old the numbers are while D1 refuses, and waits for no retry", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const page_id = await quietPage();
    await beacon({ page_id });
    const sent_at = Date.now();
    clock.advance(30 * MINUTE_MS);
    const { mend } = breakD1("before");
    const { watermark } = await pageObject(page_id).snapshot();
    mend();
    expect(watermark).toBe(sent_at);
    expect(await sums(page_id)).toEqual({ accepted: 3, flushed: 2, pending: 1 });
    expect(await alarmIn(page_id)).toBeLessThanOrEqual(MINUTE_MS);
  });

  test("makes the answer of the statistics as fresh as FLUSH_SECONDS says", async () => {
    const page_id = await quietPage();
    await beacon({ page_id });
    clock.advance(30 * MINUTE_MS);
    const Cookie = await signIn(OWNER);
    const answer = await call(`/api/me/pages/${page_id}/stats`, { headers: { Cookie } });
    const { as_of, pending } = await answer.json<Stats>();
    expect(Date.now() - Date.parse(as_of)).toBeLessThanOrEqual(MINUTE_MS);
    expect(pending).toEqual({ views: 0, clicks: 0 });
  });

  test("is what the list of the creator's pages does for each of them", async () => {
    const page_id = await quietPage();
    await beacon({ page_id });
    clock.advance(30 * MINUTE_MS);
    await openList();
    expect(await inD1(page_id)).toBe(3);
  });

  test("F5: keeps the list of pages waiting for a second at most", async () => {
    vi.spyOn(PageObject.prototype, "look").mockImplementation(async () => {
      await scheduler.wait(60_000);
      return [];
    });
    await quietPage();
    await openList();
  });
});

describe("a journal that is flushed and kept", () => {
  const rowsOf = (page_id: string, table: string) =>
    runInDurableObject(pageObject(page_id), (_, { storage }) =>
      storage.sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`).one(),
    ).then(({ n }) => n);

  test("is known to be in D1 after an eviction, and no event after it is", async () => {
    const page_id = await quietPage();
    await beacon({ page_id });
    await pageObject(page_id).flush();
    await evictDurableObject(pageObject(page_id));
    expect(await rowsOf(page_id, "journal")).toBe(1);
    expect(await sums(page_id)).toEqual({ accepted: 3, flushed: 3, pending: 0 });
    await beacon({ page_id });
    await evictDurableObject(pageObject(page_id));
    expect(await sums(page_id)).toEqual({ accepted: 4, flushed: 3, pending: 1 });
    expect((await pageObject(page_id).snapshot()).watermark).toBe(Date.now());
  });

  test("has as many visitors and breakdowns in D1 as after a checkpoint", async () => {
    const page_id = await quietPage();
    const day = () =>
      env.DB.prepare("SELECT visitors, breakdowns, version FROM days WHERE page_id = ?1")
        .bind(page_id)
        .first<{ visitors: number; breakdowns: string; version: number }>();
    const ip = "192.0.2.1";
    for (let i = 0; i < 3; i += 1) {
      await beacon({ page_id, utm_source: "news" }, { ip });
      await pageObject(page_id).flush();
      await evictDurableObject(pageObject(page_id));
    }
    const kept = await day();
    // Two addresses of before, and this one.
    expect(kept?.visitors).toBe(3);
    expect(JSON.parse(kept?.breakdowns ?? "")).toMatchObject({ utm_source: { news: [3, 0] } });
    await runInDurableObject(pageObject(page_id), (_, { storage }) =>
      storage.sql.exec("UPDATE days SET flushed_version = 0"),
    );
    await beacon({ page_id, utm_source: "news" }, { ip });
    clock.advance(DAY_MS);
    await runDurableObjectAlarm(pageObject(page_id));
    expect(await rowsOf(page_id, "journal")).toBe(0);
    expect((await day())?.visitors).toBe(3);
    expect((await day())?.version).toBe((kept?.version ?? 0) + 1);
  });

  test(`is folded once it has more than ${JOURNAL_KEPT_MAX} events`, async () => {
    const page_id = await quietPage();
    await recordAll(page_id, bots(JOURNAL_KEPT_MAX));
    await pageObject(page_id).flush();
    expect(await rowsOf(page_id, "journal")).toBeGreaterThan(0);
    await beacon({ page_id }, { headers: { "User-Agent": "Googlebot/2.1" } });
    await pageObject(page_id).flush();
    expect(await rowsOf(page_id, "journal")).toBe(0);
    expect(await inD1(page_id)).toBe(JOURNAL_KEPT_MAX + 3);
  });
});
