/** Reads what `page-address.ts` writes. */
import { decodeSegment } from "../../http/ids.ts";
import { LOCALES, type Locale } from "../../views/locale.ts";

/** The slug of a path, decoded, and its locale if it has one. */
export function parsePagePath(pathname: string): { slug: string; locale: Locale | undefined } {
  const [, segment = "", suffix] = pathname.split("/");
  return {
    slug: decodeSegment(segment) ?? "",
    locale: LOCALES.find((locale) => locale === suffix),
  };
}
