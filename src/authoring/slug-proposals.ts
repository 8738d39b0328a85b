/** Slugs to propose: those made of a name, and others like one that is taken. Nothing here asks D1. */
import { hex } from "../http/bytes.ts";
import { canonicalSlug } from "../http/ids.ts";
import { SLUG_CHARS_MAX } from "../http/limits.ts";

/** The last number that is appended in order; after it numbers are random. */
const NUMBERS_MAX = 9;
const RANDOM_NUMBERS = 4;
/** A first name that may stand alone has at least so many letters. */
const ALONE_LETTERS_MIN = 3;
/** Of names in neither script, and of those that are emoji alone. */
const NAMELESS = "page";
const RANDOM_BYTES = 6;

const ARABIC = /\p{Script=Arabic}/u;
/** Such a slug would say the added word twice. */
const HAS_ADDED_WORD = /(?:^|[-_.])(?:صفحة|روابط|page|links)(?:[-_.]|$)/u;

/** Canonical slugs like this one, the best first. They may be taken or reserved. */
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

/** What stands before a slug, and behind it. */
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
 * Canonical slugs made of a name, the best first: of its words in the script that most of its letters
 * have, then of those in the other one, then like the first.
 */
export function slugsOfName(name: string): string[] {
  const words = wordsOf(name);
  // A slug is of one script; digits of the Arabic script belong to it, others to both.
  const made = ["ا", "a"]
    .map((letter) => words.filter((word) => canonicalSlug(letter + word) !== null))
    .filter((words) => letters(words) > 0)
    .sort((a, b) => letters(b) - letters(a))
    .flatMap(slugsOfWords);
  const [best] = made;
  return best === undefined
    ? randomNumbers().map((n) => `${NAMELESS}-${n}`)
    : distinct([...made, ...slugsLike(best)]);
}

/** The words of a name as they may stand in a slug, without the accents of Latin letters. */
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
  // Arabic letters would be joined across the words.
  const together = ARABIC.test(joined) ? [] : [words.join("")];
  const alone = letters([first]) >= ALONE_LETTERS_MIN ? [first] : [];
  return distinct([joined, ...together, ...alone]);
}

/** A slug that nobody has. */
export function randomSlug(): string {
  return `${NAMELESS}-${hex(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))}`;
}

/** As much of a slug as there is room for beside these characters. */
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
