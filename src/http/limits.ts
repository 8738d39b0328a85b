/**
 * Limits of docs/contract.md section 6 that hold for every request; those of a room are in its own
 * `limits.ts`. A name ends in its unit; one with `BYTES` or `CHARS` bounds the text or body that it
 * names.
 */

/** Requests admitted per sender in any 60 s. */
export const LIMITS_PER_MINUTE = {
  auth: 10,
  tip: 20,
  download: 30,
  newsletter: 10,
  error: 30,
  public: 60,
} as const;

export type Scope = keyof typeof LIMITS_PER_MINUTE;

/** The platform's approximate limit on cacheable GETs; its number is in wrangler.toml. */
export const EDGE_LIMIT_PER_MINUTE = 60;

export const WINDOW_S = 60;

/** Scopes that refuse while the limiter fails: payments, sign-in and sign-up. */
export const FAIL_CLOSED_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["auth", "tip", "newsletter"]);

/** Other paths are `public`. */
const SCOPE_OF_PATH: readonly (readonly [path: RegExp, scope: Scope])[] = [
  [/^\/api\/auth(?=\/|$)/, "auth"],
  [/^\/api\/tip(?=\/|$)/, "tip"],
  [/^\/api\/download(?=\/|$)/, "download"],
  [/^\/api\/newsletter/, "newsletter"],
  [/^\/api\/log\/error$/, "error"],
];

export function scopeOf(path: string): Scope {
  return SCOPE_OF_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? "public";
}

export const SECRET_BYTES_MIN = 32;
/** Fewer different bytes in 32 random ones occur less often than once in 10^9. */
export const SECRET_DISTINCT_BYTES_MIN = 16;
export const SETUP_CODE_LETTERS_MIN = 8;
export const LIMITER_SHARDS_MAX = 4_096;
export const COOKIE_NAME_CHARS_MAX = 64;
/** A wrong setting lasts until the next deployment: a retry after a second would fail too. */
export const CONFIG_RETRY_AFTER_S = 30;
export const BODY_TIMEOUT_MS = 10_000;
export const ID_CHARS_MAX = 64;
export const SLUG_CHARS_MAX = 64;
export const LIMITER_TIMEOUT_MS = 2_000;
export const CHECKS_PER_CALL_MAX = 250;
/** Longest wait of a signed-in route for D1 and page objects, a flush included; then 503. */
export const DEPENDENCY_TIMEOUT_MS = 15_000;
/** The page is served without the edge limit after this wait. */
export const EDGE_LIMIT_TIMEOUT_MS = 500;
/** Past this many times its limit, a sender's clicks are counted in batches only. */
export const CEILING = 10;
export const RETURN_TO_CHARS_MAX = 2_048;
export const ZONE_CHARS_MAX = 64;
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
/** RFC 5321 section 4.5.3.1.3. */
export const EMAIL_CHARS_MAX = 254;
/** RFC 5321 section 4.5.3.1.1. */
export const EMAIL_LOCAL_CHARS_MAX = 64;
