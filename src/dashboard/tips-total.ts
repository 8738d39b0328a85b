/** The words of a page's tips. Its script has this file too. */
import { languageOf, type ReaderLocale } from "../views/numbering.ts";
import { counted } from "../views/numbers.ts";

/** `3 tips · 60 points`. */
export function tipsTotal(locale: ReaderLocale, n: number, points: number): string {
  const and = languageOf(locale) === "ar" ? " مجموعها " : " · ";
  if (n === 0) return languageOf(locale) === "ar" ? "لا إكراميات بعد" : "No tips yet";
  return counted(locale, "tip", n) + and + counted(locale, "point", points);
}
