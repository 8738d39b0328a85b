/**
 * The languages of the editor's fields: those that visitors find (`locales`), and one that is being
 * prepared. Its texts are in the document, so a reload finds it again by them.
 */
import { LOCALES, type Locale } from "../../views/locale.ts";
import { isVisible } from "../../views/plain-text.ts";
import type { ByLocale, Draft } from "./draft.ts";

/** @param before a language in it stays, while its only text is typed anew */
export function languagesOf(draft: Draft, before: readonly Locale[] = []): readonly Locale[] {
  const { locales } = draft;
  const others = LOCALES.filter(
    (locale) => !locales.includes(locale) && (before.includes(locale) || hasTexts(draft, locale)),
  );
  const languages = [...locales, ...others];
  return languages.join() === before.join() ? before : languages;
}

export function hasTexts({ name, bio, links }: Draft, locale: Locale): boolean {
  const is = (text: ByLocale | undefined) => {
    const words = text?.[locale];
    return words !== undefined && isVisible(words);
  };
  return is(name) || is(bio) || links.some(({ label, alt }) => is(label) || is(alt));
}
