/** The fullest page: eleven years, each day's breakdowns as full as D1 takes them, read as the routes do. */

import { DIMENSIONS, type Origin } from "../../../objects/events/event.ts";
import { Breakdowns, CANDIDATES_MAX } from "../../../objects/page/tables/breakdowns.ts";
import { monthsOf } from "../../../objects/page/tables/months.ts";
import { startOf } from "../../../objects/platform/calendar.ts";
import { spansToRead, statsOf, type View } from "../../../src/stats/aggregation.ts";
import { addDays } from "../../../src/stats/calendar.ts";
import { STATS_MONTHLY_DAYS_MAX } from "../../../src/stats/limits.ts";
import { readStats } from "../../../src/stats/stats-store.ts";
import type { HistoryView } from "../reading.ts";

const OWNER = "history";
const PAGE_ID = "history-0";
const TODAY = "2027-06-15";
const NOW_MS = Date.parse(`${TODAY}T12:00:00Z`);
const MINUTE_MS = 60_000;
const FIRST = addDays(TODAY, 1 - STATS_MONTHLY_DAYS_MAX);
const OPEN_DAYS = 15;

const part = { link: null, filter: null, page_zone: "UTC" } as const;
const period = (from: string) => ({ from, to: TODAY, tz: "UTC" });
const all = { ...part, interval: "month", period: period(FIRST) } as const;
const VIEWS: Readonly<Record<HistoryView, View>> = {
  month: { ...part, interval: "day", period: period(addDays(TODAY, -29)) },
  all,
  value: { ...all, filter: { dimension: "referrer", value: "0" } },
};

export async function fillHistory({ DB }: Cloudflare.Env): Promise<void> {
  const fullest = new Breakdowns();
  for (let i = 0; i < CANDIDATES_MAX; i += 1) {
    const value = `${i}${"ن".repeat(i % 12)}`;
    fullest.count(Object.fromEntries(DIMENSIONS.map((name) => [name, value])) as Origin, "view");
  }
  const breakdowns = fullest.mostCounted();
  const days = Array.from({ length: STATS_MONTHLY_DAYS_MAX }, (_, i) => ({
    day: startOf(addDays(FIRST, i), "UTC"),
    breakdowns,
  }));
  const starts = JSON.stringify(days.map(({ day }) => day));
  const months = monthsOf(days.slice(0, -OPEN_DAYS), "UTC");
  const bounds = JSON.stringify(months.map(({ month, until }) => ({ month, until })));
  await DB.batch([
    DB.prepare("UPDATE pages SET owner_id = ?2 WHERE page_id = ?1").bind(PAGE_ID, OWNER),
    DB.prepare("INSERT INTO days SELECT ?1, value, 0, 1, ?2, 1, 0 FROM json_each(?3)").bind(
      PAGE_ID,
      breakdowns,
      starts,
    ),
    DB.prepare(
      `INSERT INTO months SELECT ?1, 0, value ->> 'month', value ->> 'until', ?2, 1
       FROM json_each(?3)`,
    ).bind(PAGE_ID, months[0]?.breakdowns, bounds),
  ]);
}

export async function readHistory({ DB }: Cloudflare.Env, name: HistoryView): Promise<void> {
  const view = VIEWS[name];
  const rows = await readStats({ db: DB, stats: DB }, OWNER, PAGE_ID, spansToRead(view), view);
  if (rows === null) throw new Error("no such page");
  const snapshot = { totals: [], watermark: 0, version: "", stats: "DB" };
  statsOf(rows, snapshot, view, NOW_MS, MINUTE_MS);
}
