/** Limits of suggestions (docs/contract.md sections 6 and 11). A name ends in its unit. */

/** Suggestions (docs/contract.md section 11): requests of one user in any 24 hours, by plan. */
export const AI_REQUESTS_PER_PLAN = { free: 10, pro: 200, business: 1_000 } as const;
/** Length of the window of those requests. */
export const AI_WINDOW_S = 86_400;
/** Longest time for one request's calls of the endpoint, a second try included. */
export const AI_TIMEOUT_MS = 20_000;
/** The endpoint's answer. */
export const AI_ANSWER_BYTES_MAX = 65_536;
/** A request for suggestions: its texts in JSON, escaped at worst. */
export const AI_BODY_BYTES_MAX = 131_072;
/** What a creator says about themselves, for a bio. */
export const AI_ABOUT_CHARS_MAX = 1_000;
/** Links in one request for labels. */
export const AI_LINKS_MAX = 20;
/** Texts in one request for a translation, and their characters together. */
export const AI_TEXTS_MAX = 100;
export const AI_TEXTS_CHARS_MAX = 4_000;
/** Suggestions for one text. */
export const AI_SUGGESTIONS_MAX = 3;
/** Tries to get an answer that matches its schema. */
export const AI_TRIES_MAX = 2;
/** `Retry-After` while the endpoint fails. */
export const AI_RETRY_AFTER_S = 10;
