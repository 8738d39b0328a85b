/** Limits of error reports (docs/contract.md section 6). A name ends in its unit. */

/** One sender's new groups over all error logs together: a flood must not displace real errors. */
export const ERROR_GROUPS_PER_HOUR = 5;
export const ERROR_REPORT_BYTES_MAX = 32_768;
export const ERROR_MESSAGE_CHARS_MAX = 2_000;
export const ERROR_STACK_CHARS_MAX = 8_000;
export const ERROR_URL_CHARS_MAX = 2_048;
