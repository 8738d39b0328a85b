/** Slugs to propose: made of a name, or like a taken one. D1 is not asked. */
import { hex } from "../http/bytes.ts";
import { canonicalSlug } from "../http/ids.ts";
import { SLUG_CHARS_MAX } from "../http/limits.ts";
import { handleMeant } from "../pages/document/typed-slug.ts";
import { latinForm } from "./latin-form.ts";

/** The last number that is appended in order; then they are random. */
const NUMBERS_MAX = 9;
const RANDOM_NUMBERS = 4;
/** Shortest first name, in letters, that is proposed by itself. */
const ALONE_LETTERS_MIN = 3;
/** The slug for names in neither script, and for emoji. */
const NAMELESS = "page";
const RANDOM_BYTES = 6;

/** Its dots and lines are kept, unlike those between words. */
const HANDLE = /^\w+(?:\.\w+)*$/;
const ARABIC = /\p{Script=Arabic}/u;
const HAS_ADDED_WORD = /(?:^|[-_.])(?:صفحة|روابط|page|links)(?:[-_.]|$)/u;

/** Canonical slugs like this one, best first. They may be taken or reserved. */
export function slugsLike(slug: string): string[] {
  const words = HAS_ADDED_WORD.test(slug) ? [] : addedWords(slug);
  const numbers = Array.from({ length: NUMBERS_MAX - 1 }, (_, i) => i + 2);
  const [first, ...others] = [...numbers, ...randomNumbers()].map((n) => ["", `-${n}`]);
  // A word says more than a number in Arabic, where digits turn the direction of the text.
  const ends = ARABIC.test(slug) ? [...words, first, ...others] : [first, ...words, ...others];
  return distinct(
    ends.map(([before = "", after = ""] = []) => `${before}${cut(slug, before + after)}${after}`),
  );
}

function addedWords(slug: string): [string, string][] {
  return ARABIC.test(slug)
    ? [
        ["صفحة-", ""],
        ["روابط-", ""],
      ]
    : [
        ["", "-links"],
        ["", "-page"],
      ];
}

/**
 * Canonical slugs made of a name, best first. An Arabic name comes in both scripts: in Latin letters
 * first where their spelling is known, because many apps show Arabic addresses in percent signs.
 */
export function slugsOfName(name: string): string[] {
  const handle = handleMeant(name) ?? (HANDLE.test(name.trim()) ? name.trim() : null);
  const slug = handle === null ? null : canonicalSlug(handle);
  if (slug !== null) return distinct([slug, ...slugsLike(slug)]);
  const words = wordsOf(name);
  // A slug has one script. Arabic digits belong to theirs, others to both.
  const made = ["ا", "a"]
    .map((letter) => words.filter((word) => canonicalSlug(letter + word) !== null))
    .filter((words) => letters(words) > 0)
    .sort((a, b) => letters(b) - letters(a));
  const [main = [], other] = made.map(slugsOfWords);
  const slugs =
    other === undefined && ARABIC.test(main[0] ?? "")
      ? bothForms(made[0] ?? [], main)
      : [...main, ...(other ?? [])];
  const [best] = slugs;
  return best === undefined
    ? randomNumbers().map((n) => `${NAMELESS}-${n}`)
    : distinct([...slugs, ...slugsLike(best)]);
}

function bothForms(words: readonly string[], arabic: readonly string[]): string[] {
  const { words: latin_words, is_known } = latinForm(words);
  const latin = latin_words.length === 0 ? [] : slugsOfWords(latin_words);
  const [own = "", ...others] = arabic;
  const [spelled = own, ...more] = latin;
  // Without its vowels a Latin word is a poor second where the Arabic one is taken.
  const first = is_known ? [spelled, own] : [own, ...slugsLike(own).slice(0, 1), spelled];
  return [...first, ...(is_known ? [...more, ...others] : [...others, ...more])];
}

function wordsOf(name: string): string[] {
  const plain = name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFKC");
  const words = plain.replace(/['’ʼ`]/g, "").match(/[\p{L}\p{M}\p{Nd}]+/gu) ?? [];
  return words.flatMap((word) => canonicalSlug(cut(word, "x")) ?? []);
}

function slugsOfWords(words: readonly string[]): string[] {
  const [first = ""] = words;
  const joined = words.reduce((all, word) => {
    const longer = `${all}-${word}`;
    return [...longer].length <= SLUG_CHARS_MAX ? longer : all;
  });
  // Joined Arabic words would run into each other.
  const together = ARABIC.test(joined) ? [] : [words.join("")];
  const alone = letters([first]) >= ALONE_LETTERS_MIN ? [first] : [];
  return distinct([joined, ...together, ...alone]);
}

export function randomSlug(): string {
  return `${NAMELESS}-${hex(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))}`;
}

function cut(slug: string, beside: string): string {
  return [...slug].slice(0, SLUG_CHARS_MAX - [...beside].length).join("");
}

function distinct(slugs: readonly string[]): string[] {
  return [...new Set(slugs)].filter((slug) => canonicalSlug(slug) === slug);
}

function randomNumbers(): number[] {
  return [...crypto.getRandomValues(new Uint16Array(RANDOM_NUMBERS))].map((n) => 10 + n);
}

function letters(words: readonly string[]): number {
  return words.join("").match(/\p{L}/gu)?.length ?? 0;
}
