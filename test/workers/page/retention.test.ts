/**
 * Hours older than 90 days are rolled up into days. The page's counts stay the same in its object and in
 * D1, by kind, link, class and UTC day, through every fault.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { kindOf } from "../../../objects/events/event.ts";
import type { FlushResult } from "../../../objects/flush/flush-scheduler.ts";
import { FLUSH_TALLIES_MAX } from "../../../objects/page/flush-page.ts";
import { eventsOf } from "../../../objects/page/tables/journal.ts";
import { ROLL_DAYS_MAX } from "../../../objects/page/tables/retention.ts";
import type { Tally } from "../../../objects/page/tables/tallies.ts";
import { dayOf, hourOf } from "../../../objects/platform/clock.ts";
import { sweepPages } from "../../../src/cron.ts";
import { storeHistory } from "../../demo/seed-history.ts";
import { backUpCounts, breakD1, breakStorage, stopClock } from "../kit/faults.ts";
import {
  count,
  flushRows,
  freshPage,
  pageObject,
  revertSchema,
  sums,
  type TallyRow,
  tallyRows,
} from "../kit/kit.ts";
import { rowsWritten } from "../kit/rows-written.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
/** The promised time, independent of the code's constant. */
const KEPT_MS = 90 * DAY_MS;

let clock: ReturnType<typeof stopClock>;
/** Midnight of a day far after the platform's own clock, so that no alarm fires by itself. */
let start_ms: number;

beforeEach(() => {
  clock = stopClock();
  start_ms = Math.ceil(Date.now() / DAY_MS) * DAY_MS + 400 * DAY_MS;
  clock.set(start_ms);
});

/** A flush that D1 refuses, or whose reply is lost after D1 has written; answers how often D1 was called. */
async function flushInVain(page_id: string, when: "before" | "after"): Promise<number> {
  const { mend, calls } = breakD1(when);
  await expect(Promise.resolve(pageObject(page_id).flush())).rejects.toThrow();
  const called = calls();
  mend();
  return called;
}

/** A sweep and its flush. */
async function roll(page_id: string): Promise<void> {
  await pageObject(page_id).sweep();
  await pageObject(page_id).flush();
}

type JournalRow = { seq: number; at: number; events: Parameters<typeof eventsOf>[0] };

interface ObjectRow extends TallyRow {
  flushed: number;
  rolled: number;
}

/** The tallies inside the object: those of its last checkpoint, and those of the journal after it. */
function objectRows(page_id: string): Promise<ObjectRow[]> {
  return runInDurableObject(pageObject(page_id), (_, { storage: { sql, kv } }) => {
    const rows = sql
      .exec<Record<keyof ObjectRow, SqlStorageValue>>(
        "SELECT hour, kind, link_id, class, n, flushed, rolled FROM tallies",
      )
      .toArray() as unknown as ObjectRow[];
    const tallies = new Map(rows.map((row) => [placeOf(row), row]));
    const flushed_to = kv.get<number>("flushed_to") ?? 0;
    const rolled_to = kv.get<number>("rolled_to") ?? 0;
    for (const { seq, at, events } of sql.exec<JournalRow>("SELECT seq, at, events FROM journal")) {
      const hour = hourOf(at) < rolled_to ? dayOf(at) : hourOf(at);
      for (const { link_id, class: eventClass } of eventsOf(events)) {
        const none = { hour, kind: kindOf(link_id), link_id, class: eventClass, n: 0 };
        const tally = tallies.get(placeOf(none)) ?? { ...none, flushed: 0, rolled: 0 };
        tallies.set(placeOf(none), tally);
        tally.n += 1;
        if (seq <= flushed_to) tally.flushed += 1;
      }
    }
    return [...tallies.values()].sort(
      (a, b) => a.hour - b.hour || (placeOf(a) < placeOf(b) ? -1 : 1),
    );
  });
}

function placeOf({ hour, kind, link_id, class: eventClass }: TallyRow): string {
  return `${hour}/${kind}/${link_id}/${eventClass}`;
}

function short({ hour, kind, link_id, class: eventClass, n }: TallyRow) {
  return `${(hour * 1_000 - start_ms) / HOUR_MS}h ${kind} ${link_id} ${eventClass} ${n}`;
}

async function shortRows(page_id: string): Promise<string[]> {
  return (await tallyRows(page_id)).map(short);
}

async function rolledTo(page_id: string): Promise<number | null> {
  return env.DB.prepare("SELECT rolled_to FROM rolled_days WHERE page_id = ?1")
    .bind(page_id)
    .first<number>("rolled_to");
}

/** Sums by link and class. */
function sumsOf(rows: readonly TallyRow[]): Record<string, number> {
  const result: Record<string, number> = {};
  for (const { kind, link_id, class: eventClass, n } of rows) {
    const key = `${kind} ${link_id} ${eventClass}`;
    result[key] = (result[key] ?? 0) + n;
  }
  return result;
}

/** Sends tallies to D1 as a flush that knows how far it is rolled. */
function send(page_id: string, tallies: readonly Tally[], { rolled_to = 0 } = {}) {
  return flushRows(page_id, { tallies }, rolled_to);
}

/** A flush under way to D1 that the object has given up: all rows that it would send now. */
async function lateFlush(page_id: string): Promise<() => Promise<FlushResult>> {
  const tallies = (await objectRows(page_id)) as unknown as Tally[];
  const rolled_to = await runInDurableObject(
    pageObject(page_id),
    (_, { storage }) => storage.kv.get<number>("rolled_to") ?? 0,
  );
  return () => send(page_id, tallies, { rolled_to });
}

/**
 * A day with four hours of a page, all flushed, and an event two days later. The clock ends another day
 * later.
 */
async function busyDay(page_id: string): Promise<void> {
  await count(page_id, 3);
  await count(page_id, 2, "shop");
  clock.advance(5 * HOUR_MS);
  await count(page_id, 4);
  await count(page_id, 1, "", "bot");
  await pageObject(page_id).flush();
  clock.advance(17 * HOUR_MS);
  await count(page_id, 5, "shop");
  clock.advance(HOUR_MS);
  await count(page_id, 6);
  clock.set(start_ms + 2 * DAY_MS + 10 * HOUR_MS);
  await count(page_id, 7);
  await pageObject(page_id).flush();
}

const BY_HOUR = [
  "0h click shop human 2",
  "0h view  human 3",
  "5h view  bot 1",
  "5h view  human 4",
  "22h click shop human 5",
  "23h view  human 6",
  "58h view  human 7",
];
const BY_DAY = [
  "0h click shop human 7",
  "0h view  bot 1",
  "0h view  human 13",
  "58h view  human 7",
];
const ALL = { accepted: 28, flushed: 28, pending: 0 };

/** The earliest time at which the busy day may be rolled up. */
function whenDue(): number {
  return start_ms + DAY_MS + KEPT_MS;
}

/** A page with a busy day, at the earliest time at which that may be rolled up. */
async function duePage(): Promise<string> {
  const { page_id } = await freshPage();
  await busyDay(page_id);
  clock.set(whenDue());
  return page_id;
}

describe("a day of UTC", () => {
  test("is kept by the hour for 90 days after its end, and then as one tally of each link and class", async () => {
    const { page_id } = await freshPage();
    await busyDay(page_id);
    clock.set(whenDue() - HOUR_MS);
    await roll(page_id);
    clock.set(whenDue() - 1);
    await roll(page_id);
    expect(await shortRows(page_id)).toEqual(BY_HOUR);
    expect(await rolledTo(page_id)).toBeNull();
    clock.set(whenDue());
    await roll(page_id);
    expect(await shortRows(page_id)).toEqual(BY_DAY);
    expect((await objectRows(page_id)).map(short)).toEqual(BY_DAY);
    expect(await rolledTo(page_id)).toBe(start_ms / 1_000 + DAY_S);
    expect(await sums(page_id)).toEqual(ALL);
  });

  test("keeps its hours while they are the last flushed ones, at any age: they identify a restored D1", async () => {
    const { page_id } = await freshPage();
    await busyDay(page_id);
    clock.advance(1_000 * DAY_MS);
    await roll(page_id);
    await roll(page_id);
    expect(await shortRows(page_id)).toEqual(BY_DAY);
    // The two hours may be on two days.
    clock.set(start_ms + 1_100 * DAY_MS + 30 * 60_000);
    await count(page_id, 1);
    await pageObject(page_id).flush();
    clock.advance(-HOUR_MS);
    await count(page_id, 1);
    await pageObject(page_id).flush();
    clock.advance(1_000 * DAY_MS);
    await roll(page_id);
    expect((await shortRows(page_id)).slice(-3)).toEqual([
      "48h view  human 7",
      `${1_100 * 24 - 1}h view  human 1`,
      `${1_100 * 24}h view  human 1`,
    ]);
  });

  test("is rolled up once: a second time changes and writes nothing, in the object or in D1", async () => {
    const page_id = await duePage();
    await roll(page_id);
    const once = [await objectRows(page_id), await tallyRows(page_id)];
    const d1 = vi.spyOn(Object.getPrototypeOf(env.DB) as D1Database, "batch");
    const rollAgain = () => rowsWritten(pageObject(page_id), () => roll(page_id));
    expect(await rollAgain()).toBe(0);
    clock.advance(HOUR_MS);
    await evictDurableObject(pageObject(page_id));
    expect(await rollAgain()).toBe(0);
    // A new day without anything to roll up.
    clock.advance(DAY_MS);
    expect(await rollAgain()).toBe(0);
    expect(d1).not.toHaveBeenCalled();
    expect([await objectRows(page_id), await tallyRows(page_id)]).toEqual(once);
  });

  test("whose single tally D1 already has is not sent", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 3);
    await pageObject(page_id).flush();
    clock.set(start_ms + 2 * DAY_MS);
    await count(page_id, 1);
    await pageObject(page_id).flush();
    clock.set(whenDue());
    const d1 = vi.spyOn(Object.getPrototypeOf(env.DB) as D1Database, "batch");
    await roll(page_id);
    expect(d1).not.toHaveBeenCalled();
    expect(await pageObject(page_id).sweep()).toBe("healthy");
  });

  test("with a late event, by a clock set back, adds it to its single tally", async () => {
    const page_id = await duePage();
    await roll(page_id);
    clock.set(start_ms + 5 * HOUR_MS);
    await count(page_id, 10);
    await count(page_id, 1, "video");
    await evictDurableObject(pageObject(page_id));
    expect(await sums(page_id)).toEqual({ accepted: 39, flushed: 28, pending: 11 });
    await pageObject(page_id).flush();
    const [first, ...rest] = BY_DAY;
    expect(await shortRows(page_id)).toEqual([
      first,
      "0h click video human 1",
      ...rest.map((row) => row.replace("human 13", "human 23")),
    ]);
  });

  test("is rolled up on a page with constant traffic, whose events count meanwhile", async () => {
    const page_id = await duePage();
    await Promise.all([
      count(page_id, 1),
      pageObject(page_id).flush(),
      pageObject(page_id).sweep(),
      count(page_id, 2),
      pageObject(page_id).flush(),
      count(page_id, 3, "shop"),
    ]);
    await pageObject(page_id).flush();
    const now_h = (whenDue() - start_ms) / HOUR_MS;
    expect(await shortRows(page_id)).toEqual([
      ...BY_DAY,
      `${now_h}h click shop human 3`,
      `${now_h}h view  human 3`,
    ]);
  });
});

describe("a roll", () => {
  test(`takes ${ROLL_DAYS_MAX} days at most, and the next sweep goes on`, async () => {
    const { page_id } = await freshPage();
    for (let day = 0; day < 2 * ROLL_DAYS_MAX; day += 1) {
      clock.set(start_ms + day * DAY_MS + 7 * HOUR_MS);
      await count(page_id, 1);
    }
    clock.set(start_ms + 300 * DAY_MS);
    await count(page_id, 1);
    await pageObject(page_id).flush();
    const byTheHour = async () =>
      (await tallyRows(page_id)).filter(({ hour }) => hour % DAY_S > 0).length;
    await roll(page_id);
    expect(await byTheHour()).toBe(ROLL_DAYS_MAX);
    await roll(page_id);
    expect(await byTheHour()).toBe(0);
  });

  test("sends at most one statement's rows at a time, and D1's total stays the same in between", async () => {
    const { page_id } = await freshPage();
    await busyDay(page_id);
    const links = FLUSH_TALLIES_MAX + 100;
    const rows = [1, 2].flatMap((hour) =>
      Array.from({ length: links }, (_, i) => ({
        hour: start_ms / 1_000 + hour * HOUR_S,
        kind: "click" as const,
        link_id: `l${i}`,
        class: "human" as const,
        n: hour,
      })),
    );
    await runInDurableObject(pageObject(page_id), (_, { storage }) => {
      storage.sql.exec(
        `INSERT INTO tallies (hour, kind, link_id, class, n, flushed)
         SELECT value ->> 'hour', 'click', value ->> 'link_id', 'human', value ->> 'n', value ->> 'n'
         FROM json_each(?1)`,
        JSON.stringify(rows),
      );
    });
    for (let from = 0; from < rows.length; from += FLUSH_TALLIES_MAX) {
      await send(page_id, rows.slice(from, from + FLUSH_TALLIES_MAX));
    }
    const total = sumsOf(await tallyRows(page_id));
    clock.set(whenDue());
    await pageObject(page_id).sweep();
    expect(await flushInVain(page_id, "after")).toBe(1);
    const half = await tallyRows(page_id);
    expect(half.filter(({ hour }) => hour % DAY_S > 0).length).toBeGreaterThan(100);
    expect(sumsOf(half)).toEqual(total);
    expect(await rolledTo(page_id)).toBe(start_ms / 1_000 + DAY_S);
    await evictDurableObject(pageObject(page_id));
    await pageObject(page_id).flush();
    const whole = await tallyRows(page_id);
    expect(whole).toHaveLength(links + BY_DAY.length);
    expect(sumsOf(whole)).toEqual(total);
  });

  test("leaves other shards and other pages as they are", async () => {
    const { page_id } = await freshPage();
    const other = await freshPage();
    const tallies = [1, 2].map(
      (hour): Tally => ({
        hour: start_ms / 1_000 + hour * HOUR_S,
        kind: "view",
        link_id: "",
        class: "human",
        n: 50,
      }),
    );
    await storeHistory(env.DB, page_id, { tallies, days: [] }, 0);
    await send(other.page_id, tallies);
    await busyDay(page_id);
    clock.set(whenDue());
    await roll(page_id);
    expect(await shortRows(page_id)).toEqual([
      ...BY_DAY.slice(0, 3),
      "1h view  human 50",
      "2h view  human 50",
      ...BY_DAY.slice(3),
    ]);
    const rolled = await env.DB.prepare("SELECT shard FROM rolled_days WHERE page_id = ?1")
      .bind(page_id)
      .all();
    expect(rolled.results).toEqual([{ shard: 0 }]);
    expect(await shortRows(other.page_id)).toEqual(["1h view  human 50", "2h view  human 50"]);
  });

  test("that fails for one page does not stop the sweep of the others", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = await freshPage({ page_id: "0-broken", slug: "0-broken" });
    const well = await freshPage({ page_id: "1-well", slug: "1-well" });
    await busyDay(broken.page_id);
    clock.set(start_ms);
    await busyDay(well.page_id);
    await runInDurableObject(pageObject(broken.page_id), (_, { storage }) => {
      storage.sql.exec("ALTER TABLE tallies DROP COLUMN rolled");
    });
    clock.set(whenDue());
    await env.MEDIA.delete("cron/sweep-cursor");
    await sweepPages(env, Date.now());
    expect(error.mock.calls.join()).toContain("sweep_failed");
    await pageObject(well.page_id).flush();
    expect(await shortRows(well.page_id)).toEqual(BY_DAY);
    await env.DB.batch(
      ["0-broken", "1-well"].map((id) =>
        env.DB.prepare("DELETE FROM pages WHERE page_id = ?1").bind(id),
      ),
    );
  });
});

describe("faults of a roll", () => {
  test("F3: D1's reply to a roll is lost and the object dies: sent again, it changes nothing", async () => {
    const page_id = await duePage();
    await pageObject(page_id).sweep();
    expect(await sums(page_id)).toEqual(ALL);
    await flushInVain(page_id, "after");
    expect(await shortRows(page_id)).toEqual(BY_DAY);
    await evictDurableObject(pageObject(page_id));
    expect(await sums(page_id)).toEqual(ALL);
    await pageObject(page_id).flush();
    expect(await shortRows(page_id)).toEqual(BY_DAY);
    expect((await objectRows(page_id)).filter(({ rolled }) => rolled > 0)).toEqual([]);
  });

  test("F9: the object dies between its own roll and D1's: the alarm completes D1's", async () => {
    const page_id = await duePage();
    await runInDurableObject(pageObject(page_id), (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(pageObject(page_id));
    expect(await pageObject(page_id).sweep()).toBe("healthy");
    const alarm = await runInDurableObject(pageObject(page_id), (_, { storage }) =>
      storage.getAlarm(),
    );
    expect(alarm).toBeLessThanOrEqual(whenDue() + 60_000);
    await evictDurableObject(pageObject(page_id));
    expect(await shortRows(page_id)).toEqual(BY_HOUR);
    await runInDurableObject(pageObject(page_id), (instance) => instance.onAlarm());
    expect(await shortRows(page_id)).toEqual(BY_DAY);
  });

  test("F7: a flush of hours that arrives after the roll writes nothing and is not taken as confirmed", async () => {
    const { page_id } = await freshPage();
    await busyDay(page_id);
    const late = await lateFlush(page_id);
    clock.set(whenDue());
    await roll(page_id);
    await expect(late()).rejects.toThrow("did not answer how much it holds");
    expect(await shortRows(page_id)).toEqual(BY_DAY);
  });

  test("F7: a flush of hours that arrives between the object's roll and D1's is rolled with the rest", async () => {
    const { page_id } = await freshPage();
    await busyDay(page_id);
    clock.set(start_ms + 20 * HOUR_MS);
    await count(page_id, 1, "mail");
    await flushInVain(page_id, "before");
    const late = await lateFlush(page_id);
    clock.set(whenDue());
    await pageObject(page_id).sweep();
    expect(await late()).toBe("written");
    expect(await shortRows(page_id)).toContain("20h click mail human 1");
    await pageObject(page_id).flush();
    expect(await shortRows(page_id)).toEqual(["0h click mail human 1", ...BY_DAY]);
  });

  test("F16: an object from a version without daily tallies rolls up when it starts", async () => {
    const { page_id } = await freshPage();
    await busyDay(page_id);
    await runInDurableObject(pageObject(page_id), (_, { storage }) => revertSchema(storage, 2));
    await evictDurableObject(pageObject(page_id));
    clock.set(whenDue());
    await roll(page_id);
    expect(await shortRows(page_id)).toEqual(BY_DAY);
    expect(await sums(page_id)).toEqual(ALL);
  });

  test.each(["INSERT INTO tallies", "DELETE FROM tallies", "UPDATE checkpoints"])(
    "F17: a roll that fails at %s changes nothing, and the next one rolls",
    async (statement) => {
      const page_id = await duePage();
      const { mend } = await breakStorage(page_id, statement);
      await expect(Promise.resolve(pageObject(page_id).sweep())).rejects.toThrow("disk is full");
      mend();
      expect((await objectRows(page_id)).map(short)).toEqual(BY_HOUR);
      await count(page_id, 1);
      await evictDurableObject(pageObject(page_id));
      await roll(page_id);
      expect((await shortRows(page_id)).slice(0, -1)).toEqual(BY_DAY);
    },
  );
});

describe("F20: a D1 restored to an older point", () => {
  test("that has the hours again and lacks the last flush is rolled up again", async () => {
    const { page_id } = await freshPage();
    await busyDay(page_id);
    const restore = await backUpCounts(page_id);
    clock.set(whenDue());
    await roll(page_id);
    await count(page_id, 1);
    await pageObject(page_id).flush();
    const after = await shortRows(page_id);
    await restore();
    expect(await shortRows(page_id)).toEqual(BY_HOUR);
    clock.advance(HOUR_MS);
    expect(await pageObject(page_id).sweep()).toBe("rearmed");
    await evictDurableObject(pageObject(page_id));
    await pageObject(page_id).flush();
    expect(await shortRows(page_id)).toEqual(after);
    expect(await rolledTo(page_id)).toBe(start_ms / 1_000 + DAY_S);
  });

  test("that lacks the last flush keeps its hours, because it refuses the roll", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 3);
    clock.advance(5 * HOUR_MS);
    await count(page_id, 4);
    await pageObject(page_id).flush();
    const restore = await backUpCounts(page_id);
    clock.advance(2 * DAY_MS);
    await count(page_id, 7);
    await pageObject(page_id).flush();
    clock.set(whenDue());
    await pageObject(page_id).sweep();
    await restore();
    const d1: D1Database = Object.getPrototypeOf(env.DB);
    const { batch } = d1;
    const first = vi.spyOn(d1, "batch").mockImplementationOnce(function (
      this: D1Database,
      statements,
    ) {
      first.mockImplementation(() => Promise.reject(new Error("D1 refuses")));
      return batch.call(this, statements) as Promise<D1Result<never>[]>;
    });
    await expect(Promise.resolve(pageObject(page_id).flush())).rejects.toThrow();
    expect(first).toHaveBeenCalledTimes(2);
    first.mockRestore();
    expect(await shortRows(page_id)).toEqual(["0h view  human 3", "5h view  human 4"]);
    await pageObject(page_id).flush();
    expect(await shortRows(page_id)).toEqual(["0h view  human 7", "53h view  human 7"]);
  });

  test("between the last flush and the roll keeps its hours, and every total is right", async () => {
    const { page_id } = await freshPage();
    await busyDay(page_id);
    const restore = await backUpCounts(page_id);
    clock.set(whenDue());
    await roll(page_id);
    await restore();
    await roll(page_id);
    expect(await shortRows(page_id)).toEqual(BY_HOUR);
    // The whole day is sent, so its hours are deleted.
    clock.set(start_ms + 5 * HOUR_MS);
    await count(page_id, 10);
    await pageObject(page_id).flush();
    expect(sumsOf(await tallyRows(page_id))).toEqual({
      "click shop human": 7,
      "view  bot": 1,
      "view  human": 30,
    });
  });
});
