/**
 * The clocks of time zones, by the rules that `Intl` has of them: in the runtime, or in the
 * reader's browser. Pure. Zones are IANA names, times are Unix milliseconds.
 *
 * The runtime lacks `Temporal`, and a polyfill is larger than all objects together. Tests compare
 * both.
 */
import { BoundedMap } from "./bounded-map.ts";
import { DAY_MS, SECOND_MS } from "./clock.ts";

/** Making a format takes 50 µs, using it 1. */
const FORMATS_MAX = 32;
const formats = new BoundedMap<string, Intl.DateTimeFormat>(FORMATS_MAX);

/** Milliseconds by which the zone is ahead of UTC. Throws RangeError for no zone. */
export function offsetAt(zone: string, at_ms: number): number {
  const at_s = Math.floor(at_ms / SECOND_MS);
  // 11/22/2026, 17:05:09
  const numbers = formatOf(zone)
    .format(at_s * SECOND_MS)
    .split(/\D+/)
    .map(Number);
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers;
  const shown = new Date(0);
  // `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
  shown.setUTCFullYear(year, month - 1, day);
  return shown.setUTCHours(hour, minute, second) - at_s * SECOND_MS;
}

/** `shown_ms` is the shown time as if it were UTC: it comes twice, once or never. */
export function timesAt(zone: string, shown_ms: number): number[] {
  return offsetsAround(zone, shown_ms)
    .map((offset) => shown_ms - offset)
    .filter(
      (at_ms, i, all) => all.indexOf(at_ms) === i && at_ms + offsetAt(zone, at_ms) === shown_ms,
    )
    .sort((a, b) => a - b);
}

/** No zone changes its clocks twice in two days. */
export function offsetsAround(zone: string, shown_ms: number): [before: number, after: number] {
  return [offsetAt(zone, shown_ms - DAY_MS), offsetAt(zone, shown_ms + DAY_MS)];
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formats.set(zone, made);
  return made;
}
