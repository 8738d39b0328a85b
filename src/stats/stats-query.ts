/** The query of a page's statistics: the days, the time zone, and hours or days as the interval. */
import * as z from "zod";
import { HOURS_KEPT_DAYS } from "../../objects/tables/retention.ts";
import { ApiError } from "../http/api-error.ts";
import { STATS_DAYS, STATS_DAYS_MAX } from "../http/limits.ts";
import { canonicalZone, Zone } from "../http/time-zone.ts";
import { addDays, dateAt, daysIn, isDate, type Period } from "./calendar.ts";
import type { Interval } from "./stats-shape.ts";

const DateText = z
  .string()
  .regex(/^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, { error: "YYYY-MM-DD", abort: true })
  .refine(isDate, "no such day");

/**
 * `?from=2026-11-01&to=2026-11-30&interval=day&tz=Asia/Riyadh&fresh=1`. Without `tz` the days are
 * those of the page's time zone. With it, views and clicks are of the days of that zone; visitors
 * and breakdowns are of the same dates in the page's zone, because they are stored by its days.
 */
export const StatsQuery = z.object({
  from: DateText.optional(),
  to: DateText.optional(),
  interval: z.enum(["hour", "day"]).default("day"),
  tz: Zone.optional(),
  fresh: z
    .enum(["0", "1"])
    .default("0")
    .transform((value) => value === "1"),
});
export type StatsQuery = z.infer<typeof StatsQuery>;

/**
 * The days of a query, in the page's zone if it names none. Without `from` and `to`: the last 30
 * days. With `to` alone: the 30 days that end with it. With `from` alone: the 30 days that begin
 * with it, cut at today unless `from` is in the future. Throws 400 if `to` is before `from`, if
 * there are too many days, and for hours of days whose hours are no longer stored.
 */
export function periodOf(
  query: Omit<StatsQuery, "fresh">,
  page_zone: string,
  now_ms: number,
): Period {
  const tz = query.tz === undefined ? page_zone : (canonicalZone(query.tz) ?? query.tz);
  const today = dateAt(now_ms, tz);
  const period = { ...endsOf(query, today), tz };
  if (period.to < period.from) throw refused("to", "before `from`");
  if (daysIn(period) > STATS_DAYS_MAX) throw refused("from", `more than ${STATS_DAYS_MAX} days`);
  if (query.interval === "hour" && period.from < firstHourlyDay(today)) {
    throw refused("interval", `hours are known for ${HOURS_KEPT_DAYS} days`);
  }
  return period;
}

/** The first day whose hours are certainly still stored. */
export function firstHourlyDay(today: string): string {
  return addDays(today, 1 - HOURS_KEPT_DAYS);
}

/** The period of the same length directly before. */
export function periodBefore({ from, to, tz }: Period): Period {
  const days = daysIn({ from, to });
  return { from: addDays(from, -days), to: addDays(from, -1), tz };
}

function endsOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  today: string,
) {
  if (from === undefined) {
    const last = to ?? today;
    return { from: addDays(last, 1 - STATS_DAYS), to: last };
  }
  if (to !== undefined) return { from, to };
  const thirtieth = addDays(from, STATS_DAYS - 1);
  return { from, to: thirtieth < today || from > today ? thirtieth : today };
}

function refused(path: string, message: string): ApiError {
  return new ApiError("VALIDATION_FAILED", { details: { issues: [{ path, message }] } });
}

/** The default interval of the dashboard: hours for a single day, days for more. */
export function usualInterval(days: number): Interval {
  return days === 1 ? "hour" : "day";
}
