/** What the routes about a page share, its HTML and its contact card: one slug, the same errors. */
import { ApiError, dependencyDown } from "../http/api-error.ts";
import type { AppContext } from "../http/context.ts";
import { canonicalSlug, decodeSegment } from "../http/ids.ts";
import { fetchCached } from "./page-cache.ts";

/** Browsers may keep "not there" no longer than the edge does. */
export const ABSENT_HEADERS = { "X-Robots-Tag": "noindex", "Cache-Control": "public, max-age=30" };

/**
 * A slug as the client spelt it, percent-decoded, and its canonical spelling. Throws 404 for what no
 * page can ever be called, which nobody need keep: `/slug%2f..%2fapi` is cached nowhere (docs/security.md S4).
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
 * The cached lane's 200 for something of a page. Throws 404 PAGE_NOT_FOUND, 410 PAGE_SUSPENDED, and
 * 503 when it is neither cached nor to be had.
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
