/** How long the edge may cache each kind of answer, by which tags it is purged, and ETags. */
import { hex, utf8 } from "../http/bytes.ts";
import type { Page } from "./pages-store.ts";

/**
 * How long an answer may be served, in seconds: `max-age` (RFC 9111) and `stale-if-error` (RFC 5861).
 * There is no `stale-while-revalidate`: the first visitor after a pause would get an old page.
 */
export interface Freshness {
  max_age_s: number;
  stale_if_error_s: number;
}

/** The header that only the edge cache obeys. Browsers obey `Cache-Control`. */
export function edgeCacheControl(freshness: Freshness): Record<string, string> {
  return {
    "Cloudflare-CDN-Cache-Control": `max-age=${freshness.max_age_s}, stale-if-error=${freshness.stale_if_error_s}`,
  };
}

/** An edit shows within 60 s, and pages are served for a day while D1 fails (docs/contract.md section 4). */
export const PAGE_FRESHNESS = edgeCacheControl({
  max_age_s: 60,
  stale_if_error_s: 86_400,
});
/** A page that does not exist now may be created at any time. */
export const ABSENCE_FRESHNESS = edgeCacheControl({
  max_age_s: 30,
  stale_if_error_s: 0,
});
/** For a name that has the hash of its content in it. */
export const IMMUTABLE_FRESHNESS = edgeCacheControl({
  max_age_s: 31_536_000,
  stale_if_error_s: 0,
});

/** Longest wait for D1 or R2 while rendering, in milliseconds. */
export const STORE_TIMEOUT_MS = 5_000;

export function tagOf(page_id: string): string {
  return `page-${page_id}`;
}

export const SITEMAP_TAG = "sitemap";

/** 404 for no page; 410 for a suspended page, in its language. */
export function absentPage(page: Page | null): Response {
  if (page === null) return new Response(null, { status: 404, headers: ABSENCE_FRESHNESS });
  return new Response(null, {
    status: 410,
    headers: {
      ...ABSENCE_FRESHNESS,
      "Content-Language": page.locale,
      "Cache-Tag": tagOf(page.page_id),
    },
  });
}

/** A strong `ETag`: 128 bits of the content's SHA-256. */
export async function strongEtag(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === "string" ? utf8(content) : content;
  return etagOf(await crypto.subtle.digest("SHA-256", bytes));
}

/** The same for content in parts, which together would be too large for one buffer. */
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
