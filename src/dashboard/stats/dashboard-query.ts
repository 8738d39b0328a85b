import * as z from "zod/mini";
import { validate } from "../../http/validate.ts";
import type { View } from "../../stats/aggregation.ts";
import { addDays, dateAt, daysIn, type Period } from "../../stats/calendar.ts";
import { STATS_DAYS_MAX, STATS_MONTHLY_DAYS_MAX } from "../../stats/limits.ts";
import type { PageColumns } from "../../stats/page-columns.ts";
import { firstHourlyDay, partOf, periodOf, RANGES, StatsQuery } from "../../stats/stats-query.ts";
import type { Interval, Stats } from "../../stats/stats-shape.ts";

export const DASHBOARD_RANGES = [...RANGES, "custom"] as const;
export type Range = (typeof DASHBOARD_RANGES)[number];

/** A longer period cannot be shown by the hour. */
const HOURLY_DAYS_MAX = 7;
/** A longer period is shown by the month unless the reader asks for days. */
const DAILY_DAYS_USUAL = 180;
/** A shorter period cannot be shown by the month. */
const MONTHLY_DAYS_MIN = 62;

/**
 * `?range=7d&interval=day&tz=Asia/Riyadh`, or `?range=custom&from=…&to=…`; with `link=<link_id>` or
 * `filter=country:SA` the page is about this link or value.
 */
export const DashboardQuery = z.extend(
  z.pick(StatsQuery, { interval: true, tz: true, link: true, filter: true }),
  { range: z._default(z.enum(DASHBOARD_RANGES), "7d") },
);

export type DaysNotice = "no_such_days" | "too_many_days";

interface DashboardView extends View {
  range: Range;
  notice: DaysNotice | null;
}

const TypedDays = z.pick(StatsQuery, { from: true, to: true });

/**
 * Uses the page's time zone if there is no `tz`. Throws 400 for a zone, a range or an interval that
 * does not exist. Days in the wrong order are swapped, of too many the last are shown, and the last
 * 30 days instead of days that do not exist; the page says so. A period that is too long or too old
 * for its interval is shown by a longer one.
 */
export function viewOf(
  query: Record<string, string>,
  page: Pick<PageColumns, "time_zone" | "since">,
  now_ms: number,
): DashboardView {
  const { range, interval, tz, ...asked } = validate(DashboardQuery, given(query));
  const part = partOf(asked);
  const { period, notice } =
    range === "custom"
      ? typedDays(query, tz, page, now_ms)
      : { period: periodOf({ range, tz }, page, now_ms), notice: null };
  const has_hours = part.filter === null;
  const possible = intervalsOf(period, has_hours, now_ms);
  const days = daysIn(period);
  const usual: Interval =
    days === 1 && has_hours ? "hour" : days <= DAILY_DAYS_USUAL ? "day" : "month";
  const shown = [interval, usual].find((one) => one !== undefined && possible.includes(one));
  return {
    range,
    period,
    notice,
    interval: shown ?? possible[0] ?? "day",
    page_zone: page.time_zone,
    ...part,
  };
}

/** Hours of one value are not stored. */
export function intervalsOf(
  period: Pick<Stats, "from" | "to" | "tz">,
  has_hours: boolean,
  now_ms: number,
): Interval[] {
  const days = daysIn(period);
  const first = firstHourlyDay(dateAt(now_ms, period.tz));
  const intervals: Interval[] = [];
  if (has_hours && days <= HOURLY_DAYS_MAX && period.from >= first) intervals.push("hour");
  if (days <= STATS_DAYS_MAX) intervals.push("day");
  if (days >= MONTHLY_DAYS_MIN) intervals.push("month");
  return intervals;
}

function typedDays(
  query: Record<string, string>,
  tz: string | undefined,
  page: Pick<PageColumns, "time_zone" | "since">,
  now_ms: number,
): { period: Period; notice: DaysNotice | null } {
  const typed = TypedDays.safeParse(given(query));
  const { from, to } = typed.data ?? {};
  const asked = periodOf({ ...inOrder(from, to), tz }, page, now_ms);
  const period = notTooLong(asked);
  if (!typed.success) return { period, notice: "no_such_days" };
  return { period, notice: period.from === asked.from ? null : "too_many_days" };
}

function inOrder(from: string | undefined, to: string | undefined) {
  return from !== undefined && to !== undefined && to < from
    ? { from: to, to: from }
    : { from, to };
}

function notTooLong(period: Period): Period {
  const earliest = addDays(period.to, 1 - STATS_MONTHLY_DAYS_MAX);
  return period.from < earliest ? { ...period, from: earliest } : period;
}

/** Drops empty parameters: a form sends an empty field as an empty string. */
function given(query: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}
