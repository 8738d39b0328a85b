/** The change of a number since the period before. Shared by the server and the script. */
import type { Locale } from "../../views/locale.ts";
import { languageOf, type ReaderLocale } from "../../views/numbering.ts";
import { type Forms, formatRate, inForm } from "../../views/numbers.ts";

export interface Change {
  direction: "up" | "down" | "same" | "new";
  short: string;
  full: string;
}

interface Words {
  new: string;
  new_full: string;
  same: string;
  over: (n: string) => string;
  up: (n: string) => string;
  down: (n: string) => string;
  points: Forms;
  points_full: Forms;
  higher: (points: string) => string;
  lower: (points: string) => string;
}

const WORDS: Readonly<Record<Locale, Words>> = {
  ar: {
    new: "جديد",
    new_full: "لم يكن منها شيء في الفترة السابقة",
    same: "كالفترة السابقة",
    over: (n) => `فوق ${n}`,
    up: (n) => `أكثر من الفترة السابقة بنسبة ${n}`,
    down: (n) => `أقل من الفترة السابقة بنسبة ${n}`,
    points: {
      one: "نقطة مئوية",
      two: "نقطتان مئويتان",
      few: "# نقاط مئوية",
      other: "# نقطة مئوية",
    },
    points_full: {
      one: "نقطة مئوية واحدة",
      two: "نقطتين مئويتين",
      few: "# نقاط مئوية",
      other: "# نقطة مئوية",
    },
    higher: (points) => `أعلى من الفترة السابقة بمقدار ${points}`,
    lower: (points) => `أدنى من الفترة السابقة بمقدار ${points}`,
  },
  en: {
    new: "new",
    new_full: "there were none in the period before",
    same: "as in the period before",
    over: (n) => `>${n}`,
    up: (n) => `${n} more than in the period before`,
    down: (n) => `${n} fewer than in the period before`,
    points: { other: "# pt" },
    points_full: { one: "# percentage point", other: "# percentage points" },
    higher: (points) => `${points} higher than in the period before`,
    lower: (points) => `${points} lower than in the period before`,
  },
};

/** Larger changes, from a very small number, are shown as `>999%`. */
const PERCENT_MAX = 999;

/** Null if there is nothing to compare. */
export function changeOf(locale: ReaderLocale, now: number, before: number | null): Change | null {
  const words = WORDS[languageOf(locale)];
  if (before === null || (now === 0 && before === 0)) return null;
  if (before === 0) return { direction: "new", short: words.new, full: words.new_full };
  const percent = Math.round((Math.abs(now - before) / before) * 100);
  if (percent === 0) return same(locale);
  const direction = now > before ? "up" : "down";
  const rate = formatRate(locale, Math.min(percent, PERCENT_MAX), 100);
  const short = percent > PERCENT_MAX ? words.over(rate) : rate;
  return { direction, short, full: words[direction](short) };
}

interface Rated {
  views: number;
  clicks: number;
}

/** Percentage points of the click rate. Null if a period has no views. */
export function rateChangeOf(locale: ReaderLocale, now: Rated, before: Rated): Change | null {
  if (now.views === 0 || before.views === 0) return null;
  const words = WORDS[languageOf(locale)];
  const difference = now.clicks / now.views - before.clicks / before.views;
  const points = Math.round(Math.abs(difference) * 1000) / 10;
  if (points === 0) return same(locale);
  const full = inForm(locale, words.points_full, points);
  return {
    direction: difference > 0 ? "up" : "down",
    short: inForm(locale, words.points, points),
    full: difference > 0 ? words.higher(full) : words.lower(full),
  };
}

function same(locale: ReaderLocale): Change {
  return { direction: "same", short: "=", full: WORDS[languageOf(locale)].same };
}
