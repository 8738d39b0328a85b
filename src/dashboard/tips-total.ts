import { languageOf, type ReaderLocale } from "../views/numbering.ts";
import { counted } from "../views/numbers.ts";

/** `3 tips · 60 points`. The page's script has this file too. */
export function tipsTotal(locale: ReaderLocale, n: number, points: number): string {
  const and = languageOf(locale) === "ar" ? " مجموعها " : " · ";
  if (n === 0) return languageOf(locale) === "ar" ? "لا إكراميات بعد" : "No tips yet";
  return counted(locale, "tip", n) + and + counted(locale, "point", points);
}
