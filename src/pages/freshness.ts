/** Edge cache times and cache tags. */
import { hex, utf8 } from "../http/bytes.ts";
import type { Page } from "./pages-store.ts";

/**
 * How long an answer may be served, in seconds; two directives of RFC 9111 and RFC 5861. Nothing is served
 * stale while it is revalidated: the first visitor after any pause would see an old page.
 */
export interface Freshness {
  max_age_s: number;
  stale_if_error_s: number;
}

/** The header that tells the edge, and only the edge, how long an answer is good for. */
export function edgeCacheControl(freshness: Freshness): Record<string, string> {
  return {
    "Cloudflare-CDN-Cache-Control": `max-age=${freshness.max_age_s}, stale-if-error=${freshness.stale_if_error_s}`,
  };
}

/** docs/contract.md section 4: an edit shows within 60 s, and pages outlive a day without D1. */
export const PAGE_FRESHNESS = edgeCacheControl({
  max_age_s: 60,
  stale_if_error_s: 86_400,
});
/** What is not there now may be there in half a minute. */
export const ABSENCE_FRESHNESS = edgeCacheControl({
  max_age_s: 30,
  stale_if_error_s: 0,
});
/** What carries its content's hash in its name never changes. */
export const IMMUTABLE_FRESHNESS = edgeCacheControl({
  max_age_s: 31_536_000,
  stale_if_error_s: 0,
});

/** Longest wait for D1 or R2 while rendering, in milliseconds. */
export const STORE_TIMEOUT_MS = 5_000;

/** The cache tag of everything that is rendered from a page. */
export function tagOf(page_id: string): string {
  return `page-${page_id}`;
}

/** The cache tag of the sitemap's files. */
export const SITEMAP_TAG = "sitemap";

/** 404 for a page that is not there, 410 with its language for one that is suspended. */
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

/** The same for content that is held in parts, too large to be copied into one. */
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
