/**
 * The pairs of typefaces (all OFL 1.1), subset to the characters of bio pages. Arabic and Latin of a
 * pair come from one family, in which they were drawn for each other.
 *
 * A page uses its own script in two weights, and the other script in one weight between them. The
 * heaviest pages load three files of about 32 KB in all. A character outside the subset is shown in a
 * system font.
 */
import type { Locale } from "../views/locale.ts";
import type { Look } from "../views/look.ts";

type Type = Look["type"];

/** How a pair is set in each language. */
interface Setting {
  /** The font packages. */
  arabic: string;
  latin: string;
  /** The size of 1rem in percent: pairs that are drawn large or small look alike. */
  size: Readonly<Record<Locale, number>>;
  /** Line height. Vowel marks need room, in some pairs more than in others. */
  leading: Readonly<Record<Locale, number>>;
}

export const TYPES: Readonly<Record<Type, Setting>> = {
  plex: {
    arabic: "@fontsource/ibm-plex-sans-arabic",
    latin: "@fontsource/ibm-plex-sans-arabic",
    size: { ar: 100, en: 100 },
    leading: { ar: 1.85, en: 1.65 },
  },
  readex: {
    arabic: "@fontsource/readex-pro",
    latin: "@fontsource/readex-pro",
    size: { ar: 97, en: 95 },
    leading: { ar: 1.8, en: 1.65 },
  },
  alexandria: {
    arabic: "@fontsource/alexandria",
    latin: "@fontsource/alexandria",
    size: { ar: 96, en: 95 },
    leading: { ar: 1.8, en: 1.65 },
  },
  kufi: {
    arabic: "@fontsource/reem-kufi",
    latin: "@fontsource/reem-kufi",
    size: { ar: 106, en: 104 },
    leading: { ar: 1.75, en: 1.6 },
  },
  naskh: {
    arabic: "@fontsource/noto-naskh-arabic",
    // Its own Latin letters are these, but its full stop and colon are Arabic ones, far below the line.
    latin: "@fontsource/noto-serif",
    size: { ar: 104, en: 100 },
    leading: { ar: 1.9, en: 1.65 },
  },
  messiri: {
    arabic: "@fontsource/el-messiri",
    latin: "@fontsource/el-messiri",
    size: { ar: 104, en: 102 },
    leading: { ar: 1.8, en: 1.6 },
  },
};

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
  /** Path of the package's file. */
  source: string;
  family: string;
  /** CSS `font-weight` descriptor; a range where one file stands for every weight. */
  weight: string;
  text: string;
  features: readonly string[];
}

type Script = "arabic" | "latin";

function face(type: Type, script: Script, weight: 400 | 500 | 600): Face {
  const source = TYPES[type][script];
  const isPartner = weight === 500;
  const latin = isPartner ? LATIN : LATIN_WITH_ACCENTS;
  return {
    name: `${type}-${script}-${weight}.woff2`,
    source: `${source}/files/${source.split("/")[1]}-${script}-${weight}-normal.woff2`,
    family: family(type, script, isPartner),
    weight: isPartner ? "100 900" : String(weight),
    text: script === "arabic" ? ARABIC : latin,
    features: script === "arabic" ? [...ARABIC_FEATURES, ...MARK_FEATURES] : LATIN_FEATURES,
  };
}

/** The usual pair is called Sila, and bio.css and docs.css use it by that name. */
function family(type: Type, script: Script, isPartner: boolean): string {
  const words = [type === "plex" ? "" : ` ${type}`, script === "arabic" ? " Arabic" : " Latin"];
  return `Sila${words.join("")}${isPartner ? " Partner" : ""}`;
}

/** Every font file of a pair. */
export function facesOf(type: Type): Face[] {
  return (["arabic", "latin"] as const).flatMap((script) =>
    ([400, 600, 500] as const).map((weight) => face(type, script, weight)),
  );
}

/** The custom properties of a pair: its fonts, the size of 1rem and the line height. */
export function typeRules(type: Type): string {
  const { size, leading } = TYPES[type];
  const rule = (selector: string, locale: Locale, own: Script, other: Script) => {
    const fonts = `"${family(type, own, false)}","${family(type, other, true)}",var(--fallback)`;
    return `${selector}{--font:${fonts};--leading:${leading[locale]};--size:${size[locale]}%}`;
  };
  return rule(":root", "en", "latin", "arabic") + rule(":root:lang(ar)", "ar", "arabic", "latin");
}

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
