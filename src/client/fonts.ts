/**
 * The pairs of typefaces (all OFL 1.1), subset to the characters of bio pages. Arabic and Latin of a
 * pair come from one family, in which they were drawn for each other.
 *
 * A page uses its own script in two weights. Latin words in an Arabic page have two weights as well:
 * in one between them they looked bold in a text and light in a heading. Arabic words in an English
 * page, which are rare, have one, and so have the Latin ones of Naskh, whose Arabic is the largest:
 * with another weight its pages would be over 40 KB. The heaviest pages load about 35 KB of fonts. A
 * character outside the subset is shown in a system font.
 */
import {
  ARABIC,
  LATIN,
  LATIN_WITH_ACCENTS,
  MORE_ARABIC,
  MORE_LATIN,
  range,
} from "../views/font-characters.ts";
import type { Locale } from "../views/locale.ts";
import type { Look } from "../views/look-values.ts";

type Type = Look["type"];

const OWN_WEIGHTS = [400, 600] as const;
/** The font packages have these for the other script. */
type PartnerWeight = 400 | 500 | 600;
/** The weight between, for texts and headings alike. */
const ONE_WEIGHT = [500] as const;

interface Setting {
  arabic: string;
  latin: string;
  /** 1rem in percent: pairs that are drawn large or small look alike. */
  size: Readonly<Record<Locale, number>>;
  partner: readonly PartnerWeight[];
  /** Vowel marks need room, in some pairs more than in others. */
  leading: Readonly<Record<Locale, number>>;
}

export const TYPES: Readonly<Record<Type, Setting>> = {
  plex: {
    arabic: "@fontsource/ibm-plex-sans-arabic",
    latin: "@fontsource/ibm-plex-sans-arabic",
    partner: OWN_WEIGHTS,
    size: { ar: 100, en: 100 },
    leading: { ar: 1.85, en: 1.65 },
  },
  readex: {
    arabic: "@fontsource/readex-pro",
    latin: "@fontsource/readex-pro",
    partner: OWN_WEIGHTS,
    size: { ar: 97, en: 95 },
    leading: { ar: 1.8, en: 1.65 },
  },
  alexandria: {
    arabic: "@fontsource/alexandria",
    latin: "@fontsource/alexandria",
    partner: OWN_WEIGHTS,
    size: { ar: 96, en: 95 },
    leading: { ar: 1.8, en: 1.65 },
  },
  kufi: {
    arabic: "@fontsource/reem-kufi",
    latin: "@fontsource/reem-kufi",
    partner: OWN_WEIGHTS,
    size: { ar: 106, en: 104 },
    leading: { ar: 1.75, en: 1.6 },
  },
  naskh: {
    arabic: "@fontsource/noto-naskh-arabic",
    // Its own Latin letters are these, but its full stop and colon are Arabic ones, far below the line.
    latin: "@fontsource/noto-serif",
    partner: ONE_WEIGHT,
    size: { ar: 104, en: 100 },
    leading: { ar: 1.9, en: 1.65 },
  },
  messiri: {
    arabic: "@fontsource/el-messiri",
    latin: "@fontsource/el-messiri",
    partner: OWN_WEIGHTS,
    size: { ar: 104, en: 102 },
    leading: { ar: 1.8, en: 1.6 },
  },
};

/** Latin words in Arabic texts lack these: no sentence, address or number has one. */
const LATIN_IN_TEXTS = [...LATIN].filter((c) => !"\\^`{|}".includes(c)).join("");

/** Latin words in Arabic headings lack these, which programmers type. */
const LATIN_IN_HEADINGS = [...LATIN].filter((c) => !"$*;<=>[]^`{|}~".includes(c)).join("");

/**
 * Joined letters and vowel marks need these: without `init`…`rlig` Arabic letters are not joined.
 * The last four place the marks. Not `calt` of Plex, which changes eight pairs at the end of a
 * word, such as رع, and takes 1.5 KB.
 */
const arabicFeatures = (type: Type) => [
  ...["ccmp", "isol", "init", "medi", "fina", "rlig", "liga", "locl"],
  ...(type === "plex" ? [] : ["calt"]),
  ...["curs", "mark", "mkmk", "kern"],
];
const LATIN_FEATURES = ["ccmp", "kern", "tnum"];

export interface Face {
  name: string;
  source: string;
  family: string;
  /** CSS `font-weight` descriptor; a range where one file stands for every weight. */
  weight: string;
  text: string;
  features: readonly string[];
}

type Script = "arabic" | "latin";

function ownFace(type: Type, script: Script, weight: (typeof OWN_WEIGHTS)[number]): Face {
  return {
    name: `${type}-${script}-${weight}.woff2`,
    source: sourceOf(type, script, weight),
    family: family(type, script, false),
    weight: String(weight),
    text: script === "arabic" ? ARABIC : LATIN_WITH_ACCENTS,
    features: script === "arabic" ? arabicFeatures(type) : LATIN_FEATURES,
  };
}

/** The other script of a page has few words, whose Latin letters need no kerning (3 KB). */
function partnerFace(type: Type, script: Script, weight: PartnerWeight): Face {
  return {
    name: `${type}-${script}-partner-${weight}.woff2`,
    source: sourceOf(type, script, weight),
    family: family(type, script, true),
    weight: { 400: "100 500", 500: "100 900", 600: "501 900" }[weight],
    text: script === "arabic" ? ARABIC : weight === 600 ? LATIN_IN_HEADINGS : LATIN_IN_TEXTS,
    features: script === "arabic" ? arabicFeatures(type) : [],
  };
}

function sourceOf(type: Type, script: Script, weight: PartnerWeight): string {
  const source = TYPES[type][script];
  return `${source}/files/${source.split("/")[1]}-${script}-${weight}-normal.woff2`;
}

/** The usual pair is called Sila, and bio.css and docs.css use it by that name. */
function family(type: Type, script: Script, isPartner: boolean): string {
  const words = [type === "plex" ? "" : ` ${type}`, script === "arabic" ? " Arabic" : " Latin"];
  return `Sila${words.join("")}${isPartner ? " Partner" : ""}`;
}

export const DIGITS_PACKAGE = "@fontsource/noto-sans-arabic";

/**
 * Arabic-Indic digits for columns of numbers, with their percent sign and separators. All are
 * equally wide, which those of Plex are not (11 to 25 px at 40 px), and the zero is a large
 * diamond, where that of Plex is a dot like a legend's.
 */
export const DIGIT_FACES: readonly Face[] = ([400, 600] as const).map((weight) => ({
  name: `digits-${weight}.woff2`,
  source: `${DIGITS_PACKAGE}/files/noto-sans-arabic-arabic-${weight}-normal.woff2`,
  family: "Sila Digits",
  weight: String(weight),
  text: range(0x0660, 0x066c),
  features: [],
}));

export function facesOf(type: Type): Face[] {
  const { partner } = TYPES[type];
  return [
    ...(["arabic", "latin"] as const).flatMap((script) =>
      OWN_WEIGHTS.map((weight) => ownFace(type, script, weight)),
    ),
    ...ONE_WEIGHT.map((weight) => partnerFace(type, "arabic", weight)),
    ...partner.map((weight) => partnerFace(type, "latin", weight)),
  ];
}

/** Letters for pages' pictures only (`cards/share-picture.ts`). No sheet names these files. */
export const MORE_FACES: readonly Face[] = [
  {
    name: "more-arabic.woff2",
    source: "@fontsource/ibm-plex-sans-arabic/files/ibm-plex-sans-arabic-arabic-600-normal.woff2",
    family: "More Arabic",
    weight: "600",
    text: MORE_ARABIC,
    features: arabicFeatures("plex"),
  },
  {
    name: "more-latin.woff2",
    source: "@fontsource/readex-pro/files/readex-pro-latin-ext-600-normal.woff2",
    family: "More Latin",
    weight: "600",
    text: MORE_LATIN,
    features: LATIN_FEATURES,
  },
];

/** Custom properties: the pair's fonts, the size of 1rem and the line height. */
export function typeRules(type: Type): string {
  const { size, leading } = TYPES[type];
  const rule = (selector: string, locale: Locale, own: Script, other: Script) => {
    const fonts = `"${family(type, own, false)}","${family(type, other, true)}",var(--fallback)`;
    return `${selector}{--font:${fonts};--leading:${leading[locale]};--size:${size[locale]}%}`;
  };
  return rule(":root", "en", "latin", "arabic") + rule(":root:lang(ar)", "ar", "arabic", "latin");
}

/** Browsers load the file only for characters of its range. */
export function fontFaceRule(face: Face, url: string): string {
  return `@font-face{font-family:"${face.family}";font-weight:${face.weight};font-display:swap;src:url(${url}) format("woff2");unicode-range:${unicodeRange(face.text)}}`;
}

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
