/**
 * Times on the clock of a zone, as `<input type="datetime-local">` has them: `2026-03-29T02:30`. Exact
 * through changes of the clock, with the zone data of the browser.
 */

const MINUTE_S = 60;
const DAY_S = 86_400;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-u-ca-iso8601-nu-latn", {
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

/** What the clock shows at this second, as if it were UTC. */
function shownSecond(unix_s: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(unix_s * 1_000);
  const [year, month, day, hour, minute, second] = [
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
  ].map((type) => Number(parts.find((part) => part.type === type)?.value));
  const shown = new Date(0);
  shown.setUTCFullYear(year ?? 0, (month ?? 1) - 1, day);
  shown.setUTCHours(hour ?? 0, minute, second);
  return shown.getTime() / 1_000;
}

/** Seconds by which the zone's clock is ahead of UTC. */
function offsetAt(unix_s: number, zone: string): number {
  return shownSecond(unix_s, zone) - unix_s;
}

/** What the zone's clock shows at this second, without the seconds. */
export function clockAt(unix_s: number, zone: string): string {
  // ISO 8601 writes years beyond four digits as +012026, the field as 12026.
  const iso = new Date(shownSecond(unix_s, zone) * 1_000).toISOString().replace(/^\+0*/, "");
  return iso.slice(0, iso.indexOf("T") + "T00:00".length);
}

/** Days from the date in `zone` of one second to that of another. */
export function daysBetween(from_s: number, to_s: number, zone: string): number {
  const day = (unix_s: number) => Math.floor(shownSecond(unix_s, zone) / DAY_S);
  return day(to_s) - day(from_s);
}

/**
 * The seconds at which the zone's clock shows this: one, or two where it is set back, or none where it
 * is set forward. Null if it is not a time.
 */
export function secondsOf(clock: string, zone: string): number[] | null {
  const shown = readClock(clock);
  if (shown === null) return null;
  // The clock changes at most once within two days.
  const offsets = new Set([offsetAt(shown - DAY_S, zone), offsetAt(shown + DAY_S, zone)]);
  return [...offsets]
    .map((offset) => shown - offset)
    .filter((unix_s) => shownSecond(unix_s, zone) === shown)
    .sort((a, b) => a - b);
}

/**
 * The second that is meant: the first of two, and where the clock skips this time, the time as long
 * after the change as it would have been (as `Temporal` does by default). Null if it is not a time.
 */
export function secondOf(clock: string, zone: string): number | null {
  const found = secondsOf(clock, zone);
  if (found === null) return null;
  const [first] = found;
  if (first !== undefined) return first;
  const shown = readClock(clock) ?? 0;
  return shown - offsetAt(shown - DAY_S, zone);
}

function readClock(clock: string): number | null {
  const [, year, rest] = /^(\d{4,6})(-\d\d-\d\dT\d\d:\d\d)(?::\d\d(?:\.\d+)?)?$/.exec(clock) ?? [];
  if (year === undefined) return null;
  // ISO 8601 has years of four digits, or of six behind a sign.
  const iso_year = year.length === "YYYY".length ? year : `+${year.padStart(6, "0")}`;
  const ms = Date.parse(`${iso_year}${rest}Z`);
  return Number.isNaN(ms) ? null : Math.floor(ms / 1_000 / MINUTE_S) * MINUTE_S;
}

/** The zone's name and its distance from UTC at this second: `Egypt Time (GMT+3)`. */
export function zoneName(zone: string, unix_s: number, language: string): string {
  const name = (timeZoneName: "longGeneric" | "shortOffset") =>
    new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName })
      .formatToParts(unix_s * 1_000)
      .find(({ type }) => type === "timeZoneName")?.value ?? zone;
  const [long, offset] = [name("longGeneric"), name("shortOffset")];
  return long === offset ? long : `${long} (${offset})`;
}
