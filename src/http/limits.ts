/**
 * The limits of docs/contract.md section 6. A name ends in its unit; one with `BYTES` or `CHARS`
 * bounds the text or body that it names.
 */

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

/** New groups of errors that one sender may create in any hour, over all error logs together. */
export const ERROR_GROUPS_PER_HOUR = 5;

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

/** The exact scope that a path is charged to. */
export function scopeOf(path: string): Scope {
  return SCOPE_OF_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? "public";
}

export const SECRET_BYTES_MIN = 32;
/** 32 random bytes have fewer different ones less often than once in 10^9. */
export const SECRET_DISTINCT_BYTES_MIN = 16;
/** Different characters in the code of the first owner. */
export const SETUP_CODE_LETTERS_MIN = 8;
export const LIMITER_SHARDS_MAX = 4_096;
export const COOKIE_NAME_CHARS_MAX = 64;
/** `Retry-After` while a setting is invalid. */
export const CONFIG_RETRY_AFTER_S = 30;
/** Longest time to read a request's body. */
export const BODY_TIMEOUT_MS = 10_000;
export const BEACON_BYTES_MAX = 8_192;
export const ERROR_REPORT_BYTES_MAX = 32_768;
export const ERROR_MESSAGE_CHARS_MAX = 2_000;
export const ERROR_STACK_CHARS_MAX = 8_000;
export const ERROR_URL_CHARS_MAX = 2_048;
/** Of a beacon's referrer only the host is stored. */
export const REFERRER_CHARS_MAX = 2_048;
export const UTM_CHARS_MAX = 100;
/** A value in a breakdown; the longest host name. */
export const LABEL_CHARS_MAX = 253;
/** Of a user agent, to tell people apart by: events of many senders share a call. */
export const VISITOR_AGENT_CHARS_MAX = 1_024;
export const ID_CHARS_MAX = 64;
export const SLUG_CHARS_MAX = 64;
/** After this wait a limiter object counts as failed. */
export const LIMITER_TIMEOUT_MS = 2_000;
/** Most events, and most checks, that an isolate sends with one call. */
export const EVENTS_PER_CALL_MAX = 250;
export const CHECKS_PER_CALL_MAX = 250;
/** After this wait for a page object the client gets a 503 and may retry. */
export const RECORD_TIMEOUT_MS = 10_000;
/** Longest wait for the body of a beacon that the limit refused. */
export const REFUSED_BODY_MS = 100;
/** Longest wait of a signed-in route for D1 and page objects, a flush included; then 503. */
export const DEPENDENCY_TIMEOUT_MS = 15_000;
/** Longest wait for a session in KV or D1; then the hub is asked. */
export const SESSION_STORE_TIMEOUT_MS = 2_000;
/** After this wait for the edge limit the page is served without it. */
export const EDGE_LIMIT_TIMEOUT_MS = 500;
/** A redirect waits this long for its click to be counted before it answers. */
export const REDIRECT_BUDGET_MS = 300;
/** Pauses between the retries of a click that was not counted in time. */
export const COUNT_RETRY_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000] as const;
/** Longest time of all tries together. */
export const COUNT_RETRY_MAX_MS = 25_000;
/** Past this many times its limit, a sender's clicks are counted in batches only. */
export const CEILING = 10;
/** Shortest time between two reads of D1 for senders past the ceiling. */
export const CEILING_READ_MS = 100;
export const HUB_TIMEOUT_MS = 5_000;
export const HUB_ANSWER_BYTES_MAX = 65_536;
/** How long an answer of the hub about a session is cached. */
export const SESSION_CACHE_MS = 60_000;
export const SESSION_COOKIE_CHARS_MAX = 1_024;
/** A request to accounts in the box: the answer of an authenticator with its certificates. */
export const IDENTITY_BYTES_MAX = 65_536;
/** The address to which sign-in returns. */
export const RETURN_TO_CHARS_MAX = 2_048;
export const WEBHOOK_BYTES_MAX = 65_536;
export const WEBHOOK_ID_CHARS_MAX = 256;
/** Signatures of one webhook that are checked. */
export const WEBHOOK_SIGNATURES_MAX = 8;
/** Largest difference between a webhook's time and ours. */
export const WEBHOOK_TOLERANCE_S = 300;
/** A text of a notification of the hub. */
export const NOTIFICATION_CHARS_MAX = 500;
/** Notifications of the hub that are stored for a user; the oldest are deleted. */
export const HUB_NOTIFICATIONS_MAX = 500;
/** Notifications in one answer by default, and the most that may be requested or marked at once. */
export const NOTIFICATIONS_PER_PAGE = 20;
export const NOTIFICATIONS_PER_PAGE_MAX = 100;
/** A notification's id may contain a page's id and a milestone. */
export const NOTIFICATION_ID_CHARS_MAX = 128;
export const READ_BYTES_MAX = 16_384;
/** Days of statistics by default, and the most that may be requested: two years. */
export const STATS_DAYS = 30;
export const STATS_DAYS_MAX = 731;
/** The same by months: eleven years, as long as imported history can be. */
export const STATS_MONTHLY_DAYS_MAX = 4_018;
/** Saves of the page in an answer; the newest of the period. */
export const STATS_REVISIONS_MAX = 100;
/** Values of one dimension in an answer; the rest is under `(other)`. */
export const BREAKDOWN_SHARES_MAX = 100;
export const ZONE_CHARS_MAX = 64;
/** Tries of a consistent read of D1 and a page's object. */
export const CONSISTENT_READ_TRIES_MAX = 3;
/** Longest wait of the list of pages for objects that flush first, in milliseconds. */
export const LOOK_TIMEOUT_MS = 1_000;
/** Pages of one owner that are listed, and whose live sockets are closed at once. */
export const PAGES_LISTED_MAX = 500;
/** Pages in the cookie `owner_of`: a cookie has room for 4,096 bytes. */
export const OWNER_COOKIE_PAGES_MAX = 60;
/** Days for which the cookie is valid after a visit to the dashboard. */
export const OWNER_COOKIE_DAYS = 30;
/** Cookies `owner_of` of one request that are checked. */
export const OWNER_COOKIES_READ_MAX = 4;
/** How long a browser keeps the choice of digits. */
export const DIGITS_COOKIE_DAYS = 365;
/** A page's document (docs/contract.md section 10). */
export const DOCUMENT_BYTES_MAX = 262_144;
/** The same as it is stored: its owner sends it back with the other members of the page. */
export const STORED_DOCUMENT_BYTES_MAX = DOCUMENT_BYTES_MAX - 1_024;
/** Objects inside each other in a patch of a document; the document itself has three. */
export const PATCH_DEPTH_MAX = 32;
export const LINKS_MAX = 200;
export const NAME_CHARS_MAX = 100;
export const BIO_CHARS_MAX = 500;
export const LINK_LABEL_CHARS_MAX = 200;
/** The label of a link of kind `text`. */
export const LINK_TEXT_CHARS_MAX = 1_000;
/** What a picture shows, in words. */
export const ALT_CHARS_MAX = 300;
export const CONTACT_FIELD_CHARS_MAX = 200;
/** The address and the note of a contact. */
export const CONTACT_TEXT_CHARS_MAX = 1_000;
/** Phone numbers, and mail addresses. */
export const CONTACT_ENTRIES_MAX = 10;
/** An uploaded picture (docs/security.md S26). */
export const PICTURE_BYTES_MAX = 5_000_000;
export const PICTURE_SIDE_PIXELS_MAX = 4_096;
/** Longest time to read a picture: 5 MB at 0.7 Mbit/s, a weak mobile connection. */
export const PICTURE_BODY_TIMEOUT_MS = 60_000;
/** Rows of imported history that are one unit of `import_kilorows_day`. */
export const IMPORT_UNIT_ROWS = 1_000;
/**
 * What a user may do in any 24 hours, by plan (docs/contract.md section 6): pictures that a page does not have yet,
 * each of which is transformed for money; files that are read for an import or its preview, which takes up to seconds
 * of CPU; imports; their rows of history together, in thousands; and deletions of pages and undone ones together, each of
 * which the cron reads for an hour, and for 35 days where D1 is restored.
 */
export const DAY_LIMITS = {
  pictures_day: { free: 60, pro: 300, business: 1_000 },
  import_reads_day: { free: 50, pro: 200, business: 500 },
  imports_day: { free: 5, pro: 20, business: 50 },
  import_kilorows_day: { free: 100, pro: 500, business: 1_000 },
  ends_day: { free: 100, pro: 300, business: 1_000 },
} as const;
/** Pictures of one page. */
export const PICTURES_MAX = 1_000;
/** How long a picture is stored that its page does not use. */
export const UNUSED_PICTURE_HOURS = 24;
/** After this wait for the JPEG of a picture it is stored without one. */
export const CARD_PHOTO_TIMEOUT_MS = 10_000;
/** Pages of one user, by plan; an unknown plan counts as `free`. */
export const PAGES_PER_PLAN = { free: 1, pro: 10, business: 100 } as const;
/** Pages of one user that may be in the half hour before their end, beyond those of the plan. */
export const ENDING_PAGES_MAX = 20;
/** Revisions of a page that are stored at least, and for how many days. */
export const REVISIONS_KEPT = 100;
export const REVISION_DAYS = 90;
/** Revisions of a page that are stored at most, however young they are. */
export const REVISIONS_MAX = 1_000;
/** Bytes of a page's revisions beyond the newest 100. */
export const REVISION_BYTES_MAX = 8_388_608;
/** Removed links of a page whose last labels are stored. */
export const REMOVED_LINKS_MAX = 2_000;
/** Slugs that are proposed beside one. */
export const SLUGS_PROPOSED = 3;
/** How long a page's former slug leads to the page. */
export const FORMER_SLUG_DAYS = 90;
/** How long the slug of a deleted page cannot be taken. */
export const RESTING_SLUG_DAYS = 30;
/** How long the deletion of a page can be undone. */
export const UNDO_MINUTES = 30;
/** A file to import (docs/contract.md section 10). */
export const IMPORT_BYTES_MAX = 8_388_608;
/** Longest time to read it: 8 MiB at 1.1 Mbit/s. */
export const IMPORT_BODY_TIMEOUT_MS = 60_000;
/** Longest time until the workshop has read it: the worst file takes 5 s of CPU. */
export const IMPORT_READ_TIMEOUT_MS = 30_000;
/** Remarks on a file in one answer. */
export const IMPORT_REMARKS_MAX = 500;
export const IMPORT_EXCERPT_CHARS = 80;
/** A line of a text, and a cell of a table. */
export const IMPORT_LINE_CHARS_MAX = 4_096;
/** Lines that are read; a page has at most 200 links. */
export const IMPORT_LINES_MAX = 10_000;
/** Values of a JSON file of another service. */
export const IMPORT_JSON_VALUES_MAX = 200_000;
/** Files in a zip, and what they take together when unzipped. */
export const ZIP_ENTRIES_MAX = 1_500;
export const UNZIPPED_BYTES_MAX = 67_108_864;
/** Pictures in a zip, unzipped together: they hardly shrink, so real ones are the zip's size. */
export const IMPORTED_PICTURES_BYTES_MAX = 16_777_216;
/** Events in one row of an imported file, and in all rows: the sums of many pages are still exact. */
export const IMPORTED_ROW_EVENTS_MAX = 100_000_000_000;
export const IMPORTED_EVENTS_MAX = 10_000_000_000_000;
/** Rows of imported history of one page. */
export const IMPORTED_TALLIES_MAX = 50_000;
export const IMPORTED_DAYS_MAX = 4_000;
/** Files of an export, unzipped. */
export const EXPORTED_PAGE_BYTES_MAX = 16_777_216;
export const EXPORTED_DAYS_BYTES_MAX = 16_777_216;
/** A day of an export: its breakdowns have 250 KB at most. */
export const IMPORT_DAY_CHARS_MAX = 524_288;
/** Tips (docs/contract.md section 11). */
export const TIP_AMOUNTS_MAX = 6;
export const TIP_POINTS_MAX = 1_000_000;
export const TIP_MESSAGE_CHARS_MAX = 280;
/** The body of a tip, also of a form, whose message has 3,360 bytes at most. */
export const TIP_BYTES_MAX = 8_192;
/** The header Idempotency-Key. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
/** Tips in one answer by default, and the most that may be requested. */
export const TIPS_PER_PAGE = 20;
export const TIPS_PER_PAGE_MAX = 100;
/** Downloads (docs/contract.md section 11). */
export const DOWNLOAD_USES_MAX = 1_000_000;
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
/** Newsletters (docs/contract.md section 11). An email address (RFC 5321 section 4.5.3.1.3). */
export const EMAIL_CHARS_MAX = 254;
/** The part before the `@` (RFC 5321 section 4.5.3.1.1). */
export const EMAIL_LOCAL_CHARS_MAX = 64;
/** A request to subscribe. */
export const NEWSLETTER_BYTES_MAX = 4_096;
/** Subscribers on one page of their list. */
export const SUBSCRIBERS_PER_PAGE = 50;
/** A file that creators offer for download. */
export const FILE_BYTES_MAX = 100_000_000;
/** Bytes of all files of one user, by plan; an unknown plan counts as `free`. */
export const FILE_BYTES_PER_PLAN = {
  free: 50_000_000,
  pro: 5_000_000_000,
  business: 50_000_000_000,
} as const;
/** Files of one user. */
export const FILES_MAX = 1_000;
export const FILE_NAME_CHARS_MAX = 200;
/** A media type, without parameters. */
export const FILE_TYPE_CHARS_MAX = 127;
/** Each part of an upload but the last. R2 takes parts of one length, of 5 MiB at least. */
export const FILE_PART_BYTES = 8_388_608;
/** Longest time to store a part: 8 MiB at 1.1 Mbit/s. */
export const FILE_PART_TIMEOUT_MS = 60_000;
/** The JSON body of a request about files. */
export const FILE_INPUT_BYTES_MAX = 4_096;
/** An upload is given up when no part of it came for this long. */
export const STALE_UPLOAD_HOURS = 24;
/** How long one person's download may be resumed. */
export const DOWNLOAD_TOKEN_HOURS = 1;
/** How long a download link that a creator hands out may be valid. */
export const DOWNLOAD_LINK_DAYS_MAX = 30;
export const DOWNLOAD_TOKEN_CHARS_MAX = 1_024;
export const SUBSCRIBERS_PER_PAGE_MAX = 100;
/** Subscribers that one call reads for the table of all. */
export const SUBSCRIBERS_PER_READ = 1_000;
/** Sign-ups of one sender for newsletters in any `NEWSLETTER_WINDOW_S`. */
export const NEWSLETTER_PER_DAY = 30;
/** Those of an IPv6 /48: of four senders that sign up as often as they may. */
export const NEWSLETTER_NETWORK_PER_DAY = 4 * NEWSLETTER_PER_DAY;
export const NEWSLETTER_WINDOW_S = 86_400;
/** Deliveries of webhooks on one page of their list. */
export const DELIVERIES_PER_PAGE = 20;
export const DELIVERIES_PER_PAGE_MAX = 100;
export const WEBHOOK_BODY_BYTES_MAX = 8_192;
/** Test events and repeated deliveries of one user in any `WEBHOOK_WINDOW_S`. */
export const WEBHOOK_SENDS_PER_HOUR = 30;
export const WEBHOOK_WINDOW_S = 3_600;
