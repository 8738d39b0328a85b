/**
 * The texts of a page in each of its languages. No schema in this file: it is part of the editor's
 * script.
 */
import type { Locale } from "../../views/locale.ts";
import type { ByLocale, PageDocument } from "./page-document.ts";

/** The language of the page's address without a suffix. */
export function defaultLocale({ locales }: Pick<PageDocument, "locales">): Locale {
  return locales[0] ?? "ar";
}

/** The text in this language, or in the page's other one where it is missing. */
export function textIn(text: ByLocale, locale: Locale): string {
  return text[locale] || text[locale === "ar" ? "en" : "ar"] || "";
}

/** The language of what {@link textIn} returns, where it is the page's other one. */
export function otherLanguage(text: ByLocale, locale: Locale): Locale | undefined {
  const other = locale === "ar" ? "en" : "ar";
  return !text[locale] && text[other] ? other : undefined;
}
