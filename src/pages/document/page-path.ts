import { decodeSegment } from "../../http/ids.ts";
import { LOCALES, type Locale } from "../../views/locale.ts";

/** Reads what `page-address.ts` writes. The slug is decoded. */
export function parsePagePath(pathname: string): { slug: string; locale: Locale | undefined } {
  const [, segment = "", suffix] = pathname.split("/");
  return {
    slug: decodeSegment(segment) ?? "",
    locale: LOCALES.find((locale) => locale === suffix),
  };
}
