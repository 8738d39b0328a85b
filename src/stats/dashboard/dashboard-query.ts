/** The query of the dashboard: a range of days, and hours or days as the interval. */
import * as z from "zod";
import { canonicalZone } from "../../http/time-zone.ts";
import { validate } from "../../http/validate.ts";
import type { View } from "../aggregation.ts";
import { addDays, dateAt, daysIn } from "../calendar.ts";
import { firstHourlyDay, periodOf, StatsQuery, usualInterval } from "../stats-query.ts";

/** The ranges that end today, and their length in days. */
export const RANGES = { today: 1, "7d": 7, "30d": 30, "90d": 90 } as const;
export type Range = keyof typeof RANGES | "custom";

/** Days of the longest period that can be shown by the hour. */
export const HOURLY_DAYS_MAX = 7;

/** `?range=7d&interval=day&tz=Asia/Riyadh&lang=ar`, or `?range=custom&from=…&to=…`. */
export const DashboardQuery = z.object({
  range: z.enum(["today", "7d", "30d", "90d", "custom"]).default("7d"),
  interval: z.enum(["hour", "day"]).optional(),
  lang: z.enum(["ar", "en"]).optional(),
});

interface DashboardView extends View {
  range: Range;
}

/**
 * The view of a query. Without `tz` its days are those of the page's time zone. Throws 400 for days
 * and zones that do not exist. A period that is too long or too old for hours is shown by days.
 */
export function viewOf(
  query: Record<string, string>,
  page_zone: string,
  now_ms: number,
): DashboardView {
  const { range, interval } = validate(DashboardQuery, query);
  const { tz = page_zone } = validate(StatsQuery.pick({ tz: true }), query);
  const today = dateAt(now_ms, canonicalZone(tz) ?? tz);
  const period =
    range === "custom"
      ? periodOf(
          {
            ...validate(StatsQuery.pick({ from: true, to: true }), given(query)),
            tz,
            interval: "day",
          },
          page_zone,
          now_ms,
        )
      : periodOf(
          { from: addDays(today, 1 - RANGES[range]), to: today, tz, interval: "day" },
          page_zone,
          now_ms,
        );
  const days = daysIn(period);
  const hourly = days <= HOURLY_DAYS_MAX && period.from >= firstHourlyDay(today);
  const wanted = interval ?? usualInterval(days);
  return { range, period, interval: hourly ? wanted : "day", page_zone };
}

/** Without empty parameters: a form sends an empty field as an empty string. */
function given(query: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}
