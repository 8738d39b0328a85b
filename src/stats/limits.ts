/** Limits of statistics (docs/contract.md sections 6 and 9). A name ends in its unit. */

/** Days of statistics by default, and the most that may be requested: two years. */
export const STATS_DAYS = 30;
export const STATS_DAYS_MAX = 731;
/** The same by months: eleven years, as long as imported history can be. */
export const STATS_MONTHLY_DAYS_MAX = 4_018;
/** Saves of the page in an answer; the newest of the period. */
export const STATS_REVISIONS_MAX = 100;
/** Values of one dimension in an answer; the rest is under `(other)`. */
export const BREAKDOWN_SHARES_MAX = 100;
/** Tries of a consistent read of D1 and a page's object. */
export const CONSISTENT_READ_TRIES_MAX = 3;
/** Longest wait of the list of pages for objects that flush first, in milliseconds. */
export const LOOK_TIMEOUT_MS = 1_000;
