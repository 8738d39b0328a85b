import { decodeSegment } from "../../http/path-segment.ts";
import { LOCALES, type Locale } from "../../views/locale.ts";
import type { PageDocument } from "./page-document.ts";
import { defaultLocale } from "./page-words.ts";

/** `/<slug>`, or `/<slug>/<locale>`. The slug is canonical. */
export function pathOf(slug: string, locale: Locale | undefined): string {
  return `/${encodeURIComponent(slug)}${locale === undefined ? "" : `/${locale}`}`;
}

/** Reads what {@link pathOf} writes, also as a client spells it. The slug is still encoded. */
export function parsePath(pathname: string): { segment: string; locale: Locale | undefined } {
  const [, segment = "", suffix = ""] = pathname.split("/");
  const spelled = decodeSegment(suffix);
  return { segment, locale: LOCALES.find((locale) => locale === spelled) };
}

/** The page's default language has no suffix. */
export function pagePath(
  page: Pick<PageDocument, "locales"> & { slug: string },
  locale: Locale,
): string {
  return pathOf(page.slug, locale === defaultLocale(page) ? undefined : locale);
}

/** No locale and no slug has a dot and a slash. */
export const SHARE_PICTURE_SUFFIX = "/share.png";

export function sharePicturePath(
  page: Pick<PageDocument, "locales"> & { slug: string },
  locale: Locale,
): string {
  return pagePath(page, locale) + SHARE_PICTURE_SUFFIX;
}

/** The key has the hash of the content in it, so the picture can be cached for ever. */
export function mediaPath(key: string): string {
  return `/media/${key.split("/").map(encodeURIComponent).join("/")}`;
}
