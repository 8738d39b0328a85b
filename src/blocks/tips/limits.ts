/** Limits of tips (docs/contract.md sections 6 and 11). A name ends in its unit. */

/** Size of a tip's body; in a form, a message has at most 3,360 bytes. */
export const TIP_BYTES_MAX = 8_192;
/** Tips in one answer: default and maximum. */
export const TIPS_PER_PAGE = 20;
export const TIPS_PER_PAGE_MAX = 100;
