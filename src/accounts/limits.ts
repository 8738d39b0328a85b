/** Limits of sessions, of the hub and of what a user may do in a day (docs/contract.md sections 6 and 8). A name ends in its unit. */

/** Longest wait for a session in KV or D1; then the hub is asked. */
export const SESSION_STORE_TIMEOUT_MS = 2_000;
export const HUB_TIMEOUT_MS = 5_000;
export const HUB_ANSWER_BYTES_MAX = 65_536;
export const SESSION_CACHE_MS = 60_000;
export const SESSION_COOKIE_CHARS_MAX = 1_024;
export const WEBHOOK_BYTES_MAX = 65_536;
export const WEBHOOK_ID_CHARS_MAX = 256;
export const WEBHOOK_SIGNATURES_MAX = 8;
/** Our clock and the sender's may differ by this. What was recorded earlier is refused. */
export const WEBHOOK_TOLERANCE_S = 300;
export const NOTIFICATION_CHARS_MAX = 500;
/** The oldest ones are deleted. */
export const HUB_NOTIFICATIONS_MAX = 500;
/** Notifications in one answer: default, and maximum also of marks. */
export const NOTIFICATIONS_PER_PAGE = 20;
export const NOTIFICATIONS_PER_PAGE_MAX = 100;
/** Room for the id of a page and a milestone. */
export const NOTIFICATION_ID_CHARS_MAX = 128;
export const READ_BYTES_MAX = 16_384;
/** Pages of an owner that are listed, or whose live sockets are closed together. */
export const PAGES_LISTED_MAX = 500;
/** Pages in `owner_of`: a cookie has room for 4,096 bytes. */
export const OWNER_COOKIE_PAGES_MAX = 60;
export const OWNER_COOKIE_DAYS = 30;
export const OWNER_COOKIES_READ_MAX = 4;
/** Rows of imported history in one unit of `import_kilorows_day`. */
export const IMPORT_UNIT_ROWS = 1_000;
/**
 * A user's limits in any 24 hours, by plan (docs/contract.md section 6): new pictures, each transformed for money;
 * files read for an import or its preview, up to seconds of CPU; imports; their rows of history, in thousands;
 * requests to pages elsewhere and for their pictures, in whatever plan; deletions of pages and undone ones, each of which the cron reads for an hour, and for 35 days where D1 is restored.
 */
export const DAY_LIMITS = {
  pictures_day: { free: 60, pro: 300, business: 1_000 },
  import_reads_day: { free: 50, pro: 200, business: 500 },
  imports_day: { free: 5, pro: 20, business: 50 },
  page_reads_day: { free: 10, pro: 10, business: 10 },
  import_kilorows_day: { free: 100, pro: 500, business: 1_000 },
  ends_day: { free: 100, pro: 300, business: 1_000 },
} as const;
