/**
 * Months are the sums of their days (docs/contract.md section 9): what the statistics read of a page is bounded,
 * however many years it has, and says the same as all its days would.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { DIMENSIONS, type Origin, type PageEvent } from "../../../objects/events/event.ts";
import { BREAKDOWN_BYTES_MAX, Breakdowns, sumOf } from "../../../objects/page/tables/breakdowns.ts";
import type { DayRow } from "../../../objects/page/tables/days.ts";
import { Months, monthsOf } from "../../../objects/page/tables/months.ts";
import { PAGE_STEPS } from "../../../objects/page/tables/page-schema.ts";
import { startOf } from "../../../objects/platform/calendar.ts";
import { DAY_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { migrate } from "../../../objects/platform/schema.ts";
import { Transaction } from "../../../objects/platform/transaction.ts";
import { randomKey } from "../../../src/counting/event-key.ts";
import { spansToRead } from "../../../src/stats/aggregation.ts";
import { addDays, dateAt } from "../../../src/stats/calendar.ts";
import { STATS_MONTHLY_DAYS_MAX } from "../../../src/stats/limits.ts";
import type { Interval } from "../../../src/stats/stats-shape.ts";
import { readStats } from "../../../src/stats/stats-store.ts";
import { cases, seedOfTheDay } from "../kit/cases.ts";
import { stopClock } from "../kit/faults.ts";
import { flushRows, freshPage, pageObject, recordAll } from "../kit/kit.ts";

const OWNER = "demo-pro";
const DAY_S = DAY_MS / SECOND_MS;
/** Every dimension with as much as D1 takes of it, its name and `(other)`. */
const ROW_BYTES_MAX = DIMENSIONS.length * (BREAKDOWN_BYTES_MAX + 64);

/** What the statistics read of these days. */
async function read(
  page_id: string,
  { from, to, page_zone }: { from: string; to: string; page_zone: string },
  { interval = "day", value = null }: { interval?: Interval; value?: string | null } = {},
) {
  const period = { from, to, tz: page_zone };
  const rows_read: number[] = [];
  const db: D1Database = Object.create(env.DB, {
    prepare: { value: (sql: string) => env.DB.prepare(sql) },
    batch: {
      value: async (statements: D1PreparedStatement[]) => {
        const results = await env.DB.batch(statements);
        rows_read.push(...results.map(({ meta }) => meta.rows_read));
        return results;
      },
    },
  });
  const filter = value === null ? null : ({ dimension: "referrer", value } as const);
  const view = { link: null, filter, interval };
  const found = await readStats(
    { db, stats: db },
    OWNER,
    page_id,
    spansToRead({ period, page_zone }),
    view,
  );
  if (found === null) throw new Error("no such page");
  return { ...found, rows_read: rows_read.reduce((sum, n) => sum + n, 0) };
}

const monthRows = async (page_id: string) => {
  const { results } = await env.DB.prepare(
    "SELECT month, until, breakdowns FROM months WHERE page_id = ?1 ORDER BY month",
  )
    .bind(page_id)
    .all<{ month: number; until: number; breakdowns: string }>();
  return results.map(({ month, until, breakdowns }) => [
    new Date(month * SECOND_MS).toISOString(),
    new Date(until * SECOND_MS).toISOString(),
    JSON.parse(breakdowns).referrer,
  ]);
};

describe("a page in Riyadh", () => {
  test("has each month that is over in one row, and again where an event comes late", async () => {
    const time = stopClock();
    time.set(Date.parse("2027-01-30T12:00Z"));
    const { page_id } = await freshPage({ owner_id: OWNER, time_zone: "Asia/Riyadh" });
    const view = async (at: string, referrer: string) => {
      time.set(Date.parse(at));
      const event: PageEvent = {
        key: randomKey(),
        link_id: "",
        class: "human",
        visitor: null,
        origin: { referrer },
      };
      await recordAll(page_id, [event]);
      await pageObject(page_id).flush();
    };
    await view("2027-01-30T12:00Z", "a.example");
    // 23:59 of 31 January in Riyadh, and the first minute of February.
    await view("2027-01-31T20:59Z", "a.example");
    await view("2027-01-31T21:00Z", "b.example");
    expect(await monthRows(page_id)).toEqual([]);
    await view("2027-02-02T21:00Z", "b.example");
    const january = ["2026-12-31T09:00:00.000Z", "2027-01-31T09:00:00.000Z"];
    expect(await monthRows(page_id)).toEqual([[...january, { "a.example": [2, 0] }]]);
    // The clock is set back.
    await view("2027-01-31T20:59:30Z", "c.example");
    await view("2027-02-04T12:00Z", "b.example");
    await view("2027-03-04T12:00Z", "b.example");
    await view("2027-03-04T12:01Z", "b.example");
    expect(await monthRows(page_id)).toEqual([
      [...january, { "a.example": [2, 0], "c.example": [1, 0] }],
      ["2027-01-31T09:00:00.000Z", "2027-02-28T09:00:00.000Z", { "b.example": [3, 0] }],
    ]);
    const whole = { from: "2027-01-01", to: "2027-02-28", page_zone: "Asia/Riyadh" };
    const stats = await read(page_id, whole, { interval: "month", value: "b.example" });
    expect(stats.breakdowns).toHaveLength(2);
    expect(stats.value_days).toMatchObject([{ views: 3 }]);
  });
});

interface Step {
  day: number;
  views?: number;
  now?: number;
  zone?: string;
  is_lost?: boolean;
}

const ZONES = ["UTC", "Asia/Riyadh", "Pacific/Tongatapu", "Pacific/Pago_Pago"];
const step = (members: Partial<{ [member in keyof Step]: fc.Arbitrary<Step[member]> }>) =>
  fc.record({ day: fc.nat(100), ...members }) as fc.Arbitrary<Step>;
/** What happens to a page's days; a day is named by its number from the first. */
const steps = fc.array(
  fc.oneof(
    { arbitrary: step({ views: fc.integer({ min: 1, max: 9 }) }), weight: 6 },
    { arbitrary: step({ now: fc.nat(140) }), weight: 4 },
    { arbitrary: step({ zone: fc.constantFrom(...ZONES) }), weight: 1 },
    { arbitrary: step({ is_lost: fc.constant(true) }), weight: 1 },
  ),
  { minLength: 5, maxLength: 40 },
);
const spans = fc.array(fc.tuple(fc.nat(130), fc.nat(130)), { minLength: 1, maxLength: 4 });
const FIRST = "2026-01-20";

test("any span of days has the sums of its days, whatever came late, moved or was lost", async () => {
  const { page_id } = await freshPage({ owner_id: OWNER });
  const clear = async () => {
    const of = (table: string) => `DELETE FROM ${table} WHERE page_id = ?1`;
    await env.DB.batch(["days", "months"].map((table) => env.DB.prepare(of(table)).bind(page_id)));
  };
  const viewsOf = (json: string) => JSON.parse(json).referrer.a[0] as number;
  await fc.assert(
    fc.asyncProperty(steps, spans, async (happened, asked) => {
      await clear();
      const days = await runInDurableObject(pageObject(page_id), async (_, { storage }) => {
        const counted = new CountedDays(storage);
        for (const step of happened) {
          if (step.zone !== undefined) counted.zone = step.zone;
          if (step.views !== undefined) counted.view(step.day, step.views);
          if (step.now !== undefined) await counted.flush(page_id, step.now);
          if (step.is_lost) {
            await clear();
            counted.unconfirm();
          }
        }
        // Until D1 has every month, each of which takes a flush.
        while (await counted.flush(page_id, 400));
        return counted.rows();
      });
      for (const [a, b] of asked) {
        const from = addDays(FIRST, Math.min(a, b));
        const to = addDays(FIRST, Math.max(a, b));
        const { breakdowns } = await read(page_id, { from, to, page_zone: "UTC" });
        const inSpan = days.filter(({ day }) => {
          const date = dateAt((day + DAY_S / 2) * SECOND_MS, "UTC");
          return from <= date && date <= to;
        });
        const sum = inSpan.reduce((n, row) => n + viewsOf(row.breakdowns), 0);
        expect(sumOf(breakdowns).referrer?.get("a")?.[0] ?? 0, `${from} to ${to}`).toBe(sum);
      }
    }),
    { numRuns: cases(500), seed: seedOfTheDay() },
  );
});

/** The days of a page's object, and the months that follow from them. */
class CountedDays {
  zone = "UTC";
  readonly #storage: DurableObjectStorage;
  readonly #months: Months;
  readonly #begun = new Map<number, number>();

  constructor(storage: DurableObjectStorage) {
    migrate(storage, PAGE_STEPS);
    storage.sql.exec("DELETE FROM days");
    storage.kv.delete("months_to");
    this.#storage = storage;
    this.#months = new Months(storage);
  }

  /** On a day by its number, which begins in the zone of its first view. */
  view(n: number, views: number): void {
    const day = this.#begun.get(n) ?? startOf(addDays(FIRST, n), this.zone);
    this.#begun.set(n, day);
    this.#write((tx) => {
      this.#storage.sql.exec(
        `INSERT INTO days (day, visitors, breakdowns, version)
         VALUES (?1, 0, json_object('referrer', json_object('a', json_array(?2, 0))), ?2)
         ON CONFLICT DO UPDATE SET version = version + ?2, breakdowns =
           json_set(breakdowns, '$.referrer.a[0]', (breakdowns ->> '$.referrer.a[0]') + ?2)`,
        day,
        views,
      );
      this.#months.changed(tx, day);
    });
  }

  unconfirm(): void {
    this.#write((tx) => this.#months.unconfirm(tx));
  }

  /** At noon of a day by its number; answers whether it brought a month to D1. */
  async flush(page_id: string, n: number): Promise<boolean> {
    this.#months.prepare((startOf(addDays(FIRST, n), "UTC") + DAY_S / 2) * SECOND_MS, this.zone);
    const month = this.#months.unflushed;
    const months = month === null ? [] : [month];
    await flushRows(page_id, { days: this.rows(), months });
    if (month !== null) this.#months.confirm(month);
    return month !== null;
  }

  rows(): DayRow[] {
    return this.#storage.sql
      .exec<{ [column in keyof DayRow]: DayRow[column] }>(
        "SELECT day, visitors, breakdowns, version FROM days",
      )
      .toArray();
  }

  #write(work: (tx: Transaction) => void): void {
    const abort = (reason: string) => {
      throw new Error(reason);
    };
    Transaction.run({ storage: this.#storage, abort }, work);
  }
}

describe("F37: the fullest page", () => {
  const zone = "Africa/Cairo";
  const today = "2027-06-15";
  const first = addDays(today, 1 - STATS_MONTHLY_DAYS_MAX);
  let page_id: string;
  let breakdowns: string;

  beforeAll(async () => {
    ({ page_id } = await freshPage({ owner_id: OWNER, time_zone: zone }));
    const fullest = new Breakdowns();
    for (let i = 0; i < 400; i += 1) {
      const long = `${i}${"ن".repeat(i % 2 === 0 ? 16 : 100)}`.slice(0, 100);
      const origin = Object.fromEntries(DIMENSIONS.map((name) => [name, long])) as Origin;
      fullest.count(origin, "view");
    }
    breakdowns = fullest.mostCounted();
    const days = Array.from({ length: STATS_MONTHLY_DAYS_MAX }, (_, i) => ({
      day: startOf(addDays(first, i), zone),
      breakdowns,
    }));
    for (const shard of [0, -2]) {
      await env.DB.prepare("INSERT INTO days SELECT ?1, value, ?2, 1, ?3, 1, 0 FROM json_each(?4)")
        .bind(page_id, shard, breakdowns, JSON.stringify(days.map(({ day }) => day)))
        .run();
    }
    for (const month of monthsOf(days.slice(0, -15), zone)) {
      await flushRows(page_id, { months: [month] });
    }
    await env.DB.prepare(
      `INSERT INTO months (page_id, shard, month, until, breakdowns, version)
       SELECT page_id, -2, month, until, breakdowns, version FROM months WHERE page_id = ?1`,
    )
      .bind(page_id)
      .run();
  }, 60_000);

  test("has at most 4.8 KB of JSON for a dimension of a day or month", () => {
    expect(new TextEncoder().encode(breakdowns).length).toBeLessThanOrEqual(ROW_BYTES_MAX);
    expect(new TextEncoder().encode(breakdowns).length).toBeGreaterThan(ROW_BYTES_MAX * 0.9);
  });

  test("is read in so many rows and bytes of its breakdowns: whole months, and the days of broken ones", async () => {
    const all = { from: first, to: today, page_zone: zone };
    const months = Math.ceil(STATS_MONTHLY_DAYS_MAX / 30);
    const most = 2 * (months + 3 * 31);
    const { breakdowns, rows_read } = await read(page_id, all, { interval: "month" });
    expect(breakdowns.length).toBeLessThanOrEqual(most);
    const bytes = breakdowns.reduce((sum, json) => sum + new TextEncoder().encode(json).length, 0);
    expect(bytes).toBeLessThanOrEqual(most * ROW_BYTES_MAX);
    // Every day once for its visitors, and once to see that its month has it.
    expect(rows_read).toBeLessThanOrEqual(2 * 4 * STATS_MONTHLY_DAYS_MAX);
    const days = 2 * STATS_MONTHLY_DAYS_MAX;
    expect([...(sumOf(breakdowns).referrer?.values() ?? [])].reduce((sum, [n]) => sum + n, 0)).toBe(
      400 * days,
    );
  });
});
