/** Numbers in each language. Shared with the dashboard's script, so it stays small. */
import type { Locale } from "../../views/locale.ts";

/** Arabic-Indic digits, as in the notifications. */
export const NUMBER_LOCALE = { ar: "ar-EG", en: "en" } as const;

/** Shown instead of a rate without views. */
const NOTHING = "–";

export function formatNumber(locale: Locale, n: number): string {
  return new Intl.NumberFormat(NUMBER_LOCALE[locale]).format(n);
}

/** Short enough for an axis: `12K`. */
export function formatShort(locale: Locale, n: number): string {
  return new Intl.NumberFormat(NUMBER_LOCALE[locale], { notation: "compact" }).format(n);
}

/** `12.3%`, or a dash if `whole` is 0. */
export function formatRate(locale: Locale, part: number, whole: number): string {
  if (whole === 0) return NOTHING;
  return new Intl.NumberFormat(NUMBER_LOCALE[locale], {
    style: "percent",
    maximumFractionDigits: 1,
  }).format(part / whole);
}

type Noun = "view" | "click" | "visitor";

/** The six plural forms of Arabic; `#` is the number. */
const ARABIC: Readonly<Record<Noun, Readonly<Record<Intl.LDMLPluralRule, string>>>> = {
  view: {
    zero: "لا مشاهدات",
    one: "مشاهدة واحدة",
    two: "مشاهدتان",
    few: "# مشاهدات",
    many: "# مشاهدةً",
    other: "# مشاهدة",
  },
  click: {
    zero: "لا نقرات",
    one: "نقرة واحدة",
    two: "نقرتان",
    few: "# نقرات",
    many: "# نقرةً",
    other: "# نقرة",
  },
  visitor: {
    zero: "لا زوّار",
    one: "زائر واحد",
    two: "زائران",
    few: "# زوّار",
    many: "# زائرًا",
    other: "# زائر",
  },
};

/** `12 views`, with the plural form of the number. */
export function counted(locale: Locale, noun: Noun, n: number): string {
  if (locale === "en") return `${formatNumber(locale, n)} ${noun}${n === 1 ? "" : "s"}`;
  const form = ARABIC[noun][new Intl.PluralRules("ar").select(n)];
  return form.replace("#", formatNumber(locale, n));
}
