/**
 * The creator's calendar: which hours and days of D1 belong to a date in a time zone.
 *
 * Tallies are kept by UTC hour, so they can be read in any zone. An hour belongs to the date in
 * which it begins: in a zone with an offset of half an hour, a date starts at its first full UTC
 * hour. Old hours are rolled up into UTC days; such a day counts as the creator's day of the same
 * date.
 *
 * Visitors and breakdowns are kept by days of the page's own time zone, which cannot be divided. A
 * stored day belongs to the date, in the page's present zone, of the time 12 hours after its start.
 * That is its own date for each day of that zone. A day that was stored before a change of the zone
 * belongs to the date on which most of it lies: a day of UTC to the same date in America, although
 * it starts there on the evening before.
 */
import { addDays, dateAt, midnightUtc, startOf, toDate } from "../../objects/platform/calendar.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { offsetAt } from "../../objects/platform/zone-clock.ts";

export { addDays, dateAt };

const HOUR_S = HOUR_MS / SECOND_MS;

/** Whole days in a time zone, by its IANA name. Dates are `YYYY-MM-DD`; `to` is included. */
export interface Period {
  from: string;
  to: string;
  tz: string;
}

/** Unix seconds; `to_s` is excluded. */
export interface Span {
  from_s: number;
  to_s: number;
}

/** One day, or one month; `date` is its first day, `YYYY-MM-DD`. */
export interface DaySpan extends Span {
  date: string;
}

/** False for days that do not exist, such as `2026-02-30`. */
export function isDate(text: string): boolean {
  return toDate(midnightUtc(text)) === text;
}

/** Includes `from` and `to`. */
export function daysIn({ from, to }: Pick<Period, "from" | "to">): number {
  return (midnightUtc(to) - midnightUtc(from)) / DAY_MS + 1;
}

/** Days from midnight to midnight: 23 or 25 hours long when the clocks change. */
export function daysOf(period: Period): DaySpan[] {
  const days: DaySpan[] = [];
  let from_s = startOf(period.from, period.tz);
  for (let date = period.from; date <= period.to; ) {
    const next = addDays(date, 1);
    const to_s = startOf(next, period.tz);
    days.push({ date, from_s, to_s });
    [date, from_s] = [next, to_s];
  }
  return days;
}

/** The first and the last month only as far as the period has them. */
export function monthsOf(period: Period): DaySpan[] {
  const months: DaySpan[] = [];
  let from_s = startOf(period.from, period.tz);
  for (let date = period.from; date <= period.to; ) {
    const [year = 0, month = 0] = date.split("-").map(Number);
    // Months are counted from 0, so this is the next one.
    const first = toDate(Date.UTC(year, month, 1));
    const next = first <= period.to ? first : addDays(period.to, 1);
    const to_s = startOf(next, period.tz);
    months.push({ date, from_s, to_s });
    [date, from_s] = [next, to_s];
  }
  return months;
}

export function spanOf({ from, to, tz }: Period): Span {
  return { from_s: startOf(from, tz), to_s: startOf(addDays(to, 1), tz) };
}

export function hoursOf({ from_s, to_s }: Span): number[] {
  const first = Math.ceil(from_s / HOUR_S) * HOUR_S;
  const n = Math.max(0, Math.ceil((to_s - first) / HOUR_S));
  return Array.from({ length: n }, (_, i) => first + i * HOUR_S);
}

/** Local time with the zone's offset, `2026-11-21T00:00:00+03:00` (RFC 3339). */
export function localTime(at_s: number, tz: string): string {
  const at_ms = at_s * SECOND_MS;
  const offset_ms = offsetAt(tz, at_ms);
  const clock = new Date(at_ms + offset_ms).toISOString().slice(0, -".000Z".length);
  // Whole minutes, as RFC 3339 has them.
  const minutes = Math.round(Math.abs(offset_ms) / MINUTE_MS);
  const two = (n: number) => String(n).padStart(2, "0");
  const sign = offset_ms < 0 ? "-" : "+";
  return `${clock}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
