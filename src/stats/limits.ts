/** Limits of statistics (docs/contract.md sections 6 and 9). A name ends in its unit. */

/** The default, and the most that may be requested: two years. */
export const STATS_DAYS = 30;
export const STATS_DAYS_MAX = 731;
/** The same by months: eleven years, as long as imported history can be. */
export const STATS_MONTHLY_DAYS_MAX = 4_018;
export const STATS_REVISIONS_MAX = 100;
export const BREAKDOWN_SHARES_MAX = 100;
export const CONSISTENT_READ_TRIES_MAX = 3;
/** Longest wait of the list of pages for objects that flush first. */
export const LOOK_TIMEOUT_MS = 1_000;
