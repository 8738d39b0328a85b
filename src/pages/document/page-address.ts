/** The addresses of a page and of its pictures on this site. */
import type { Locale } from "../../views/locale.ts";
import type { PageDocument } from "./page-document.ts";
import { defaultLocale } from "./page-words.ts";

/** `/<slug>`, and `/<slug>/<locale>` with a locale. The slug is canonical. */
export function pathOf(slug: string, locale: Locale | undefined): string {
  return `/${encodeURIComponent(slug)}${locale === undefined ? "" : `/${locale}`}`;
}

/** The path of the page in one of its languages: its default one has no suffix. */
export function pagePath(
  page: Pick<PageDocument, "locales"> & { slug: string },
  locale: Locale,
): string {
  return pathOf(page.slug, locale === defaultLocale(page) ? undefined : locale);
}

/**
 * What follows a page's path in that of the picture which stands for it. No locale and no slug has a dot and
 * a slash.
 */
export const SHARE_PICTURE_SUFFIX = "/share.png";

/** The path of the picture that stands for the page in this language where its address is shared. */
export function sharePicturePath(
  page: Pick<PageDocument, "locales"> & { slug: string },
  locale: Locale,
): string {
  return pagePath(page, locale) + SHARE_PICTURE_SUFFIX;
}

/** The path of a picture. Its key has the hash of the content in it, so it can be cached for ever. */
export function mediaPath(key: string): string {
  return `/media/${key.split("/").map(encodeURIComponent).join("/")}`;
}
