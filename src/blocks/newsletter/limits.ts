/** Limits of newsletters (docs/contract.md sections 6 and 11). A name ends in its unit. */

/** A request to subscribe. */
export const NEWSLETTER_BYTES_MAX = 4_096;
/** Subscribers on one page of their list. */
export const SUBSCRIBERS_PER_PAGE = 50;
export const SUBSCRIBERS_PER_PAGE_MAX = 100;
/** Subscribers that one call reads for the table of all. */
export const SUBSCRIBERS_PER_READ = 1_000;
/** Sign-ups of one sender for newsletters in any `NEWSLETTER_WINDOW_S`. */
export const NEWSLETTER_PER_DAY = 30;
/** Those of an IPv6 /48: of four senders that sign up as often as they may. */
export const NEWSLETTER_NETWORK_PER_DAY = 4 * NEWSLETTER_PER_DAY;
export const NEWSLETTER_WINDOW_S = 86_400;
