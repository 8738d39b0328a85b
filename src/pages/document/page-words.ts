/** Texts of a page by language. No schema in this file: it is part of the editor's script. */
import type { Locale } from "../../views/locale.ts";
import type { ByLocale, PageDocument } from "./page-document.ts";

export function defaultLocale({ locales }: Pick<PageDocument, "locales">): Locale {
  return locales[0] ?? "ar";
}

/** Falls back to the page's other language. */
export function textIn(text: ByLocale, locale: Locale): string {
  return text[locale] || text[locale === "ar" ? "en" : "ar"] || "";
}

/** The language that {@link textIn} falls back to, where it does. */
export function otherLanguage(text: ByLocale, locale: Locale): Locale | undefined {
  const other = locale === "ar" ? "en" : "ar";
  return !text[locale] && text[other] ? other : undefined;
}
