/** The part that a page's HTML and its contact card share: slug and answers. */
import { ApiError, dependencyDown } from "../../http/api-error.ts";
import { conditional } from "../../http/conditional.ts";
import type { AppContext } from "../../http/context.ts";
import { canonicalSlug } from "../../http/ids.ts";
import { decodeSegment } from "../../http/path-segment.ts";
import { isReservedSlug } from "../document/reserved-slugs.ts";
import { fetchCached } from "./page-cache.ts";

/** Browsers may cache a 404 or 410 for as long as the edge does. */
export const ABSENT_HEADERS = { "X-Robots-Tag": "noindex", "Cache-Control": "public, max-age=30" };

/**
 * Spells a slug as the client did, percent-decoded, and canonically. Throws 404 for a text that
 * cannot be a slug, without cache headers: `/slug%2f..%2fapi` is cached nowhere (docs/security.md
 * S4).
 */
export function slugOf(segment: string): { spelled: string; slug: string } {
  const spelled = decodeSegment(segment);
  // People write `/@slug`, as on other sites.
  const slug = spelled === null ? null : canonicalSlug(spelled.replace(/^@/, ""));
  if (spelled === null || slug === null || isReservedSlug(slug)) {
    throw new ApiError("PAGE_NOT_FOUND", { headers: { "X-Robots-Tag": "noindex" } });
  }
  return { spelled, slug };
}

/**
 * Answers 200 or 304 from the cache or new, or 308 to `address` for another spelling of it, and to
 * the page's new address where it has moved. Throws 404 PAGE_NOT_FOUND, 410 PAGE_SUSPENDED, and 503
 * when it is not cached and D1 fails.
 *
 * @param path the renderer's path
 * @param address the canonical path for clients, to which their query is added
 */
export async function answerRendition(
  c: AppContext,
  { path, address, is_canonical }: { path: string; address: string; is_canonical: boolean },
): Promise<Response> {
  const response = await fetchCached(c, path);
  const locale = response.headers.get("Content-Language");
  if (locale === "ar" || locale === "en") c.set("locale", locale);
  if (response.status === 404) throw new ApiError("PAGE_NOT_FOUND", { headers: ABSENT_HEADERS });
  if (response.status === 410) throw new ApiError("PAGE_SUSPENDED", { headers: ABSENT_HEADERS });
  const { search } = new URL(c.req.url);
  if (response.status === 308) {
    const moved = new Response(null, response);
    moved.headers.set("Location", `${response.headers.get("Location")}${search}`);
    return moved;
  }
  if (response.status !== 200) throw dependencyDown();
  // A missing page is 404 at any spelling, so only an existing one redirects.
  if (is_canonical) return conditional(c, response);
  return c.body(null, 308, { Location: address + search, "Cache-Control": "public, max-age=300" });
}
