/** Days of a time zone, from midnight to midnight. Pure. */
import { Temporal } from "temporal-polyfill";
import { SECOND_MS } from "./clock.ts";

/** Unix seconds; `to_s` is excluded. */
export interface Day {
  from_s: number;
  to_s: number;
}

/**
 * The day of `at_ms` in a zone by its IANA name: 23 or 25 hours long when the clocks change, and
 * from the first moment of its date where there is no midnight, or from the first of two midnights.
 * Takes a fraction of a millisecond, so it is for once a day.
 */
export function localDay(at_ms: number, time_zone: string): Day {
  const at_s = Math.floor(at_ms / SECOND_MS);
  const zoned = Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO(time_zone);
  let date = zoned.toPlainDate();
  for (let from_s = startOf(date, time_zone); ; ) {
    date = date.add({ days: 1 });
    const to_s = startOf(date, time_zone);
    // Between two midnights of one date, the clock shows the date before, which is over.
    if (at_s < to_s) return { from_s, to_s };
    from_s = to_s;
  }
}

function startOf(date: Temporal.PlainDate, time_zone: string): number {
  return date.toZonedDateTime(time_zone).epochMilliseconds / SECOND_MS;
}
