/** What `src/workshop` draws for `og:image`, in the page's colours, typefaces and frame. */
import {
  ARABIC,
  LATIN_WITH_ACCENTS,
  MORE_ARABIC,
  MORE_LATIN,
} from "../../views/font-characters.ts";
import type { Locale } from "../../views/locale.ts";
import type { Look } from "../../views/look-values.ts";
import { initials, isVisible, truncated } from "../../views/plain-text.ts";
import type { ByLocale } from "../document/page-document.ts";
import { textIn } from "../document/page-words.ts";

export const NAME_CHARACTERS_MAX = 80;
const BIO_CHARACTERS_MAX = 110;
const ADDRESS_CHARACTERS_MAX = 60;

export interface Shared {
  locale: Locale;
  look: Pick<Look, "palette" | "accent" | "scheme" | "avatar_shape" | "background">;
  name: string;
  bio: string;
  initials: string;
  address: string;
  has_avatar: boolean;
}

/** The pair's own subsets, and the whole fonts of two pairs for the letters that these lack. */
const BASIC = new Set(ARABIC + LATIN_WITH_ACCENTS);
const MORE = new Set(MORE_ARABIC + MORE_LATIN);

/** Leaves out emoji and signs. Null if a letter or digit is missing: it is another name then. */
export function drawable(text: string): string | null {
  let drawn = "";
  for (const character of text.normalize("NFC")) {
    if (BASIC.has(character) || MORE.has(character)) drawn += character;
    else if (/[\p{L}\p{N}]/u.test(character)) return null;
    else if (/\s/u.test(character)) drawn += " ";
  }
  const line = drawn.replace(/ +/g, " ").trim();
  return isVisible(line) ? line : null;
}

export function isBeyondSubsets(text: string): boolean {
  return [...text].some((character) => !BASIC.has(character));
}

export function sharedOf(
  page: { name: ByLocale; bio: ByLocale; look: Look; slug: string },
  locale: Locale,
  host: string,
  has_avatar: boolean,
): Shared {
  const address = `${host}/${page.slug}`;
  const readable_address = drawable(address) ?? host;
  const texts = [textIn(page.name, locale), page.name.ar ?? "", page.name.en ?? ""];
  const names = texts.flatMap((text) => drawable(text) ?? []);
  const name = truncated(names[0] ?? drawable(page.slug) ?? host, NAME_CHARACTERS_MAX);
  return {
    locale,
    look: page.look,
    name,
    bio: truncated(drawable(textIn(page.bio, locale)) ?? "", BIO_CHARACTERS_MAX),
    initials: initials(name),
    address: truncated(readable_address, ADDRESS_CHARACTERS_MAX),
    has_avatar,
  };
}
