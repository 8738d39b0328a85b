/**
 * Dates and days of time zones, by the rules that the runtime's `Intl` has; for the years 1000 to 9999. Pure.
 *
 * Not `Temporal`, which the runtime lacks: a polyfill is larger than all objects together. Tests compare
 * the two. Dates are `YYYY-MM-DD`, zones are IANA names.
 */
import { BoundedMap } from "./bounded-map.ts";
import { DAY_MS, SECOND_MS } from "./clock.ts";

const DAY_S = DAY_MS / SECOND_MS;

/** Unix seconds; `to_s` is excluded. */
export interface Day {
  from_s: number;
  to_s: number;
}

/**
 * The day of `at_ms` in a zone: 23 or 25 hours long when the clocks change, and from the first moment of its
 * date where there is no midnight, or from the first of two midnights.
 */
export function localDay(at_ms: number, time_zone: string): Day {
  const at_s = Math.floor(at_ms / SECOND_MS);
  let date = dateAt(at_ms, time_zone);
  for (let from_s = startOf(date, time_zone); ; ) {
    date = addDays(date, 1);
    const to_s = startOf(date, time_zone);
    // Between two midnights of one date, the clock shows the date before, which is over.
    if (at_s < to_s) return { from_s, to_s };
    from_s = to_s;
  }
}

/** The date in the zone. */
export function dateAt(at_ms: number, time_zone: string): string {
  const at_s = Math.floor(at_ms / SECOND_MS);
  return toDate((at_s + offsetAt(at_s, time_zone)) * SECOND_MS);
}

/** The date `days` later. */
export function addDays(date: string, days: number): string {
  return toDate(midnightUtc(date) + days * DAY_MS);
}

/** Midnight of the date in UTC, in Unix milliseconds; of 2 March for `2026-02-30`. */
export function midnightUtc(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  return Date.UTC(year, month - 1, day);
}

/** The date of a time in UTC. */
export function toDate(at_ms: number): string {
  return new Date(at_ms).toISOString().slice(0, "YYYY-MM-DD".length);
}

/**
 * The first moment of a date, in Unix seconds: the first of two midnights, or when the clocks went past midnight.
 * A date that a zone left out begins, and ends, when they went past it.
 */
export function startOf(date: string, time_zone: string): number {
  const midnight_s = midnightUtc(date) / SECOND_MS;
  // No zone changes its clocks twice in two days.
  const before = offsetAt(midnight_s - DAY_S, time_zone);
  const after = offsetAt(midnight_s + DAY_S, time_zone);
  const midnights = [before, after]
    .map((offset) => ({ at_s: midnight_s - offset, offset }))
    .filter(({ at_s, offset }) => offsetAt(at_s, time_zone) === offset)
    .map(({ at_s }) => at_s);
  if (midnights.length > 0) return Math.min(...midnights);
  // The clock still shows the day before at `early`, and no longer at `late`.
  let [early, late] = [midnight_s - after, midnight_s - before];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (offsetAt(middle, time_zone) === before) early = middle;
    else late = middle;
  }
  return late;
}

/** Making a format takes 50 µs, using it 1. */
const FORMATS_MAX = 32;
const formats = new BoundedMap<string, Intl.DateTimeFormat>(FORMATS_MAX);

/** Seconds by which the clocks of a zone are ahead of UTC. Throws RangeError for no zone. */
export function offsetAt(at_s: number, time_zone: string): number {
  let format = formats.get(time_zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: time_zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formats.set(time_zone, format);
  }
  // 11/22/2026, 17:05:09
  const numbers = format
    .format(at_s * SECOND_MS)
    .split(/\D+/)
    .map(Number);
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers;
  return Date.UTC(year, month - 1, day, hour, minute, second) / SECOND_MS - at_s;
}
