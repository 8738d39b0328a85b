import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { hex, utf8 } from "../../http/bytes.ts";
import type { Link } from "../document/page-document.ts";

/**
 * How long an answer may be served: `max-age` (RFC 9111) and `stale-if-error` (RFC 5861). There is
 * no `stale-while-revalidate`: the first visitor after a pause would get an old page.
 */
export interface Freshness {
  max_age_s: number;
  stale_if_error_s: number;
}

/** Only the edge cache obeys this header. Browsers obey `Cache-Control`. */
export function edgeCacheControl(freshness: Freshness): Record<string, string> {
  return {
    "Cloudflare-CDN-Cache-Control": `max-age=${freshness.max_age_s}, stale-if-error=${freshness.stale_if_error_s}`,
  };
}

/** An edit shows within 60 s, and pages are served for a day while D1 fails (docs/contract.md section 4). */
const PAGE: Freshness = { max_age_s: 60, stale_if_error_s: 86_400 };
export const PAGE_FRESHNESS = edgeCacheControl(PAGE);

/** The unix millisecond at which the page changes by itself. Not sent to clients. */
export const NEXT_CHANGE_HEADER = "X-Next-Change";

/** Unix milliseconds of the next opening or closing of a link after `now`; Infinity if none. */
export function nextChange(
  links: readonly Pick<Link, "enabled" | "from" | "until">[],
  now: number,
): number {
  const times = links
    .filter(({ enabled }) => enabled)
    .flatMap(({ from, until }) => [from, until])
    .flatMap((time_s) => (time_s === null ? [] : [time_s * SECOND_MS]));
  return Math.min(...times.filter((time) => time > now));
}

/**
 * {@link PAGE_FRESHNESS} until `next_change`, after which no cache may serve the page. Only while
 * D1 fails the edge serves it for longer; the redirect of a link that has closed answers 410 then
 * too.
 */
export function freshnessUntil(next_change: number, now: number): Record<string, string> {
  if (next_change === Number.POSITIVE_INFINITY) return PAGE_FRESHNESS;
  const left_s = Math.floor((next_change - now) / SECOND_MS);
  return {
    ...edgeCacheControl({ ...PAGE, max_age_s: Math.min(PAGE.max_age_s, left_s) }),
    [NEXT_CHANGE_HEADER]: String(next_change),
  };
}
/** A page that does not exist now may be created at any time. */
export const ABSENCE_FRESHNESS = edgeCacheControl({
  max_age_s: 30,
  stale_if_error_s: 0,
});
/** The name of such an answer contains the hash of its content. */
export const IMMUTABLE_FRESHNESS = edgeCacheControl({
  max_age_s: 31_536_000,
  stale_if_error_s: 0,
});

export const STORE_TIMEOUT_MS = 5_000;

export function tagOf(page_id: string): string {
  return `page-${page_id}`;
}

/** A tag has no characters but ASCII. */
export function slugTagOf(slug: string): string {
  return `slug-${encodeURIComponent(slug)}`;
}

export const SITEMAP_TAG = "sitemap";

/** A strong `ETag`: 128 bits of the content's SHA-256. */
export async function strongEtag(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === "string" ? utf8(content) : content;
  return etagOf(await crypto.subtle.digest("SHA-256", bytes));
}

/** The same for parts that together would be too large for one buffer. */
export async function strongEtagOfParts(
  parts: readonly Uint8Array<ArrayBuffer>[],
): Promise<string> {
  const digest = new crypto.DigestStream("SHA-256");
  const writer = digest.getWriter();
  for (const part of parts) await writer.write(part);
  await writer.close();
  return etagOf(await digest.digest);
}

function etagOf(digest: ArrayBuffer): string {
  return `"${hex(new Uint8Array(digest, 0, 16))}"`;
}
