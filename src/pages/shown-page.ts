/** Which page an address shows, and the answers of the renderer for an address that shows none. */
import type { Locale } from "../views/locale.ts";
import { ABSENCE_FRESHNESS, PAGE_FRESHNESS, slugTagOf, tagOf } from "./freshness.ts";
import { findPageBySlug, type Page } from "./pages-store.ts";
import { findCurrentSlug } from "./slugs-store.ts";

/**
 * The page that has this canonical slug, or that gave it up a short time ago; it is published or
 * suspended. Null if there is none: a draft does not exist for anybody but its owner, nor does a page
 * that is deleted, even if that can be undone.
 */
export async function findShownPage(
  db: D1Database,
  slug: string,
  now: number,
): Promise<Page | null> {
  const page = shown(await findPageBySlug(db, slug));
  if (page !== null) return page;
  const current = await findCurrentSlug(db, slug, now);
  return current === null ? null : shown(await findPageBySlug(db, current.slug));
}

function shown(page: Page | null): Page | null {
  return page === null || page.status === "draft" || page.ends_at !== null ? null : page;
}

/** 404. Its tag is the slug's, so that a page which takes the slug shows at once. */
export function notFound(slug: string): Response {
  return new Response(null, {
    status: 404,
    headers: { ...ABSENCE_FRESHNESS, "Cache-Tag": slugTagOf(slug) },
  });
}

/** 410, in the language of the address. */
export function suspended({ page_id }: Page, locale: Locale): Response {
  return new Response(null, {
    status: 410,
    headers: { ...ABSENCE_FRESHNESS, "Content-Language": locale, "Cache-Tag": tagOf(page_id) },
  });
}

/**
 * 308 to the page's own path. Browsers must not keep it: the page may take the address back, and then
 * the two would lead to each other.
 */
export function moved({ page_id }: Page, path: string): Response {
  return new Response(null, {
    status: 308,
    headers: {
      ...PAGE_FRESHNESS,
      Location: path,
      "Cache-Control": "public, max-age=0",
      "Cache-Tag": tagOf(page_id),
    },
  });
}
