import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { dateAt, type Period, spanOf } from "../../stats/calendar.ts";
import type { Interval } from "../../stats/stats-shape.ts";
import { dateFormat, TIME_OPTIONS, timeAt } from "../../views/dates.ts";
import { languageOf, type ReaderLocale } from "../../views/numbering.ts";

/** `15 – 21 November 2026`, or one date for a single day. Calendar days have no time zone. */
export function datesOf(locale: ReaderLocale, { from, to }: Omit<Period, "tz">): string {
  const dates = dateFormat(locale, "UTC", { day: "numeric", month: "long", year: "numeric" });
  return dates.formatRange(Date.parse(from), Date.parse(to));
}

interface MomentNames {
  full: string;
  tick: string;
}

export function momentNames(
  locale: ReaderLocale,
  tz: string,
  interval: Interval,
  has_many_days: boolean,
): (at_ms: number) => MomentNames {
  const day = dateFormat(locale, tz, { day: "numeric", month: "short" });
  const long_day = dateFormat(locale, tz, { weekday: "long", day: "numeric", month: "long" });
  const time = dateFormat(locale, tz, TIME_OPTIONS);
  if (interval === "month") {
    const month = dateFormat(locale, tz, { month: "long", year: "numeric" });
    const tick = dateFormat(locale, tz, { month: "short" });
    return (at_ms) => ({ full: month.format(at_ms), tick: tick.format(at_ms) });
  }
  if (interval === "day") {
    return (at_ms) => ({ full: long_day.format(at_ms), tick: day.format(at_ms) });
  }
  const midnight = timeAt(locale, 0, "UTC");
  const comma = languageOf(locale) === "ar" ? "، " : ", ";
  return (at_ms) => {
    const hour = time.format(at_ms);
    return {
      full: has_many_days ? `${long_day.format(at_ms)}${comma}${hour}` : hour,
      tick: has_many_days && hour === midnight ? day.format(at_ms) : hour,
    };
  };
}

/** The time in `tz` when the page's days begin, `03:00`; null if days of `tz` begin then too. */
export function pageDayBegins(
  locale: ReaderLocale,
  now_ms: number,
  { tz, page_zone }: { tz: string; page_zone: string },
): string | null {
  const begins_s = todayBegins(now_ms, page_zone);
  return begins_s === todayBegins(now_ms, tz) ? null : timeAt(locale, begins_s * SECOND_MS, tz);
}

/** Unix seconds. */
function todayBegins(now_ms: number, tz: string): number {
  const today = dateAt(now_ms, tz);
  return spanOf({ from: today, to: today, tz }).from_s;
}
