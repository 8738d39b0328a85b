/**
 * The settings MAIL_FROM, MAIL_PER_DAY and SITE_ORIGIN. A wrong one closes the routes
 * (`src/http/config.ts`), and queued mails wait for a deployment with right ones (docs/faults.md
 * F26): a limit of `NaN` or `1e9` mails would be none. The links of mails begin with SITE_ORIGIN,
 * never with the `Host` of a request: whoever sends the form chooses that, and the mail's token
 * would go there.
 */

/** The most that `MAIL_PER_DAY` may allow: the times of mails are kept in one object. */
export const MAIL_PER_DAY_MAX = 100_000;

/** Accounts of the service's own get one of so many: neither they nor newsletters take all. */
const ACCOUNTS_PART = 4;

/** ASCII letters only. */
const ADDRESS = /^[A-Za-z0-9._+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$/;
/** `Number` would take `1e3` and ` 1` too. */
const WHOLE_NUMBER = /^[1-9]\d{0,5}$/;

/** `''` means that there are no newsletters, which is no fault. */
export function isMailFrom(setting: unknown): boolean {
  return typeof setting === "string" && (setting === "" || ADDRESS.test(setting));
}

/**
 * Links can begin with an origin as `URL.origin` spells it, and https, because they carry tokens;
 * http on this machine alone. `''`: the deployment has not said where it is, and sends no links.
 */
export function isSiteOrigin(setting: unknown): boolean {
  if (setting === "") return true;
  const url = typeof setting === "string" ? URL.parse(setting) : null;
  return (
    url !== null &&
    url.origin === setting &&
    (url.protocol === "https:" || /^(?:localhost|127\.0\.0\.1)$/.test(url.hostname))
  );
}

export function parseMailPerDay(setting: unknown): number | null {
  if (typeof setting !== "string" || !WHOLE_NUMBER.test(setting)) return null;
  const n = Number(setting);
  return n <= MAIL_PER_DAY_MAX ? n : null;
}

/** Without a sender no mail is sent: a setting is wrong, or an origin or the binding is missing. */
export function mailSettings(env: {
  /** A deployment on the free plan lacks this binding. */
  MAIL?: unknown;
  MAIL_FROM?: string;
  MAIL_PER_DAY?: string;
  SITE_ORIGIN?: string;
  HUB_URL?: string;
}): { mail_from: string; site: string; per_day: number; accounts_per_day: number } {
  const all = parseMailPerDay(env.MAIL_PER_DAY);
  const site = (isSiteOrigin(env.SITE_ORIGIN) && env.SITE_ORIGIN) || "";
  const is_right = all !== null && site !== "" && isMailFrom(env.MAIL_FROM) && Boolean(env.MAIL);
  const accounts_per_day = env.HUB_URL === "" ? Math.ceil((all ?? 0) / ACCOUNTS_PART) : 0;
  const per_day = (all ?? 0) - accounts_per_day;
  return { mail_from: (is_right && env.MAIL_FROM) || "", site, per_day, accounts_per_day };
}
