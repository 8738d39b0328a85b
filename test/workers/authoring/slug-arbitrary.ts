/** Slugs and all their spellings, by fast-check; made from Unicode's tables and not from our code. */
import fc from "fast-check";
import { SLUG_CHARS_MAX } from "../../../src/http/limits.ts";

export interface Spelled {
  slug: string;
  spelled: string;
}

export const FORMS = ["NFC", "NFD", "NFKC", "NFKD"] as const;

/** Tatweel, and all marks above and below Arabic letters: harakat, honorifics, Quranic marks. */
const MARKS = ["\u0640", ...range(0x610, 0x6ff), ...range(0x8ca, 0x8ff)].filter((mark) =>
  /[\u0640\u06e5\u06e6\p{Mn}]/u.test(mark),
);
const MARK = new RegExp(`[${MARKS.join("")}]`, "g");

/**
 * The canonical form of a character: Unicode's compatibility decomposition in lower case, without marks,
 * and with the Arabic yeh and kaf.
 */
function canonical(character: string): string {
  return character
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKC")
    .replace(MARK, "")
    .replaceAll("ی", "ي")
    .replaceAll("ک", "ك");
}

/** Behind the planes 0 to 3 Unicode has neither letters nor digits. */
export const LAST_LETTER = 0x3_ffff;

/** The spellings of each canonical character. A ligature stands for several characters. */
const SPELLINGS = Map.groupBy(range(0, LAST_LETTER), canonical);

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i));
}

/** A piece of a slug and another spelling of it, with marks that do not change the letter. */
function respelled(piece: string): fc.Arbitrary<Spelled> {
  // Alef and a hamza above it are one letter; beh and a hamza above it are a marked beh.
  const isMark = (mark: string) =>
    /[\p{Script=Arabic}\u0660-\u0669]$/u.test(piece) &&
    (piece + mark).normalize("NFC") === piece + mark;
  return fc
    .tuple(
      fc.constantFrom(...(SPELLINGS.get(piece) ?? [piece])),
      fc.array(fc.constantFrom(...MARKS), { maxLength: 2 }),
      fc.constantFrom(...FORMS, null),
    )
    .map(([spelling, marks, form]) => {
      const spelled = form === null ? spelling : spelling.normalize(form);
      return { slug: piece, spelled: spelled + marks.filter(isMark).join("") };
    });
}

/** Pieces of these characters, of letters and digits only; half of them of common ones. */
function piecesOf(pattern: RegExp): fc.Arbitrary<Spelled> {
  const pieces = [...SPELLINGS.keys()].filter(
    (piece) =>
      pattern.test(piece) && /^[\p{L}\p{Nd}._-]+$/u.test(piece) && canonical(piece) === piece,
  );
  const usual = pieces.filter((piece) => /^[a-z0-9\u0621-\u064a._-]$/.test(piece));
  return fc.oneof(fc.constantFrom(...usual), fc.constantFrom(...pieces)).chain(respelled);
}

export const latin_letters = piecesOf(/^\p{Script=Latin}+$/u);
export const arabic_letters = piecesOf(/^\p{Script=Arabic}+$/u);
const in_latin = piecesOf(/^[\p{Script=Latin}0-9._-]+$/u);
const in_arabic = piecesOf(/^[\p{Script=Arabic}\u0660-\u06690-9._-]+$/u);

/** A canonical slug of one script, and another spelling of it. */
export const slugs: fc.Arbitrary<Spelled> = fc
  .oneof(
    fc.tuple(latin_letters, fc.array(in_latin, { minLength: 6, maxLength: 40 }), latin_letters),
    fc.tuple(arabic_letters, fc.array(in_arabic, { minLength: 6, maxLength: 40 }), arabic_letters),
  )
  .map(([first, inside, last]) => [first, ...inside, last])
  .map((pieces) => ({
    slug: pieces.map(({ slug }) => slug).join(""),
    spelled: pieces.map(({ spelled }) => spelled).join(""),
  }))
  .filter(({ slug }) => [...slug].length <= SLUG_CHARS_MAX);
