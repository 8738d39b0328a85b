/**
 * The typeface: IBM Plex Sans Arabic and its own Latin (OFL 1.1), subset to the characters of bio
 * pages.
 *
 * A page uses its own script in two weights, and the other script in one weight between them. The
 * heaviest page, Arabic with Latin words, loads three files of about 32 KB in all; the stock
 * subsets have 108 KB. A character outside the subset is shown in a system font.
 */

const range = (first: number, last: number) =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i));

/** Letters, harakat, digits, punctuation, and the letters Arabic borrows (پ چ ڤ ک گ ی). */
const ARABIC = [
  " \u060c\u061b\u061f",
  range(0x0621, 0x063a),
  range(0x0640, 0x0652),
  range(0x0660, 0x066c),
  "\u0670\u0671\u067e\u0686\u06a4\u06a9\u06af\u06cc",
  "\u200c\u200d",
].join("");

const LATIN = `${range(0x20, 0x7e)}\u00a0\u00ab\u00b7\u00bb\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026`;
const LATIN_WITH_ACCENTS = `${LATIN}ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ©€`;

/** For joined letters and vowel marks; without `init`…`rlig` Arabic letters are not joined. */
const ARABIC_FEATURES = ["ccmp", "isol", "init", "medi", "fina", "rlig", "calt", "liga", "locl"];
const MARK_FEATURES = ["curs", "mark", "mkmk", "kern"];
const LATIN_FEATURES = ["ccmp", "kern", "tnum"];

/** One font file and the `@font-face` rule that offers it. */
export interface Face {
  /** Logical name in the manifest. */
  name: string;
  /** Path inside @fontsource/ibm-plex-sans-arabic. */
  source: string;
  family: string;
  /** CSS `font-weight` descriptor; a range where one file stands for every weight. */
  weight: string;
  text: string;
  features: readonly string[];
}

function face(script: "arabic" | "latin", weight: number, family: string, text: string): Face {
  return {
    name: `${script}-${weight}.woff2`,
    source: `files/ibm-plex-sans-arabic-${script}-${weight}-normal.woff2`,
    family,
    weight: weight === 500 ? "100 900" : String(weight),
    text,
    features: script === "arabic" ? [...ARABIC_FEATURES, ...MARK_FEATURES] : LATIN_FEATURES,
  };
}

/** Every font file of the pages; the family names are used in bio.css. */
export const FACES: readonly Face[] = [
  face("arabic", 400, "Sila Arabic", ARABIC),
  face("arabic", 600, "Sila Arabic", ARABIC),
  face("arabic", 500, "Sila Arabic Partner", ARABIC),
  face("latin", 400, "Sila Latin", LATIN_WITH_ACCENTS),
  face("latin", 600, "Sila Latin", LATIN_WITH_ACCENTS),
  face("latin", 500, "Sila Latin Partner", LATIN),
];

/** The `@font-face` rule of a face. Browsers load the file only for characters of its range. */
export function fontFaceRule(face: Face, url: string): string {
  return `@font-face{font-family:"${face.family}";font-weight:${face.weight};font-display:swap;src:url(${url}) format("woff2");unicode-range:${unicodeRange(face.text)}}`;
}

/** CSS `unicode-range` of a text's characters, with neighbours joined into ranges. */
function unicodeRange(text: string): string {
  const points = [...new Set(text)].map((c) => c.codePointAt(0) ?? 0).sort((a, b) => a - b);
  const spans: { first: number; last: number }[] = [];
  for (const point of points) {
    const span = spans.at(-1);
    if (span?.last === point - 1) span.last = point;
    else spans.push({ first: point, last: point });
  }
  return spans
    .map(({ first, last }) =>
      first === last ? `U+${first.toString(16)}` : `U+${first.toString(16)}-${last.toString(16)}`,
    )
    .join();
}
