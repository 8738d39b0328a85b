import { withTimeout } from "../../../objects/platform/clock.ts";
import { decodeSegment } from "../../http/path-segment.ts";
import type { Locale } from "../../views/locale.ts";
import {
  ABSENCE_FRESHNESS,
  PAGE_FRESHNESS,
  STORE_TIMEOUT_MS,
  slugTagOf,
  tagOf,
} from "../cache/freshness.ts";
import { parsePath } from "../document/page-address.ts";
import { defaultLocale, shownWords } from "../document/page-words.ts";
import { findPageBySlug, type Page } from "../document/pages-store.ts";
import { findCurrentSlug } from "../document/slugs-store.ts";

/**
 * The published or suspended page that has this canonical slug, or that gave it up a short time
 * ago. Null if there is none: a draft does not exist for anybody but its owner, nor does a page
 * that is deleted, even if that can be undone. Without texts of languages that are not shown.
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

/**
 * The page and the language of a path, or the answer for a path that shows none: 404 if there is no
 * such page or it lacks the language, 410 if it is suspended, 308 if `pathIn` has another path for
 * it.
 */
export async function pageAt(
  db: D1Database,
  pathname: string,
  pathIn: (page: Page, locale: Locale) => string,
): Promise<{ page: Page; locale: Locale } | Response> {
  const { segment, locale: suffix } = parsePath(pathname);
  const slug = decodeSegment(segment) ?? "";
  const page = await withTimeout(findShownPage(db, slug, Date.now()), STORE_TIMEOUT_MS);
  if (page === null) return notFound(slug);
  const locale = suffix ?? defaultLocale(page);
  if (!page.locales.includes(locale)) return notFound(slug);
  if (page.status === "suspended") return suspended(page, locale);
  const path = pathIn(page, locale);
  return path === pathname ? { page, locale } : moved(page, path);
}

function shown(page: Page | null): Page | null {
  if (page === null || page.status === "draft" || page.ends_at !== null) return null;
  return shownWords(page);
}

/**
 * 404. Its tag is the slug's, so that a page which takes the slug shows at once.
 */
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
 * 308. Browsers must not keep it: if the page takes the address back, both would redirect.
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
