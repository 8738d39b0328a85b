/**
 * The addresses under which a page is passed on. The page's script sends the parameters `utm_…` of
 * its address with each view (docs/contract.md section 5), so a view counts its source also where
 * an app sends no referrer. The editor shows these addresses and the server draws them as codes, so
 * there is no schema in this file.
 */
import type { Locale } from "../../views/locale.ts";
import { pagePath } from "./page-address.ts";
import type { PageDocument } from "./page-document.ts";

/** `utm_medium` by `utm_source`. */
const MEDIA = {
  instagram: "social",
  tiktok: "social",
  snapchat: "social",
  youtube: "social",
  x: "social",
  whatsapp: "social",
  telegram: "social",
  facebook: "social",
  email: "email",
  print: "offline",
} as const;

export type Place = keyof typeof MEDIA;

export const PLACES = Object.keys(MEDIA) as Place[];

/** A view through an address with a place has the place as its source. */
export function shareAddress(
  origin: string,
  page: Pick<PageDocument, "locales"> & { slug: string },
  locale: Locale,
  place: Place | null,
): string {
  const url = new URL(pagePath(page, locale), origin);
  if (place !== null) {
    url.searchParams.set("utm_source", place);
    url.searchParams.set("utm_medium", MEDIA[place]);
  }
  return url.href;
}
