/** The change of a number since the period before. Shared by the server and the script. */
import type { Locale } from "../../views/locale.ts";
import { formatNumber, formatRate } from "./numbers.ts";

export interface Change {
  direction: "up" | "down" | "same" | "new";
  /** Shown next to the arrow. */
  short: string;
  /** The whole sentence, for screen readers. */
  full: string;
}

const WORDS = {
  ar: {
    new: "جديد",
    new_full: "لم يكن منها شيء في الفترة السابقة",
    same: "كالفترة السابقة",
    up: (n: string) => `أكثر من الفترة السابقة بنسبة ${n}`,
    down: (n: string) => `أقل من الفترة السابقة بنسبة ${n}`,
    points: (n: string) => `${n} نقطة`,
    higher: (n: string) => `أعلى من الفترة السابقة بمقدار ${n} نقطة مئوية`,
    lower: (n: string) => `أدنى من الفترة السابقة بمقدار ${n} نقطة مئوية`,
  },
  en: {
    new: "new",
    new_full: "there were none in the period before",
    same: "as in the period before",
    up: (n: string) => `${n} more than in the period before`,
    down: (n: string) => `${n} less than in the period before`,
    points: (n: string) => `${n} pt`,
    higher: (n: string) => `${n} percentage points higher than in the period before`,
    lower: (n: string) => `${n} percentage points lower than in the period before`,
  },
};

/** Larger changes, from a very small number, are shown as `999%+`. */
const PERCENT_MAX = 999;

/** Null if there is nothing to compare. */
export function changeOf(locale: Locale, now: number, before: number | null): Change | null {
  const words = WORDS[locale];
  if (before === null || (now === 0 && before === 0)) return null;
  if (before === 0) return { direction: "new", short: words.new, full: words.new_full };
  const percent = Math.round((Math.abs(now - before) / before) * 100);
  if (percent === 0) return same(locale);
  const direction = now > before ? "up" : "down";
  const rate = formatRate(locale, Math.min(percent, PERCENT_MAX), 100);
  const short = percent > PERCENT_MAX ? `${rate}+` : rate;
  return { direction, short, full: words[direction](short) };
}

interface Rated {
  views: number;
  clicks: number;
}

/** The change of the click rate in percentage points. Null if a period has no views. */
export function rateChangeOf(locale: Locale, now: Rated, before: Rated): Change | null {
  if (now.views === 0 || before.views === 0) return null;
  const words = WORDS[locale];
  const difference = now.clicks / now.views - before.clicks / before.views;
  const points = Math.round(Math.abs(difference) * 1000) / 10;
  if (points === 0) return same(locale);
  const n = formatNumber(locale, points);
  const full = difference > 0 ? words.higher(n) : words.lower(n);
  return { direction: difference > 0 ? "up" : "down", short: words.points(n), full };
}

function same(locale: Locale): Change {
  return { direction: "same", short: "=", full: WORDS[locale].same };
}
