import type { Locale } from "../../views/locale.ts";

export const CONTACT_LABEL: Readonly<Record<Locale, string>> = {
  ar: "حفظ جهة الاتصال",
  en: "Save contact",
};

export type CardVersion = "3.0" | "4.0";

export function cardPath(slug: string, version: CardVersion): string {
  return `/vcard/${encodeURIComponent(slug)}.vcf${version === "3.0" ? "?v=3" : ""}`;
}
