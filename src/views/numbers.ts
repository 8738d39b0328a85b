/** Shared with scripts, so it stays small. */
import type { ReaderLocale } from "./numbering.ts";

const NOTHING = "–";

export function formatNumber(locale: ReaderLocale, n: number): string {
  return new Intl.NumberFormat(locale).format(n);
}

/** `12K`, which is short enough for an axis. Arabic says "thousand", never "1 thousand". */
export function formatShort(locale: ReaderLocale, n: number): string {
  const parts = new Intl.NumberFormat(locale, { notation: "compact" }).formatToParts(n);
  const is_unit = locale !== "en" && /^1(000)+$/.test(`${n}`);
  return (is_unit ? parts.filter(({ type }) => type === "compact") : parts)
    .map(({ value }) => value)
    .join("");
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** `19 bytes`, `84 kB`, `7.2 MB`, in powers of 1,000. */
export function formatBytes(locale: ReaderLocale, bytes: number): string {
  const steps = [1_000, 1_000_000, 1_000_000_000];
  const at = steps.filter((step) => bytes >= step).length;
  const n = bytes / 1_000 ** at;
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: UNITS[at],
    unitDisplay: at === 0 ? "long" : "short",
    maximumFractionDigits: at > 1 && n < 10 ? 1 : 0,
  }).format(n);
}

/** `12.3%`, or a dash if `whole` is 0. */
export function formatRate(locale: ReaderLocale, part: number, whole: number): string {
  return rate(locale, part, whole, 0);
}

/** `12.0%`: always with a decimal, so that the numbers of a column stand under each other. */
export function formatRateInColumn(locale: ReaderLocale, part: number, whole: number): string {
  return rate(locale, part, whole, 1);
}

function rate(locale: ReaderLocale, part: number, whole: number, decimals_min: number): string {
  if (whole === 0) return NOTHING;
  return new Intl.NumberFormat(locale, {
    style: "percent",
    minimumFractionDigits: decimals_min,
    maximumFractionDigits: 1,
  }).format(part / whole);
}

function pluralOf(locale: ReaderLocale, n: number): Intl.LDMLPluralRule {
  return new Intl.PluralRules(locale).select(n);
}

/** Texts by plural form; `#` is the number. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

export function inForm(locale: ReaderLocale, forms: Forms, n: number): string {
  return (forms[pluralOf(locale, n)] ?? forms.other).replace("#", formatNumber(locale, n));
}

type Noun = "view" | "click" | "visitor" | "point" | "tip";

const ARABIC: Readonly<Record<Noun, Forms>> = {
  view: {
    zero: "لا مشاهدات",
    one: "مشاهدة واحدة",
    two: "مشاهدتان",
    few: "# مشاهدات",
    many: "# مشاهدة",
    other: "# مشاهدة",
  },
  click: {
    zero: "لا نقرات",
    one: "نقرة واحدة",
    two: "نقرتان",
    few: "# نقرات",
    many: "# نقرة",
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
  point: {
    zero: "لا نقاط",
    one: "نقطة واحدة",
    two: "نقطتان",
    few: "# نقاط",
    many: "# نقطة",
    other: "# نقطة",
  },
  tip: {
    zero: "لا إكراميات",
    one: "إكرامية واحدة",
    two: "إكراميتان",
    few: "# إكراميات",
    many: "# إكرامية",
    other: "# إكرامية",
  },
};

const ENGLISH: Readonly<Record<Noun, Forms>> = {
  view: { one: "# view", other: "# views" },
  click: { one: "# click", other: "# clicks" },
  visitor: { one: "# visitor", other: "# visitors" },
  point: { one: "# point", other: "# points" },
  tip: { one: "# tip", other: "# tips" },
};

export function counted(locale: ReaderLocale, noun: Noun, n: number): string {
  return inForm(locale, (locale === "en" ? ENGLISH : ARABIC)[noun], n);
}
