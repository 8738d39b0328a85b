/** What may be asked of a page's statistics: which days, of whose calendar, by the hour or by the day. */
import * as z from "zod";
import { HOURS_KEPT_DAYS } from "../../objects/tables/retention.ts";
import { ApiError } from "../http/api-error.ts";
import { STATS_DAYS, STATS_DAYS_MAX, ZONE_CHARS_MAX } from "../http/limits.ts";
import { addDays, canonicalZone, dateAt, daysIn, isDate, type Period } from "./calendar.ts";
import type { Interval } from "./stats-shape.ts";

const Day = z
  .string()
  .regex(/^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, { error: "YYYY-MM-DD", abort: true })
  .refine(isDate, "no such day");

/** An offset like `+03:00` is no zone: it does not know when clocks change. */
const Zone = z
  .string()
  .max(ZONE_CHARS_MAX, { abort: true })
  .regex(/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/, {
    error: "an IANA time zone",
    abort: true,
  })
  .refine((name) => canonicalZone(name) !== null, "no such time zone");

/** `?from=2026-11-01&to=2026-11-30&interval=day&tz=Asia/Riyadh&fresh=1`. */
export const StatsQuery = z.object({
  from: Day.optional(),
  to: Day.optional(),
  interval: z.enum(["hour", "day"]).default("day"),
  tz: Zone.default("UTC"),
  fresh: z
    .enum(["0", "1"])
    .default("0")
    .transform((value) => value === "1"),
});
export type StatsQuery = z.infer<typeof StatsQuery>;

/**
 * The days that are meant: the last 30 where nothing is said, and 30 of them where only one end is; none of
 * them later than today, but for what was asked for. Throws 400 for days the wrong way round, too many of
 * them, and hours of days of which they are no longer known.
 */
export function periodOf(query: Omit<StatsQuery, "fresh">, now_ms: number): Period {
  const tz = canonicalZone(query.tz) ?? query.tz;
  const today = dateAt(now_ms, tz);
  const period = { ...endsOf(query, today), tz };
  if (period.to < period.from) throw refused("to", "before `from`");
  if (daysIn(period) > STATS_DAYS_MAX) throw refused("from", `more than ${STATS_DAYS_MAX} days`);
  if (query.interval === "hour" && period.from < firstHourlyDay(today)) {
    throw refused("interval", `hours are known for ${HOURS_KEPT_DAYS} days`);
  }
  return period;
}

/** The first day whose hours are surely known. */
export function firstHourlyDay(today: string): string {
  return addDays(today, 1 - HOURS_KEPT_DAYS);
}

/** The period before, as long. */
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

/** How a series is told where nobody said it: by the hour for a day, else by the day. */
export function usualInterval(days: number): Interval {
  return days === 1 ? "hour" : "day";
}
