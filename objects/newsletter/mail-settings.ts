/**
 * The settings MAIL_FROM and MAIL_PER_DAY. A wrong one closes the routes (`src/http/config.ts`), and
 * mails that are queued wait for a deployment with right ones (docs/faults.md F26), as they do without
 * a sender: a limit of `NaN` or `1e9` mails would be none.
 */

/** Mails of all pages together that `MAIL_PER_DAY` may allow: their times are kept in one object. */
export const MAIL_PER_DAY_MAX = 100_000;

/** ASCII letters only. */
const ADDRESS = /^[A-Za-z0-9._+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$/;
/** `Number` would take `1e3` and ` 1` too. */
const WHOLE_NUMBER = /^[1-9]\d{0,5}$/;

/** Whether this is an address to send from, or `''`: there are no newsletters, which is no fault. */
export function isMailFrom(setting: unknown): boolean {
  return typeof setting === "string" && (setting === "" || ADDRESS.test(setting));
}

/** The number of mails, or null if the setting is missing, malformed or out of range. */
export function parseMailPerDay(setting: unknown): number | null {
  if (typeof setting !== "string" || !WHOLE_NUMBER.test(setting)) return null;
  const n = Number(setting);
  return n <= MAIL_PER_DAY_MAX ? n : null;
}

/** What an object sends by: no sender, and so no mail, while one of the two is wrong. */
export function mailSettings(env: { MAIL_FROM?: string; MAIL_PER_DAY?: string }): {
  mail_from: string;
  per_day: number;
} {
  const per_day = parseMailPerDay(env.MAIL_PER_DAY);
  const is_right = per_day !== null && isMailFrom(env.MAIL_FROM);
  return { mail_from: (is_right && env.MAIL_FROM) || "", per_day: per_day ?? 0 };
}
