/** Limits of suggestions (docs/contract.md sections 6 and 11). A name ends in its unit. */

/** Requests of one user in {@link AI_WINDOW_S}, by plan (docs/contract.md section 11). */
export const AI_REQUESTS_PER_PLAN = { free: 10, pro: 200, business: 1_000 } as const;
export const AI_WINDOW_S = 86_400;
/** Longest time of one request's calls of the endpoint, with the second try. */
export const AI_TIMEOUT_MS = 20_000;
export const AI_ANSWER_BYTES_MAX = 65_536;
/** Size of a request: its texts in JSON, escaped at worst. */
export const AI_BODY_BYTES_MAX = 131_072;
export const AI_ABOUT_CHARS_MAX = 1_000;
export const AI_LINKS_MAX = 20;
/** Texts in one request for a translation, and their characters together. */
export const AI_TEXTS_MAX = 100;
export const AI_TEXTS_CHARS_MAX = 4_000;
export const AI_SUGGESTIONS_MAX = 3;
export const AI_TRIES_MAX = 2;
export const AI_RETRY_AFTER_S = 10;
