/** Texts of a page by language. No schema in this file: it is part of the editor's script. */
import { LOCALES, type Locale } from "../../views/locale.ts";
import type { ByLocale, Link, PageDocument } from "./page-document.ts";

type Words = Pick<PageDocument, "locales" | "name" | "bio" | "links">;

export function defaultLocale({ locales }: Pick<PageDocument, "locales">): Locale {
  return locales[0] ?? "ar";
}

/** Falls back to the other language. */
export function textIn(text: ByLocale, locale: Locale): string {
  return text[locale] || text[locale === "ar" ? "en" : "ar"] || "";
}

/** The language that {@link textIn} falls back to, where it does. */
export function otherLanguage(text: ByLocale, locale: Locale): Locale | undefined {
  const other = locale === "ar" ? "en" : "ar";
  return !text[locale] && text[other] ? other : undefined;
}

/** The language of what {@link textIn} answers. */
export function languageIn(text: ByLocale, locale: Locale): Locale {
  return otherLanguage(text, locale) ?? locale;
}

/**
 * The page without its texts in a language that is not in `locales`: the creator prepares them, and
 * they are nobody else's. Whatever answers visitors reads a page through this, because
 * {@link textIn} falls back to any text that is there.
 */
export function shownWords<P extends Words>(page: P): P {
  const hidden = hiddenLocale(page);
  if (hidden === undefined) return page;
  return {
    ...page,
    name: without(page.name, hidden),
    bio: without(page.bio, hidden),
    links: page.links.map((link) => shownLink(link, hidden)),
  };
}

/** One text, where the rest of the page is not read: as {@link textIn} of {@link shownWords}. */
export function shownTextIn(
  page: Pick<PageDocument, "locales">,
  text: ByLocale,
  locale: Locale,
): string {
  const hidden = hiddenLocale(page);
  return textIn(hidden === undefined ? text : without(text, hidden), locale);
}

function hiddenLocale({ locales }: Pick<PageDocument, "locales">): Locale | undefined {
  return LOCALES.find((locale) => !locales.includes(locale));
}

function without(text: ByLocale, hidden: Locale): ByLocale {
  if (text[hidden] === undefined) return text;
  const { [hidden]: _, ...shown } = text;
  return shown;
}

/** The editor's preview shows a link with the same words as the same object. */
const shown_links = { ar: new WeakMap<Link, Link>(), en: new WeakMap<Link, Link>() };

function shownLink(link: Link, hidden: Locale): Link {
  const { label, alt } = link;
  if (label[hidden] === undefined && alt?.[hidden] === undefined) return link;
  const known = shown_links[hidden].get(link);
  if (known !== undefined) return known;
  const shown = {
    ...link,
    label: without(label, hidden),
    ...(alt === undefined ? {} : { alt: without(alt, hidden) }),
  };
  shown_links[hidden].set(link, shown);
  return shown;
}
