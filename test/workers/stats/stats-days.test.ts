/** Statistics by the days of a page's own time zone (docs/contract.md sections 9 and 10). */

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { MINUTE_MS } from "../../../objects/platform/clock.ts";
import { spansToRead, statsOf } from "../../../src/stats/aggregation.ts";
import { addDays, type Period, spanOf } from "../../../src/stats/calendar.ts";
import type { Stats } from "../../../src/stats/stats-shape.ts";
import { readStats } from "../../../src/stats/stats-store.ts";
import { cases } from "../kit/cases.ts";
import { signIn } from "../kit/hub-kit.ts";
import { beacon, call, freshAddress, freshPage } from "../kit/kit.ts";

const OWNER = "demo-pro";
const Cookie = await signIn(OWNER);

async function askStats(page_id: string, query = ""): Promise<Stats> {
  const response = await call(`/api/me/pages/${page_id}/stats${query}`, { headers: { Cookie } });
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
}

interface Rows {
  tallies: { hour: number; kind: "view" | "click"; n: number }[];
  days: { day: number; visitors: number; views: number }[];
  rolled_to: number;
}

/** Replaces what D1 holds of a page's counts. Each view of `days` came from the country SA. */
async function store(page_id: string, { tallies, days, rolled_to }: Rows): Promise<void> {
  const clear = (table: string) =>
    env.DB.prepare(`DELETE FROM ${table} WHERE page_id = ?1`).bind(page_id);
  await env.DB.batch([
    ...["tallies", "days", "rolled_days"].map(clear),
    env.DB.prepare(
      `INSERT INTO tallies SELECT ?1, value ->> 'hour', value ->> 'kind',
         iif(value ->> 'kind' = 'view', '', 'shop'), 'human', 0, SUM(value ->> 'n')
       FROM json_each(?2) GROUP BY 2, 3`,
    ).bind(page_id, JSON.stringify(tallies)),
    env.DB.prepare(
      `INSERT OR IGNORE INTO days SELECT ?1, value ->> 'day', 0, value ->> 'visitors',
         json_object('country', json_object('SA', json_array(value ->> 'views', 0))), 1, 0
       FROM json_each(?2)`,
    ).bind(page_id, JSON.stringify(days)),
    env.DB.prepare("INSERT INTO rolled_days VALUES (?1, 0, ?2)").bind(page_id, rolled_to),
  ]);
}

const second = (at: string) => Date.parse(at) / 1_000;

describe("the days of a page in Riyadh", () => {
  let page_id: string;

  beforeEach(async () => {
    // 01:30 of the 21st in Riyadh.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-20T22:30:00Z") });
    ({ page_id } = await freshPage({ owner_id: OWNER, time_zone: "Asia/Riyadh" }));
    await store(page_id, {
      tallies: [
        { hour: second("2026-11-19T20:00:00Z"), kind: "view", n: 1 },
        { hour: second("2026-11-19T21:00:00Z"), kind: "view", n: 10 },
        { hour: second("2026-11-20T20:00:00Z"), kind: "view", n: 100 },
        { hour: second("2026-11-20T21:00:00Z"), kind: "view", n: 1_000 },
      ],
      days: [
        { day: second("2026-11-18T21:00:00Z"), visitors: 1, views: 1 },
        { day: second("2026-11-19T21:00:00Z"), visitors: 2, views: 110 },
        { day: second("2026-11-20T21:00:00Z"), visitors: 3, views: 999 },
      ],
      rolled_to: 0,
    });
  });

  test("are the days of a query without a zone, in the answer and in the CSV", async () => {
    const stats = await askStats(page_id, "?from=2026-11-20&to=2026-11-20");
    expect(stats.tz).toBe("Asia/Riyadh");
    expect(stats.totals).toMatchObject({ views: 110, visitors: 2 });
    expect(stats.breakdowns.country).toEqual([{ value: "SA", views: 110, clicks: 0 }]);
    const today = await askStats(page_id, "?from=2026-11-21");
    expect(today).toMatchObject({ to: "2026-11-21", totals: { views: 1_000, visitors: 3 } });
    expect(today.breakdowns.country.map(({ views }) => views)).toEqual([999, 1]);
    const csv = await call(`/api/me/pages/${page_id}/stats.csv?from=2026-11-20&to=2026-11-20`, {
      headers: { Cookie },
    });
    expect(await csv.text()).toContain("total,people,,110,0,2\r\n");
  });

  test("are those of visitors and breakdowns for every zone of a query; its hours are of that zone", async () => {
    const stats = await askStats(page_id, "?from=2026-11-20&to=2026-11-20&tz=UTC");
    expect(stats.tz).toBe("UTC");
    expect(stats.totals).toMatchObject({ views: 1_100, visitors: 2 });
    expect(stats.breakdowns.country).toEqual([{ value: "SA", views: 110, clicks: 0 }]);
    const before = await askStats(page_id, "?from=2026-11-19&to=2026-11-19&tz=UTC");
    expect(before.totals).toMatchObject({ views: 11, visitors: 1 });
  });

  test("are the default of the dashboard and of the list of pages", async () => {
    const headers = { Cookie, Accept: "text/html" };
    const page = await call(`/dashboard/${page_id}?lang=en&range=today`, { headers });
    const html = await page.text();
    expect(html).toContain('data-tz="Asia/Riyadh"');
    expect(html).toContain('data-day="2026-11-21"');
    expect(html).toMatch(/data-live="views" data-shown="1000"/);
    expect(html).not.toContain("days of the page’s time zone");
    const other = await call(`/dashboard/${page_id}?lang=en&tz=UTC`, { headers });
    expect(await other.text()).toContain("Such a day begins at 21:00 here");
    const list = await (await call("/dashboard?lang=en", { headers })).text();
    const [, card = ""] = list.split(`/dashboard/${page_id}`);
    expect(card).toMatch(/Today<\/dt><dd[^>]*>1,000 views/);
    expect(card).toMatch(/30 days<\/dt><dd[^>]*>1,111 views/);
  });
});

test("an event counts on its date in the page's zone, and a view in its language", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-20T20:59:00Z") });
  const { page_id } = await freshPage({ owner_id: OWNER, time_zone: "Asia/Riyadh" });
  const ip = freshAddress();
  await beacon({ page_id, language: "ar" }, { ip });
  await beacon({ page_id, language: "ar" }, { ip });
  vi.setSystemTime(Date.parse("2026-11-20T21:01:00Z"));
  await beacon({ page_id, language: "en" }, { ip });
  await beacon({ page_id, link_id: "shop" }, { ip });
  const of = async (date: string) => {
    const stats = await askStats(page_id, `?fresh=1&from=${date}&to=${date}`);
    const { views, clicks, visitors } = stats.totals;
    return [views, clicks, visitors, stats.breakdowns.language];
  };
  expect(await of("2026-11-20")).toEqual([2, 0, 1, [{ value: "ar", views: 2, clicks: 0 }]]);
  expect(await of("2026-11-21")).toEqual([
    1,
    1,
    1,
    [
      { value: "en", views: 1, clicks: 0 },
      { value: null, views: 0, clicks: 1 },
    ],
  ]);
});

const ZONES = [
  "UTC",
  "Asia/Riyadh",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Africa/Cairo",
  "America/Los_Angeles",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
] as const;
const FIRST = "2026-03-01";
const PART = { link: null, filter: null };
const DAYS = 60;
const HOUR_S = 3_600;
const START_S = second(`${FIRST}T00:00:00Z`);

const zone = fc.constantFrom(...ZONES);

/** Hours of the 60 days, rolled up into UTC days to a point, and days in two zones. */
const rows = fc
  .record({
    tallies: fc.array(
      fc.record({
        hour: fc.integer({ min: -24, max: (DAYS + 1) * 24 }),
        kind: fc.constantFrom("view" as const, "click" as const),
        n: fc.integer({ min: 1, max: 9 }),
      }),
      { maxLength: 60 },
    ),
    days: fc.array(
      fc.record({
        i: fc.integer({ min: -2, max: DAYS + 1 }),
        visitors: fc.nat(9),
        views: fc.nat(9),
      }),
      { maxLength: 60 },
    ),
    before: zone,
    after: zone,
    changed: fc.nat(DAYS),
    rolled_days: fc.nat(DAYS),
  })
  .map(({ tallies, days, before, after, changed, rolled_days }): Rows & { page_zone: string } => {
    const rolled_to = START_S + rolled_days * 24 * HOUR_S;
    const startOf = (i: number) => {
      const date = addDays(FIRST, i);
      return spanOf({ from: date, to: date, tz: i < changed ? before : after }).from_s;
    };
    return {
      page_zone: after,
      rolled_to,
      tallies: tallies.map(({ hour, ...row }) => {
        const at = START_S + hour * HOUR_S;
        return { ...row, hour: at < rolled_to ? at - (at % (24 * HOUR_S)) : at };
      }),
      days: days.map(({ i, ...row }) => ({ ...row, day: startOf(i) })),
    };
  });

/** Adjacent periods that make up one whole. */
const periods = fc
  .array(fc.integer({ min: 1, max: DAYS - 1 }), { minLength: 1, maxLength: 4 })
  .map((cuts) => {
    const starts = [0, ...[...new Set(cuts)].sort((a, b) => a - b)];
    return starts.map((start, i) => ({
      from: addDays(FIRST, start),
      to: addDays(FIRST, (starts[i + 1] ?? DAYS) - 1),
    }));
  });

test("two adjacent periods neither share an event nor lose one, in any zones", async () => {
  const { page_id } = await freshPage({ owner_id: OWNER });
  const now_ms = Date.parse("2027-01-01T00:00:00Z");
  const read = async (period: Period, page_zone: string) => {
    const found = await readStats(
      { db: env.DB, stats: env.DB },
      OWNER,
      page_id,
      spansToRead({ period, page_zone }),
      { interval: "day", ...PART },
    );
    if (found === null) throw new Error("no such page");
    const snapshot = { totals: [], watermark: 0, version: "", stats: "DB" };
    const view = { period, page_zone, interval: "day" as const, ...PART };
    return numbersOf(statsOf(found, snapshot, view, now_ms, MINUTE_MS));
  };
  await fc.assert(
    fc.asyncProperty(rows, periods, zone, async ({ page_zone, ...stored }, parts, tz) => {
      await store(page_id, stored);
      const whole = await read({ from: FIRST, to: addDays(FIRST, DAYS - 1), tz }, page_zone);
      const sums = { views: 0, clicks: 0, visitors: 0, from_sa: 0, series: 0, of_link: 0 };
      for (const part of parts) {
        const numbers = await read({ ...part, tz }, page_zone);
        for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += numbers[key];
      }
      expect(sums).toEqual(whole);
      expect([whole.series, whole.of_link]).toEqual([whole.views + whole.clicks, whole.clicks]);
    }),
    { numRuns: cases(100) },
  );
});

/** The numbers of a period that add up over adjacent periods. */
function numbersOf({ totals, series, breakdowns, links }: Stats) {
  const { views, clicks, visitors } = totals;
  const from_sa = breakdowns.country.find(({ value }) => value === "SA")?.views ?? 0;
  return {
    views,
    clicks,
    visitors,
    from_sa,
    series: series.reduce((sum, each) => sum + each.views + each.clicks, 0),
    of_link: links.reduce((sum, link) => sum + link.clicks, 0),
  };
}

test("a day that was stored in UTC counts once after the page has moved to another zone", async () => {
  const { page_id } = await freshPage({ owner_id: OWNER, time_zone: "America/Los_Angeles" });
  await store(page_id, {
    tallies: [],
    // Two days of UTC, a short one until midnight in Los Angeles, and a day there.
    days: [
      { day: second("2026-11-08T00:00:00Z"), visitors: 1, views: 1 },
      { day: second("2026-11-09T00:00:00Z"), visitors: 10, views: 1 },
      { day: second("2026-11-10T00:00:00Z"), visitors: 100, views: 1 },
      { day: second("2026-11-10T08:00:00Z"), visitors: 1_000, views: 1 },
    ],
    rolled_to: 0,
  });
  const visitors: number[] = [];
  for (const date of ["2026-11-07", "2026-11-08", "2026-11-09", "2026-11-10"]) {
    visitors.push((await askStats(page_id, `?from=${date}&to=${date}`)).totals.visitors);
  }
  // The short one has its middle, 12 hours after its start, on the next date.
  expect(visitors).toEqual([0, 1, 10, 1_100]);
});
