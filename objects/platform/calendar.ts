/** Dates (`YYYY-MM-DD`) and days of time zones (IANA names), for the years 1000 to 9999. Pure. */
import { DAY_MS, SECOND_MS } from "./clock.ts";
import { offsetAt, offsetsAround, timesAt } from "./zone-clock.ts";

/** `to_s` is excluded; both are unix seconds. */
export interface Day {
  from_s: number;
  to_s: number;
}

/** A day has 23 or 25 hours when the clocks change, and begins at its first moment. */
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

export function dateAt(at_ms: number, time_zone: string): string {
  return toDate(at_ms + offsetAt(time_zone, at_ms));
}

export function addDays(date: string, days: number): string {
  return toDate(midnightUtc(date) + days * DAY_MS);
}

/** Unix milliseconds; `2026-02-30` is 2 March. */
export function midnightUtc(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  return Date.UTC(year, month - 1, day);
}

export function toDate(at_ms: number): string {
  return new Date(at_ms).toISOString().slice(0, "YYYY-MM-DD".length);
}

/**
 * Unix seconds: the first of two midnights, or when the clocks went past midnight. A date that a
 * zone left out begins, and ends, when they went past it.
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
