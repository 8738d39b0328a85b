/**
 * Times on the clock of a zone, as `<input type="datetime-local">` has them: `2026-03-29T02:30`.
 * Exact through changes of the clock, with the zone data of the browser.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../../objects/platform/clock.ts";
import { offsetAt, offsetsAround, timesAt } from "../../../../objects/platform/zone-clock.ts";

/** The zone's clock at this second as if it were UTC, in milliseconds. */
function shownAt(unix_s: number, zone: string): number {
  const at_ms = unix_s * SECOND_MS;
  return at_ms + offsetAt(zone, at_ms);
}

/** The zone's clock at this second, without the seconds. */
export function clockAt(unix_s: number, zone: string): string {
  // ISO 8601 writes years beyond four digits as +012026, the field as 12026.
  const iso = new Date(shownAt(unix_s, zone)).toISOString().replace(/^\+0*/, "");
  return iso.slice(0, iso.indexOf("T") + "T00:00".length);
}

export function daysBetween(from_s: number, to_s: number, zone: string): number {
  const day = (unix_s: number) => Math.floor(shownAt(unix_s, zone) / DAY_MS);
  return day(to_s) - day(from_s);
}

/** One second, two where the clock is set back, none where forward; null for what is no time. */
export function secondsOf(clock: string, zone: string): number[] | null {
  const shown = readClock(clock);
  if (shown === null) return null;
  return timesAt(zone, shown).map((at_ms) => at_ms / SECOND_MS);
}

/**
 * The first of two seconds, and where the clock skips this time, the time as long after the change
 * as it would have been (as `Temporal` does by default). Null if it is not a time.
 */
export function secondOf(clock: string, zone: string): number | null {
  const found = secondsOf(clock, zone);
  if (found === null) return null;
  const [first] = found;
  if (first !== undefined) return first;
  const shown = readClock(clock) ?? 0;
  const [before] = offsetsAround(zone, shown);
  return (shown - before) / SECOND_MS;
}

/** The field's time as if it were UTC, in milliseconds. */
function readClock(clock: string): number | null {
  const [, year, rest] = /^(\d{4,6})(-\d\d-\d\dT\d\d:\d\d)(?::\d\d(?:\.\d+)?)?$/.exec(clock) ?? [];
  if (year === undefined) return null;
  // ISO 8601 has years of four digits, or of six behind a sign.
  const iso_year = year.length === "YYYY".length ? year : `+${year.padStart(6, "0")}`;
  const ms = Date.parse(`${iso_year}${rest}Z`);
  return Number.isNaN(ms) ? null : Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

/** `Egypt Time (GMT+3)`: the name and the distance from UTC at this second. */
export function zoneName(zone: string, unix_s: number, language: string): string {
  const name = (timeZoneName: "longGeneric" | "shortOffset") =>
    new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName })
      .formatToParts(unix_s * SECOND_MS)
      .find(({ type }) => type === "timeZoneName")?.value ?? zone;
  const [long, offset] = [name("longGeneric"), name("shortOffset")];
  return long === offset ? long : `${long} (${offset})`;
}
