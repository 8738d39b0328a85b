/**
 * Dates and days of time zones, for the years 1000 to 9999. Pure. Dates are `YYYY-MM-DD`, zones are IANA names.
 */
import { DAY_MS, SECOND_MS } from "./clock.ts";
import { offsetAt, offsetsAround, timesAt } from "./zone-clock.ts";

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
  return toDate(at_ms + offsetAt(time_zone, at_ms));
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
  const midnight = midnightUtc(date);
  const [first] = timesAt(time_zone, midnight);
  if (first !== undefined) return first / SECOND_MS;
  const [before, after] = offsetsAround(time_zone, midnight);
  // The clock still shows the day before at `early`, and no longer at `late`.
  let [early, late] = [(midnight - after) / SECOND_MS, (midnight - before) / SECOND_MS];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (offsetAt(time_zone, middle * SECOND_MS) === before) early = middle;
    else late = middle;
  }
  return late;
}
