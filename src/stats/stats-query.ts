import * as z from "zod/mini";
import { DIMENSIONS, type Dimension, LABEL_CHARS_MAX } from "../../objects/events/event.ts";
import { HOURS_KEPT_DAYS } from "../../objects/page/tables/retention.ts";
import { ApiError } from "../http/api-error.ts";
import { Id } from "../http/ids.ts";
import { canonicalZone, Zone } from "../http/time-zone.ts";
import { addDays, dateAt, daysIn, isDate, type Period } from "./calendar.ts";
import { STATS_DAYS, STATS_DAYS_MAX, STATS_MONTHLY_DAYS_MAX } from "./limits.ts";
import type { PageColumns } from "./page-columns.ts";
import type { Interval } from "./stats-shape.ts";

const DateText = z.string().check(
  z.regex(/^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, {
    error: "YYYY-MM-DD",
    abort: true,
  }),
  z.refine(isDate, "no such day"),
);

/** `all` begins with the page, or with history that was imported into it. */
export const RANGES = ["today", "yesterday", "7d", "30d", "90d", "all"] as const;
export type Range = (typeof RANGES)[number];

/** These ranges end today; the length is in days. */
const DAYS_OF_RANGE: Readonly<Record<Exclude<Range, "yesterday" | "all">, number>> = {
  today: 1,
  "7d": 7,
  "30d": 30,
  "90d": 90,
};

const FILTER = new RegExp(`^(${DIMENSIONS.join("|")}):([\\s\\S]{1,${LABEL_CHARS_MAX}})$`, "u");

/**
 * `?from=2026-11-01&to=2026-11-30&interval=day&tz=Asia/Riyadh&fresh=1`, or `?range=all`. Without
 * `tz` the days are those of the page's time zone. With it, views and clicks are of the days of
 * that zone; visitors and breakdowns are of the same dates in the page's zone, because they are
 * stored by its days. `link=<link_id>` and `filter=country:SA` add one link or one value over time.
 */
export const StatsQuery = z.object({
  range: z.optional(z.enum(RANGES)),
  from: z.optional(DateText),
  to: z.optional(DateText),
  interval: z.optional(z.enum(["hour", "day", "month"])),
  tz: z.optional(Zone),
  link: z.optional(Id),
  filter: z.optional(z.string().check(z.regex(FILTER, "dimension:value"))),
  fresh: z.pipe(
    z._default(z.enum(["0", "1"]), "0"),
    z.transform((value) => value === "1"),
  ),
});
export type StatsQuery = z.infer<typeof StatsQuery>;

type PeriodQuery = Pick<StatsQuery, "range" | "from" | "to" | "tz">;
type PageDays = Pick<PageColumns, "time_zone" | "since">;

export interface Filter {
  dimension: Dimension;
  value: string;
}

export interface Part {
  link: string | null;
  filter: Filter | null;
}

/** Throws 400 for a link and a value together: how many clicked what from where is not stored. */
export function partOf({ link, filter }: Pick<StatsQuery, "link" | "filter">): Part {
  if (link !== undefined && filter !== undefined) throw refused("filter", "not with `link`");
  const [, dimension, value] = FILTER.exec(filter ?? "") ?? [];
  return {
    link: link ?? null,
    filter: value === undefined ? null : { dimension: dimension as Dimension, value },
  };
}

/**
 * The days of a query, in the page's zone if it names none. Without `range`, `from` and `to`: the
 * last 30 days. With `to` alone: the 30 days that end with it. With `from` alone: the 30 days that
 * begin with it, cut at today unless `from` is in the future. Throws 400 if `to` is before `from`,
 * and for a range together with days.
 */
export function periodOf(query: PeriodQuery, page: PageDays, now_ms: number): Period {
  const { range, from, to } = query;
  const tz = zoneOf(query.tz, page);
  const today = dateAt(now_ms, tz);
  if (range === undefined) {
    const period = { ...endsOf({ from, to }, today), tz };
    if (period.to < period.from) throw refused("to", "before `from`");
    return period;
  }
  if (from !== undefined || to !== undefined) throw refused("range", "not with `from` or `to`");
  return { ...daysOfRange(range, today, () => firstDay(page, tz, today)), tz };
}

/**
 * The query's interval, else days, and months for a range that has too many days. Throws 400 for
 * more points than an answer may have, for hours of days whose hours are no longer stored, and for
 * hours of one value of a dimension, which are never stored.
 */
export function intervalOf(
  { range, interval, filter }: Pick<StatsQuery, "range" | "interval" | "filter">,
  period: Period,
  now_ms: number,
): Interval {
  const days = daysIn(period);
  const asked = interval ?? (range === "all" && days > STATS_DAYS_MAX ? "month" : "day");
  const most = asked === "month" ? STATS_MONTHLY_DAYS_MAX : STATS_DAYS_MAX;
  if (days > most) throw refused("from", `more than ${most} days`);
  if (asked !== "hour") return asked;
  if (filter !== undefined) throw refused("interval", "hours are not known of one value");
  if (period.from < firstHourlyDay(dateAt(now_ms, period.tz))) {
    throw refused("interval", `hours are known for ${HOURS_KEPT_DAYS} days`);
  }
  return asked;
}

/** Hours of this day and later ones are certainly still stored. */
export function firstHourlyDay(today: string): string {
  return addDays(today, 1 - HOURS_KEPT_DAYS);
}

export function periodBefore({ from, to, tz }: Period): Period {
  const days = daysIn({ from, to });
  return { from: addDays(from, -days), to: addDays(from, -1), tz };
}

export function zoneOf(tz: string | undefined, { time_zone }: Pick<PageDays, "time_zone">): string {
  return tz === undefined ? time_zone : (canonicalZone(tz) ?? tz);
}

function daysOfRange(range: Range, today: string, first: () => string) {
  switch (range) {
    case "all":
      return { from: first(), to: today };
    case "yesterday":
      return { from: addDays(today, -1), to: addDays(today, -1) };
    default:
      return { from: addDays(today, 1 - DAYS_OF_RANGE[range]), to: today };
  }
}

/**
 * The first day of the page, or of its imported history, but not more days ago than an answer may
 * have. The earlier one of both zones: visitors are stored by days of the page's.
 */
function firstDay({ time_zone, since }: PageDays, tz: string, today: string): string {
  const earliest = addDays(today, 1 - STATS_MONTHLY_DAYS_MAX);
  const [first = today] = [dateAt(since, tz), dateAt(since, time_zone), today].sort();
  return first < earliest ? earliest : first;
}

function endsOf({ from, to }: { from: string | undefined; to: string | undefined }, today: string) {
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
