/** Limits of tips (docs/contract.md sections 6 and 11). A name ends in its unit. */

/** The body of a tip, also of a form, whose message has 3,360 bytes at most. */
export const TIP_BYTES_MAX = 8_192;
/** Tips in one answer by default, and the most that may be requested. */
export const TIPS_PER_PAGE = 20;
export const TIPS_PER_PAGE_MAX = 100;
