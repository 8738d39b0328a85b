/** The addresses of a page and of its pictures on this site. */
import { decodeSegment } from "../http/ids.ts";
import { LOCALES, type Locale } from "../views/locale.ts";
import { defaultLocale, type PageDocument } from "./page-document.ts";

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

/** The slug of a path, decoded, and its locale if it has one. */
export function parsePagePath(pathname: string): { slug: string; locale: Locale | undefined } {
  const [, segment = "", suffix] = pathname.split("/");
  return {
    slug: decodeSegment(segment) ?? "",
    locale: LOCALES.find((locale) => locale === suffix),
  };
}

/** The path of a picture. Its key has the hash of the content in it, so it can be cached for ever. */
export function mediaPath(key: string): string {
  return `/media/${key.split("/").map(encodeURIComponent).join("/")}`;
}
