/**
 * The creator's calendar: which hours of the tallies make up a day of theirs.
 *
 * Tallies are by hours of UTC. An hour belongs to the day in which it begins, so where a zone is half an hour
 * off, a day of its begins with its first whole hour of UTC. Hours that were rolled up are whole days of
 * UTC, as visitors and breakdowns always are; such a day stands for the creator's day of the same date.
 */
import { Temporal } from "temporal-polyfill";
import { HOUR_MS, SECOND_MS } from "../../objects/platform/clock.ts";

const HOUR_S = HOUR_MS / SECOND_MS;

/** Whole days in a time zone, the last one included. */
export interface Period {
  /** `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** IANA name. */
  tz: string;
}

/** Unix seconds, without the end. */
export interface Span {
  from_s: number;
  to_s: number;
}

/** A day of somebody's calendar. */
export interface Day extends Span {
  /** `YYYY-MM-DD`. */
  date: string;
}

/** Whether there is such a day. */
export function isDate(text: string): boolean {
  try {
    Temporal.PlainDate.from(text, { overflow: "reject" });
    return true;
  } catch {
    return false;
  }
}

/** The zone as the database of zones spells it, or null where it has none of that name. */
export function canonicalZone(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Which day it is there. */
export function dateAt(at_ms: number, tz: string): string {
  return zoned(at_ms, tz).toPlainDate().toString();
}

/** `YYYY-MM-DD`, so many days later. */
export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** How many days from one to the other, both included. */
export function daysIn({ from, to }: Pick<Period, "from" | "to">): number {
  return (
    Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to), { largestUnit: "day" }).days +
    1
  );
}

/** The days of a period, each from its own midnight to the next: 23 or 25 hours when clocks change. */
export function daysOf(period: Period): Day[] {
  const days: Day[] = [];
  let from_s = startOf(period.from, period.tz);
  for (let date = period.from; date <= period.to; ) {
    const next = addDays(date, 1);
    const to_s = startOf(next, period.tz);
    days.push({ date, from_s, to_s });
    [date, from_s] = [next, to_s];
  }
  return days;
}

/** The whole of a period. */
export function spanOf({ from, to, tz }: Period): Span {
  return { from_s: startOf(from, tz), to_s: startOf(addDays(to, 1), tz) };
}

/** The hours of UTC that begin in a span. */
export function hoursOf({ from_s, to_s }: Span): number[] {
  const first = Math.ceil(from_s / HOUR_S) * HOUR_S;
  const n = Math.max(0, Math.ceil((to_s - first) / HOUR_S));
  return Array.from({ length: n }, (_, i) => first + i * HOUR_S);
}

/** `2026-11-21T00:00:00+03:00`: a moment as clocks there show it (RFC 3339). */
export function localTime(at_s: number, tz: string): string {
  return zoned(at_s * SECOND_MS, tz).toString({ timeZoneName: "never", smallestUnit: "second" });
}

/** Unix seconds. */
function startOf(date: string, tz: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(tz).epochMilliseconds / SECOND_MS;
}

function zoned(at_ms: number, tz: string) {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO(tz);
}
