/** The limits of docs/contract.md section 6, each with its unit in its name. */

/** Exact scopes: requests admitted per sender in any 60 s. */
export const LIMITS_PER_MINUTE = {
  auth: 10,
  tip: 20,
  download: 30,
  newsletter: 10,
  error: 30,
  public: 60,
} as const;

export type Scope = keyof typeof LIMITS_PER_MINUTE;

/** New groups of errors that one sender may found in any hour, over all error logs together. */
export const ERROR_GROUPS_PER_HOUR = 5;

/** The platform's approximate limit on cacheable GETs; its number is in wrangler.toml. */
export const EDGE_LIMIT_PER_MINUTE = 60;

/** Seconds of every window. */
export const WINDOW_S = 60;

/** Where a limiter that fails must refuse: what costs money or guards a door. */
export const FAIL_CLOSED_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["auth", "tip", "newsletter"]);

/** A scope has the path itself and everything below it. */
const SCOPE_OF_PATH: readonly (readonly [path: RegExp, scope: Scope])[] = [
  [/^\/api\/auth(?=\/|$)/, "auth"],
  [/^\/api\/tip(?=\/|$)/, "tip"],
  [/^\/api\/download(?=\/|$)/, "download"],
  [/^\/api\/newsletter/, "newsletter"],
  [/^\/api\/log\/error$/, "error"],
];

/** The one exact scope a path is charged to. */
export function scopeOf(path: string): Scope {
  return SCOPE_OF_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? "public";
}

/** Bytes of a secret. */
export const SECRET_BYTES_MIN = 32;
/** Different bytes of a secret: 32 random ones have fewer less often than once in 10^9. */
export const SECRET_DISTINCT_BYTES_MIN = 16;
/** Limiter objects that all senders may be folded into. */
export const LIMITER_SHARDS_MAX = 4_096;
/** Characters of a cookie's name. */
export const COOKIE_NAME_CHARS_MAX = 64;
/** Seconds after which to ask a deployment again that lacks a setting. */
export const CONFIG_RETRY_AFTER_S = 30;
/** Longest time to read a request's body, in milliseconds. */
export const BODY_TIMEOUT_MS = 10_000;
/** Bytes of a beacon's body. */
export const BEACON_BYTES_MAX = 8_192;
/** Bytes of an error report's body. */
export const ERROR_REPORT_BYTES_MAX = 32_768;
/** Characters of what an error report says. */
export const ERROR_MESSAGE_CHARS_MAX = 2_000;
export const ERROR_STACK_CHARS_MAX = 8_000;
export const ERROR_URL_CHARS_MAX = 2_048;
/** Characters of a beacon's referrer, of which only the host is kept. */
export const REFERRER_CHARS_MAX = 2_048;
/** Characters of a campaign parameter. */
export const UTM_CHARS_MAX = 100;
/** Characters of a value in a breakdown; the longest host name. */
export const LABEL_CHARS_MAX = 253;
/** Characters of a page, link or event id. */
export const ID_CHARS_MAX = 64;
/** Characters of a slug. */
export const SLUG_CHARS_MAX = 64;
/** Longest wait for a limiter object, in milliseconds; then it counts as failed. */
export const LIMITER_TIMEOUT_MS = 2_000;
/** Longest wait for a page object, in milliseconds; then the client is told to send again. */
export const RECORD_TIMEOUT_MS = 10_000;
/** Longest wait for the body of a beacon that is refused anyway, in milliseconds. */
export const REFUSED_BODY_MS = 100;
/** Longest wait for what a signed-in route reads, its page's flush included, in milliseconds; then it is 503. */
export const DEPENDENCY_TIMEOUT_MS = 15_000;
/** Longest wait for what is remembered of a session, in milliseconds; then the hub is asked. */
export const SESSION_STORE_TIMEOUT_MS = 2_000;
/** Longest wait for the edge limit, in milliseconds; then the page is served without it. */
export const EDGE_LIMIT_TIMEOUT_MS = 500;
/** Milliseconds a redirect waits for its click to be counted before it lets the person through. */
export const REDIRECT_BUDGET_MS = 300;
/** Pauses between further tries to count a click whose person was let through, in milliseconds. */
export const COUNT_RETRY_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000] as const;
/** Longest time of all these tries together, in milliseconds. */
export const COUNT_RETRY_MAX_MS = 25_000;
/** Times its limit after which a sender's further clicks reach the page as numbers alone. */
export const CEILING = 10;
/** Shortest time between two reads of D1 on behalf of senders past the ceiling, in milliseconds. */
export const CEILING_READ_MS = 100;
/** Longest wait for an answer of the account hub, in milliseconds. */
export const HUB_TIMEOUT_MS = 5_000;
/** Bytes of an answer of the account hub. */
export const HUB_ANSWER_BYTES_MAX = 65_536;
/** How long the hub's word about a session is taken for true, in milliseconds. */
export const SESSION_CACHE_MS = 60_000;
/** Characters of a session cookie's value. */
export const SESSION_COOKIE_CHARS_MAX = 1_024;
/** Characters of an address to return to after signing in. */
export const RETURN_TO_CHARS_MAX = 2_048;
/** Bytes of a webhook's body. */
export const WEBHOOK_BYTES_MAX = 65_536;
/** Characters of a webhook's id. */
export const WEBHOOK_ID_CHARS_MAX = 256;
/** Signatures of one webhook that are looked at. */
export const WEBHOOK_SIGNATURES_MAX = 8;
/** How far a webhook's time may be from ours, in seconds. */
export const WEBHOOK_TOLERANCE_S = 300;
/** Characters of what the hub tells a user. */
export const NOTIFICATION_CHARS_MAX = 500;
/** Notifications of the hub that are kept for a user. */
export const HUB_NOTIFICATIONS_MAX = 500;
/** Notifications in one answer, and the most that may be asked for or marked at once. */
export const NOTIFICATIONS_PER_PAGE = 20;
export const NOTIFICATIONS_PER_PAGE_MAX = 100;
/** Characters of a notification's id: a page's id and what it reached. */
export const NOTIFICATION_ID_CHARS_MAX = 128;
/** Bytes of a request to mark notifications as read. */
export const READ_BYTES_MAX = 16_384;
/** Days that statistics are about where nothing is said, and the most that may be asked for: two years. */
export const STATS_DAYS = 30;
export const STATS_DAYS_MAX = 731;
/** Values of one dimension in an answer; the rest is under `(other)`. */
export const BREAKDOWN_SHARES_MAX = 100;
/** Characters of the name of a time zone. */
export const ZONE_CHARS_MAX = 64;
/** Times that D1 and a page's object are read side by side until no flush came in between. */
export const CONSISTENT_READ_TRIES_MAX = 3;
/** Pages of one owner that are listed, and whose watchers are sent away at once. */
export const PAGES_LISTED_MAX = 500;
/** Of these, how many a browser remembers as its owner's: a cookie has room for 4,096 bytes. */
export const OWNER_COOKIE_PAGES_MAX = 60;
/** Days that it remembers them after a visit to the dashboard. */
export const OWNER_COOKIE_DAYS = 30;
/** Cookies `owner_of` of one request that are looked at. */
export const OWNER_COOKIES_READ_MAX = 4;
