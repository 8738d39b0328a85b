/** Limits of beacons, pixels and redirects (docs/contract.md section 6). A name ends in its unit. */

export const BEACON_BYTES_MAX = 8_192;
/** Only the host of a referrer is stored. */
export const REFERRER_CHARS_MAX = 2_048;
export const UTM_CHARS_MAX = 100;
/** Events of many senders share a call, so the user agent that tells people apart is cut. */
export const VISITOR_AGENT_CHARS_MAX = 1_024;
export const EVENTS_PER_CALL_MAX = 250;
/** A page object that takes longer has failed: the client gets a 503 and may retry. */
export const RECORD_TIMEOUT_MS = 10_000;
/** The body is wanted for the count of refused events alone, which may be lost. */
export const REFUSED_BODY_MS = 100;
/** A visitor wants the link: after this wait the click is counted behind the redirect. */
export const REDIRECT_BUDGET_MS = 300;
export const COUNT_RETRY_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000] as const;
export const COUNT_RETRY_MAX_MS = 25_000;
export const CEILING_READ_MS = 100;
