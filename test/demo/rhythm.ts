/** How visits are distributed over time: by local hour, by weekend, and by the age of a post. Pure. */
import { HOUR_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import type { Country } from "./audiences.ts";

/** A day's visits by local hour, from midnight on. */
const WORKDAY = rhythm(
  [9, 5, 3, 2, 2, 4, 10, 19, 23, 21, 21, 24],
  [30, 29, 25, 25, 28, 35, 43, 52, 60, 63, 48, 24],
);
const WEEKEND = rhythm(
  [17, 11, 6, 3, 2, 2, 4, 8, 16, 27, 35, 38],
  [38, 37, 36, 36, 38, 42, 48, 54, 60, 62, 52, 33],
);

/** After this a post brings no more views. */
const POST_HOURS = 48;
/** Time constant of a post's decay: after this its views per hour are down to 37 %. */
const POST_FADES_H = 13;

/** Share of an ordinary day's visits from a country in the hour that starts at `hour` (unix second). */
export function presence(
  { utc_offset_h, weekend }: Country,
  weekend_factor: number,
  hour: number,
): number {
  const local = new Date(hour * SECOND_MS + utc_offset_h * HOUR_MS);
  const is_weekend = weekend.includes(local.getUTCDay());
  const share = (is_weekend ? WEEKEND : WORKDAY)[local.getUTCHours()] ?? 0;
  return is_weekend ? share * weekend_factor : share;
}

/** Share of a post's views in the hour that begins at the age `age_h`. */
export function freshness(age_h: number): number {
  if (age_h < 0 || age_h >= POST_HOURS) return 0;
  const all = POST_FADES_H * (1 - Math.exp(-POST_HOURS / POST_FADES_H));
  return Math.exp(-age_h / POST_FADES_H) / all;
}

/** Normalises the numbers to a sum of 1. */
function rhythm(before_noon: readonly number[], after_noon: readonly number[]): number[] {
  const hours = [...before_noon, ...after_noon];
  const all = hours.reduce((total, n) => total + n, 0);
  return hours.map((n) => n / all);
}
