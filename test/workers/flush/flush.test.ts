import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { FLUSH_TIMEOUT_MS } from "../../../objects/flush/flush-pauses.ts";
import { MONITOR } from "../../../objects/flush/flush-reports.ts";
import type { DayRow } from "../../../objects/page/tables/days.ts";
import type { Tally } from "../../../objects/page/tables/tallies.ts";
import worker from "../../../src/index.ts";
import { editLinkSql } from "../../plain-page.ts";
import { cases } from "../kit/cases.ts";
import {
  backUpCounts,
  breakD1,
  hangD1,
  holdTimers,
  SPEED_UP,
  speedUpTimers,
  stopClock,
} from "../kit/faults.ts";
import {
  beacon,
  call,
  eventOf,
  flushRows,
  freshPage,
  ORIGIN,
  ownerCookie,
  pageObject,
  recordTogether,
  sums,
  tallyRows,
} from "../kit/kit.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

async function inD1(page_id: string): Promise<number> {
  return (await tallyRows(page_id)).reduce((sum, { n }) => sum + n, 0);
}

async function dayRows(page_id: string) {
  const { results } = await env.DB.prepare(
    "SELECT day, visitors, breakdowns, version FROM days WHERE page_id = ?1 ORDER BY day",
  )
    .bind(page_id)
    .all<DayRow>();
  return results;
}

/** The object without its alarm, and not in memory. */
async function loseAlarm(page_id: string): Promise<void> {
  await runInDurableObject(pageObject(page_id), (_, { storage }) => storage.deleteAlarm());
  await evictDurableObject(pageObject(page_id));
}

function alarmOf(page_id: string): Promise<number | null> {
  return runInDurableObject(pageObject(page_id), (_, { storage }) => storage.getAlarm());
}

describe("the alarm", () => {
  test("is armed by the first event for within FLUSH_SECONDS, jittered, and flushes", async () => {
    const clock = stopClock();
    const at = new Set<number>();
    for (let i = 0; i < 4; i += 1) {
      const { page_id } = await freshPage();
      await beacon({ page_id });
      const in_ms = ((await alarmOf(page_id)) ?? 0) - Date.now();
      expect(in_ms).toBeGreaterThanOrEqual(45_000);
      expect(in_ms).toBeLessThanOrEqual(60_000);
      at.add(in_ms);
      clock.advance(10_000);
      await beacon({ page_id });
      expect(((await alarmOf(page_id)) ?? 0) - Date.now()).toBeCloseTo(in_ms - 10_000, -1);
      expect(await runDurableObjectAlarm(pageObject(page_id))).toBe(true);
      expect(await inD1(page_id)).toBe(2);
    }
    expect(at.size).toBeGreaterThan(1);
  });

  test("F6: a second alarm changes nothing", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id, utm_source: "x" });
    const object = pageObject(page_id);
    await runInDurableObject(object, (instance) => instance.onAlarm());
    const once = [await tallyRows(page_id), await dayRows(page_id), await sums(page_id)];
    await runInDurableObject(object, (instance) => instance.onAlarm());
    expect([await tallyRows(page_id), await dayRows(page_id), await sums(page_id)]).toEqual(once);
  });

  test("F6: two flushes at once, with events in between, send every event exactly once", async () => {
    const { page_id } = await freshPage();
    const object = pageObject(page_id);
    await beacon({ page_id });
    await Promise.all([
      object.flush(),
      recordTogether(page_id, [eventOf("second")]),
      object.flush(),
      runInDurableObject(object, (instance) => instance.onAlarm()),
      recordTogether(page_id, [eventOf("third")]),
    ]);
    await object.flush();
    expect(await inD1(page_id)).toBe(3);
    expect(await sums(page_id)).toEqual({ accepted: 3, flushed: 3, pending: 0 });
  });

  test("F9: survives an eviction, and what it flushes is complete", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await evictDurableObject(pageObject(page_id));
    expect(await alarmOf(page_id)).not.toBeNull();
    expect(await runDurableObjectAlarm(pageObject(page_id))).toBe(true);
    expect(await inD1(page_id)).toBe(1);
  });

  test("F8: if it was lost, the next request sets it again", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await loseAlarm(page_id);
    await beacon({ page_id });
    expect(await alarmOf(page_id)).not.toBeNull();
    // An alarm stuck in the past is lost too: the platform gives up after about 140 s.
    await runInDurableObject(pageObject(page_id), (_, { storage }) =>
      storage.setAlarm(Date.now() + 30_000),
    );
    await evictDurableObject(pageObject(page_id));
    clock.advance(5 * MINUTE_MS);
    await beacon({ page_id });
    expect(await alarmOf(page_id)).toBeGreaterThan(Date.now());
    await pageObject(page_id).flush();
  });

  test("F9: is not later than the next flush would be while one is under way, although nothing else is due before midnight", async () => {
    stopClock();
    const { page_id } = await freshPage();
    await beacon({ page_id });
    const d1: D1Database = Object.getPrototypeOf(env.DB);
    const real = d1.batch;
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    vi.spyOn(d1, "batch").mockImplementation(async function (this: D1Database, statements) {
      await answered;
      return real.call(this, statements) as never;
    });
    await runInDurableObject(pageObject(page_id), async (page, { storage }) => {
      // What the platform does when an alarm fires. Where power fails now, the next alarm is what is stored.
      await storage.deleteAlarm();
      const flushing = page.onAlarm();
      await env.DB.prepare(editLinkSql("shop", { label: { ar: "جديد" } }))
        .bind(page_id)
        .run();
      await page.changed();
      expect(
        ((await storage.getAlarm()) ?? Number.POSITIVE_INFINITY) - Date.now(),
      ).toBeLessThanOrEqual(MINUTE_MS);
      answer();
      await flushing;
    });
    expect(await inD1(page_id)).toBe(1);
  });

  test("S16, S17: a failure is logged with its page, and the error redacted", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    const lines: string[] = [];
    vi.spyOn(console, "error").mockImplementation((line) => void lines.push(line));
    const d1 = vi.spyOn(Object.getPrototypeOf(env.DB), "batch");
    d1.mockRejectedValue(new Error("no answer to me@example.com at 203.0.113.7"));
    await runInDurableObject(pageObject(page_id), (instance) => instance.onAlarm());
    vi.restoreAllMocks();
    expect(lines).toHaveLength(1);
    const { event, page_id: logged, cause } = JSON.parse(lines[0] ?? "");
    expect([event, logged]).toEqual(["flush_failed", page_id]);
    expect(cause).toContain("no answer to [redacted] at [redacted]");
    await pageObject(page_id).flush();
  });
});

describe("the cron sweep", () => {
  test("F8: is set again by the sweep while D1 refuses too", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await loseAlarm(page_id);
    const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
    const reading = vi.spyOn(statement, "all").mockRejectedValue(new Error("D1 refuses"));
    await expect(Promise.resolve(pageObject(page_id).sweep())).rejects.toThrow("D1 refuses");
    reading.mockRestore();
    // It is due at once, so it may have run already.
    await runDurableObjectAlarm(pageObject(page_id));
    expect(await inD1(page_id)).toBe(1);
  });

  test("F8: re-arms the objects whose flush is overdue and leaves the others alone", async () => {
    const lost = await freshPage();
    const well = await freshPage();
    const quiet = await freshPage();
    await beacon({ page_id: lost.page_id });
    await beacon({ page_id: well.page_id });
    await loseAlarm(lost.page_id);
    const alarm = await alarmOf(well.page_id);
    await env.MEDIA.delete("cron/sweep-cursor");
    const told = async () =>
      (await env.MONITOR.getByName(MONITOR).numbers())?.total["alarms.lost"] ?? 0;
    const before = await told();
    const waiting: Promise<unknown>[] = [];
    worker.scheduled({} as ScheduledController, env, {
      waitUntil: (promise: Promise<unknown>) => waiting.push(promise),
    } as unknown as ExecutionContext);
    expect(await Promise.all(waiting)).toEqual([1]);
    expect((await told()) - before).toBe(1);
    expect(await alarmOf(well.page_id)).toBe(alarm);
    // The new alarm is due at once, so it may have run already.
    await runDurableObjectAlarm(pageObject(lost.page_id));
    expect(await inD1(lost.page_id)).toBe(1);
    const stored = await runInDurableObject(pageObject(quiet.page_id), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
    );
    expect(stored).toEqual([]);
  });
});

describe("F20: a D1 restored to an older point", () => {
  /**
   * Flushes three hours of events one by one; returns a function that restores D1 to its state after the
   * first.
   */
  async function threeHours(page_id: string, clock: ReturnType<typeof stopClock>) {
    let restore: () => Promise<unknown> = async () => {};
    for (let hour = 0; hour < 3; hour += 1) {
      for (let i = 0; i <= hour; i += 1) await beacon({ page_id });
      await pageObject(page_id).flush();
      if (hour === 0) restore = await backUpCounts(page_id);
      clock.advance(HOUR_MS);
    }
    return restore;
  }

  test("heals at the next sweep, although nothing new is counted", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    const restore = await threeHours(page_id, clock);
    const [before, days] = [await tallyRows(page_id), await dayRows(page_id)];
    expect(before).toHaveLength(3);
    await runDurableObjectAlarm(pageObject(page_id));
    expect(await pageObject(page_id).sweep()).toBe("healthy");
    await restore();
    await evictDurableObject(pageObject(page_id));
    expect(await pageObject(page_id).sweep()).toBe("rearmed");
    expect((await sums(page_id)).flushed).toBe(0);
    await evictDurableObject(pageObject(page_id));
    await pageObject(page_id).flush();
    expect(await tallyRows(page_id)).toEqual(before);
    expect(await dayRows(page_id)).toEqual(days);
    expect(await sums(page_id)).toEqual({ accepted: 6, flushed: 6, pending: 0 });
    expect(await pageObject(page_id).sweep()).toBe("healthy");
  });

  test("heals at the next flush, older hours too", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    const restore = await threeHours(page_id, clock);
    await restore();
    await beacon({ page_id });
    await pageObject(page_id).flush();
    expect((await tallyRows(page_id)).map(({ n }) => n)).toEqual([1, 2, 3, 1]);
    expect(await sums(page_id)).toEqual({ accepted: 7, flushed: 7, pending: 0 });
  });
});

describe("D1 failing", () => {
  test("F4: refusing for six hours, before and after it has written: nothing lost, nothing doubled", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const clock = stopClock();
    const { page_id } = await freshPage();
    let sent = 0;
    const pauses_ms: number[] = [];
    for (let minute = 0; minute < 6 * 60; minute += 15) {
      expect((await beacon({ page_id, event_id: `e${sent}` })).status).toBe(202);
      sent += 1;
      const fault = breakD1(sent % 2 === 1 ? "before" : "after");
      expect(await runDurableObjectAlarm(pageObject(page_id))).toBe(true);
      expect(fault.calls()).toBe(1);
      fault.mend();
      const again_ms = ((await alarmOf(page_id)) ?? 0) - Date.now();
      expect(again_ms).toBeGreaterThan(0);
      pauses_ms.push(again_ms);
      expect(await sums(page_id)).toMatchObject({ accepted: sent, flushed: 0, pending: sent });
      if (minute % 60 === 0) await evictDurableObject(pageObject(page_id));
      clock.advance(15 * MINUTE_MS);
    }
    // From about a second to the minute that I3 allows after D1's recovery.
    expect(pauses_ms[0]).toBeLessThanOrEqual(1_000);
    expect(Math.max(...pauses_ms)).toBeLessThanOrEqual(60_000);
    expect(Math.max(...pauses_ms)).toBeGreaterThan(20_000);
    expect(await inD1(page_id)).toBeLessThanOrEqual(sent);

    expect(await runDurableObjectAlarm(pageObject(page_id))).toBe(true);
    expect(await inD1(page_id)).toBe(sent);
    expect(await sums(page_id)).toEqual({ accepted: sent, flushed: sent, pending: 0 });
    await evictDurableObject(pageObject(page_id));
    expect(await sums(page_id)).toEqual({ accepted: sent, flushed: sent, pending: 0 });
  });

  test("F4: clicks are counted and redirected from the object's data, while D1 refuses all reads", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await evictDurableObject(pageObject(page_id));
    vi.spyOn(Object.getPrototypeOf(env.DB) as D1Database, "prepare").mockImplementation(() => {
      throw new Error("D1 refuses");
    });
    const click = await call(`/r/${page_id}/shop`);
    expect(click.status).toBe(302);
    expect(click.headers.get("Location")).toBe("https://shop.example/");
    expect(click.headers.get("X-Beacon-Outcome")).toBe("counted");
    expect((await beacon({ page_id, link_id: "never-heard-of" })).status).toBe(503);
  });

  test("F5: no request waits for a flush that hangs", async () => {
    holdTimers();
    const { page_id } = await freshPage();
    await beacon({ page_id });
    hangD1();
    runInDurableObject(pageObject(page_id), (instance) => instance.onAlarm()).catch(() => {});
    for (let i = 0; i < 5; i += 1) expect((await beacon({ page_id })).status).toBe(202);
    // The flush ends with its object.
    await abortAllDurableObjects();
  });

  test("F5: hanging, a flush gives up after 30 s, and the next one succeeds", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    speedUpTimers();
    const { page_id } = await freshPage();
    await beacon({ page_id });
    const { mend } = hangD1();
    const started = performance.now();
    const gives_up_ms = FLUSH_TIMEOUT_MS / SPEED_UP;
    await runInDurableObject(pageObject(page_id), (instance) => instance.onAlarm());
    mend();
    expect(performance.now() - started).toBeGreaterThanOrEqual(gives_up_ms - 10);
    expect(await alarmOf(page_id)).not.toBeNull();
    await runDurableObjectAlarm(pageObject(page_id));
    expect(await inD1(page_id)).toBe(1);
    // Alarms of earlier tests may have met it too, and log that they gave up.
    await scheduler.wait(gives_up_ms);
  });

  test("F3: D1 wrote but the object died before the reply: the same numbers are sent again", async () => {
    const { page_id } = await freshPage();
    for (let i = 0; i < 3; i += 1) await beacon({ page_id, utm_source: "spring" });
    const { mend } = breakD1("after");
    await Promise.resolve(pageObject(page_id).flush()).catch(() => {});
    mend();
    expect(await inD1(page_id)).toBe(3);
    await evictDurableObject(pageObject(page_id));
    await beacon({ page_id, utm_source: "spring" });
    await pageObject(page_id).flush();
    expect(await inD1(page_id)).toBe(4);
    expect((await dayRows(page_id)).map(({ breakdowns }) => JSON.parse(breakdowns))).toEqual([
      { utm_source: { spring: [4, 0] } },
    ]);
  });
});

/** The confirmation for a page that D1 never had. */

describe("F7: the merge into D1", () => {
  const tally = (n: number): Tally => ({
    hour: 3_600,
    kind: "click",
    link_id: "shop",
    class: "human",
    n,
  });
  const day = (version: number): DayRow => ({
    day: 0,
    visitors: version,
    breakdowns: JSON.stringify({ country: { SA: [version, 0] } }),
    version,
  });

  test("in any order, repeated or not, ends at the newest numbers, and totals never fall", async () => {
    let pages = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 }),
        async (order) => {
          pages += 1;
          const { page_id } = await freshPage({
            page_id: `merge-${pages}`,
            slug: `merge-${pages}`,
          });
          let highest = 0;
          for (const n of order) {
            await flushRows(page_id, { tallies: [tally(n)], days: [day(n)] });
            highest = Math.max(highest, n);
            expect(await inD1(page_id)).toBe(highest);
            expect(await dayRows(page_id)).toEqual([day(highest)]);
          }
        },
      ),
      { numRuns: cases(50) },
    );
  });
});

describe("the days of a page", () => {
  test("have breakdowns of human events, and count each visitor once a day", async () => {
    const { page_id } = await freshPage();
    const campaign = { utm_source: "news", utm_medium: "mail", utm_campaign: "eid" };
    const headers = {
      "User-Agent":
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    };
    const view = { page_id, referrer: "https://www.example.org/a?q=secret#x", ...campaign };
    await beacon(view, { ip: "192.0.2.1", headers });
    await beacon(view, { ip: "192.0.2.1", headers });
    await beacon({ page_id, link_id: "mail" }, { ip: "192.0.2.1", headers });
    const from_here = { page_id, referrer: `${ORIGIN}/somebody` };
    await beacon(from_here, { ip: "192.0.2.2", headers });
    await evictDurableObject(pageObject(page_id));
    await beacon(view, { ip: "192.0.2.2", headers });
    await pageObject(page_id).flush();
    const [row] = await dayRows(page_id);
    expect(row?.visitors).toBe(2);
    const breakdowns = JSON.parse(row?.breakdowns ?? "");
    expect(breakdowns.referrer).toEqual({ "www.example.org": [3, 0] });
    expect(breakdowns).toMatchObject({
      device: { mobile: [4, 1] },
      utm_source: { news: [3, 0] },
      utm_medium: { mail: [3, 0] },
      utm_campaign: { eid: [3, 0] },
    });
    const { results } = await env.DB.prepare(
      "SELECT dimension, value, views, clicks FROM breakdowns WHERE page_id = ?1 AND dimension = 'device'",
    )
      .bind(page_id)
      .all();
    expect(results).toEqual([{ dimension: "device", value: "mobile", views: 4, clicks: 1 }]);
    expect(JSON.stringify(row)).not.toContain("secret");
  });

  test("leave out bots, owners and the limited", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id, utm_source: "x" }, { headers: { "User-Agent": "Googlebot/2.1" } });
    const owner = { headers: { Cookie: await ownerCookie(page_id) } };
    await beacon({ page_id, utm_source: "x" }, owner);
    await pageObject(page_id).flush();
    expect(await dayRows(page_id)).toEqual([]);
    expect(await inD1(page_id)).toBe(2);
  });
});

describe("privacy", () => {
  const IP = "203.0.113.77";
  const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

  /** All data of a page in its object and in D1, as one text. */
  async function everythingStored(page_id: string): Promise<string> {
    const object = await runInDurableObject(pageObject(page_id), (_, { storage }) => {
      const tables = storage.sql
        .exec<{ name: string }>(
          "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
        )
        .toArray();
      const rows = tables.map(({ name }) => storage.sql.exec(`SELECT * FROM ${name}`).toArray());
      return JSON.stringify([rows, [...storage.kv.list()].map(([key]) => key)]);
    });
    return object + JSON.stringify([await tallyRows(page_id), await dayRows(page_id)]);
  }

  test("S16: no address and no user agent is at rest anywhere, before the flush or after", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id }, { ip: IP, headers: { "User-Agent": AGENT } });
    for (const _ of ["journal", "flushed"]) {
      const stored = await everythingStored(page_id);
      expect(stored).not.toContain(IP);
      expect(stored).not.toContain("Firefox");
      await pageObject(page_id).flush();
    }
  });

  test.each([
    ["Sec-GPC", "1"],
    ["DNT", "1"],
  ])("%s: %s counts the event and keeps nothing else about it", async (name, value) => {
    const { page_id } = await freshPage();
    const response = await beacon(
      { page_id, referrer: "https://a.example/", utm_source: "x" },
      { headers: { [name]: value, "User-Agent": AGENT } },
    );
    expect(response.headers.get("X-Beacon-Outcome")).toBe("counted");
    await pageObject(page_id).flush();
    expect(await inD1(page_id)).toBe(1);
    expect(await dayRows(page_id)).toEqual([]);
    const kept = await runInDurableObject(pageObject(page_id), (_, { storage }) => [
      storage.sql.exec("SELECT * FROM visitors").toArray(),
      [...storage.kv.list({ prefix: "salt:" })],
    ]);
    expect(kept).toEqual([[], []]);
  });

  test("S16: a day's visitors, who was there, senders and key are deleted ten minutes after the day of the page's zone, with and without D1", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const clock = stopClock();
    const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS + DAY_MS - 3 * HOUR_MS;
    clock.set(midnight - 12 * HOUR_MS);
    const { page_id } = await freshPage({ time_zone: "Asia/Riyadh" });
    await beacon({ page_id, utm_source: "news" }, { ip: IP });
    await runDurableObjectAlarm(pageObject(page_id));
    const kept = () =>
      runInDurableObject(pageObject(page_id), (_, { storage: { sql, kv } }) => {
        const rows = (of: string) => sql.exec(`SELECT 1 FROM ${of}`).toArray().length;
        return {
          visitors: rows("visitors"),
          present: rows("days WHERE present IS NOT NULL"),
          senders: rows("days WHERE senders IS NOT NULL"),
          salts: [...kv.list({ prefix: "salt:" })].length,
        };
      });
    expect(await kept()).toEqual({ visitors: 1, present: 1, senders: 1, salts: 1 });
    const due = midnight + 10 * MINUTE_MS;
    // No other event comes, so an alarm must do it.
    expect(await alarmOf(page_id)).toBe(due);
    clock.set(due - 1);
    await runInDurableObject(pageObject(page_id), (page) => page.onAlarm());
    expect(await kept()).toMatchObject({ visitors: 1, salts: 1 });
    clock.set(due);
    const { mend } = breakD1("before");
    await runInDurableObject(pageObject(page_id), (page) => page.onAlarm());
    mend();
    expect(await kept()).toEqual({ visitors: 0, present: 0, senders: 0, salts: 0 });
    expect((await dayRows(page_id))[0]?.visitors).toBe(1);
  });
});
