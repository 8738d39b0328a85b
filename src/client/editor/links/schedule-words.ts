/** The meaning of a link's times now: `Appears in 3 hours`. */
import type { Link } from "../draft.ts";
import { reader } from "../locale.ts";
import { LINKS_TEXTS } from "./links-texts.ts";
import { daysBetween } from "./zone-time.ts";

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
/** A date says more than a larger number of days. */
const DAYS_MAX = 30;

/** Null for a link without times, or whose times have no influence any more. */
export function scheduleWords(
  { from, until }: Pick<Link, "from" | "until">,
  now_s: number,
  zone: string,
): string | null {
  if (until !== null && until <= now_s) return LINKS_TEXTS.ended(relative(until, now_s, zone));
  if (from !== null && from > now_s) return LINKS_TEXTS.appears(relative(from, now_s, zone));
  return until === null ? null : LINKS_TEXTS.ends(relative(until, now_s, zone));
}

function relative(then_s: number, now_s: number, zone: string): string {
  const seconds = then_s - now_s;
  const format = new Intl.RelativeTimeFormat(reader, { numeric: "auto" });
  const distance = Math.abs(seconds);
  const days = daysBetween(now_s, then_s, zone);
  if (distance < MINUTE_S) return LINKS_TEXTS.now;
  if (distance < HOUR_S) return natural(format.format(Math.round(seconds / MINUTE_S), "minute"));
  if (distance < DAY_S / 2 || days === 0) {
    return natural(format.format(Math.round(seconds / HOUR_S), "hour"));
  }
  if (Math.abs(days) <= DAYS_MAX) return natural(format.format(days, "day"));
  const date = new Intl.DateTimeFormat(reader, { timeZone: zone, dateStyle: "long" });
  return LINKS_TEXTS.on(date.format(then_s * 1_000));
}

/** CLDR's Arabic for the future means "within". */
function natural(words: string): string {
  return LOCALE === "ar" ? words.replace(/^خلال /, "بعد ") : words;
}
