/** Limits of newsletters (docs/contract.md sections 6 and 11). A name ends in its unit. */

export const NEWSLETTER_BYTES_MAX = 4_096;
export const SUBSCRIBERS_PER_PAGE = 50;
export const SUBSCRIBERS_PER_PAGE_MAX = 100;
export const SUBSCRIBERS_PER_READ = 1_000;
/** Sign-ups of one sender for newsletters in any `NEWSLETTER_WINDOW_S`. */
export const NEWSLETTER_PER_DAY = 30;
/** Sign-ups of an IPv6 /48: as many as four senders have. */
export const NEWSLETTER_NETWORK_PER_DAY = 4 * NEWSLETTER_PER_DAY;
export const NEWSLETTER_WINDOW_S = 86_400;
