/** What the two renditions of a page share, its HTML and its contact card: the slug and the errors. */
import { ApiError, dependencyDown } from "../http/api-error.ts";
import type { AppContext } from "../http/context.ts";
import { canonicalSlug, decodeSegment } from "../http/ids.ts";
import { fetchCached } from "./page-cache.ts";

/** Browsers may cache a 404 or 410 for as long as the edge does. */
export const ABSENT_HEADERS = { "X-Robots-Tag": "noindex", "Cache-Control": "public, max-age=30" };

/**
 * A slug as the client spelt it, percent-decoded, and its canonical spelling. Throws 404 for a text
 * that cannot be a slug, without cache headers: `/slug%2f..%2fapi` is cached nowhere (docs/security.md S4).
 */
export function slugOf(segment: string): { spelled: string; slug: string } {
  const spelled = decodeSegment(segment);
  const slug = spelled === null ? null : canonicalSlug(spelled);
  if (spelled === null || slug === null) {
    throw new ApiError("PAGE_NOT_FOUND", { headers: { "X-Robots-Tag": "noindex" } });
  }
  return { spelled, slug };
}

/**
 * The rendition of a page at this path, from the cache or new; its status is 200. Throws 404
 * PAGE_NOT_FOUND, 410 PAGE_SUSPENDED, and 503 when it is not cached and D1 fails.
 */
export async function fetchRendition(c: AppContext, path: string): Promise<Response> {
  const response = await fetchCached(c, path);
  const locale = response.headers.get("Content-Language");
  if (locale === "ar" || locale === "en") c.set("locale", locale);
  if (response.status === 404) throw new ApiError("PAGE_NOT_FOUND", { headers: ABSENT_HEADERS });
  if (response.status === 410) throw new ApiError("PAGE_SUSPENDED", { headers: ABSENT_HEADERS });
  if (response.status !== 200) throw dependencyDown();
  return response;
}
