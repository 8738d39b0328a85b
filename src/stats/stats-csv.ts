/** Statistics as one table for spreadsheets (RFC 4180). */
import * as z from "zod/mini";
import type { Dimension } from "../../objects/events/event.ts";
import { LocaleName } from "../pages/document/page-document.ts";
import { BYTE_ORDER_MARK, type Cell, csvLine } from "../views/csv.ts";
import type { Locale } from "../views/locale.ts";
import { KNOWN_OF_CLICKS } from "./breakdown-shares.ts";
import type { BreakdownShare, Stats } from "./stats-shape.ts";

export const CsvQuery = z.object({ lang: z._default(LocaleName, "en") });

const HEADER: Readonly<Record<Locale, readonly string[]>> = {
  en: ["section", "key", "label", "views", "clicks", "visitors"],
  ar: ["القسم", "المفتاح", "الاسم", "المشاهدات", "النقرات", "الزوّار"],
};
/** The first two columns are in English, as programs read them, or in Arabic. */
const ARABIC: Readonly<Record<string, string>> = {
  total: "الإجمالي",
  imported: "المستورد",
  events: "غير محسوب",
  time: "الوقت",
  link: "رابط",
  removed_link: "رابط محذوف",
  link_time: "نقرات الرابط",
  filter_time: "القيمة المختارة",
  people: "الناس",
  bots: "روبوتات",
  owner: "زياراتك أنت",
  limited: "تجاوزت الحد",
  referrer: "المصدر المُحيل",
  country: "البلد",
  device: "الجهاز",
  language: "اللغة",
  utm_source: "مصدر الحملة",
  utm_medium: "وسيلة الحملة",
  utm_campaign: "الحملة",
};
/**
 * Totals, how much of them is imported, the excluded traffic, then the series, links and
 * breakdowns, and the requested link or value over time. A cell without a value is empty, and so
 * are the key of an unknown share and clicks that say nothing (`KNOWN_OF_CLICKS`).
 */
export function statsCsv(stats: Stats, lang: Locale): string {
  const { totals, imported, series, links, breakdowns } = stats;
  const word = (english: string) => (lang === "ar" ? ARABIC[english] : undefined) ?? english;
  const shares = Object.entries(breakdowns) as [Dimension, BreakdownShare[]][];
  const rows: Cell[][] = [
    [word("total"), word("people"), null, totals.views, totals.clicks, totals.visitors],
    [word("imported"), word("people"), null, imported.views, imported.clicks, imported.visitors],
    ...(["bots", "owner", "limited"] as const).map((key) => [
      word("events"),
      word(key),
      null,
      totals[key],
    ]),
    ...series.map(({ t, views, clicks }) => [word("time"), t, null, views, clicks]),
    ...links.map(({ link_id, label, removed, clicks }) => [
      word(removed ? "removed_link" : "link"),
      { id: link_id },
      label,
      null,
      clicks,
    ]),
    ...shares.flatMap(([dimension, values]) =>
      values.map(({ value, views, clicks }) => [
        word(dimension),
        value,
        null,
        views,
        KNOWN_OF_CLICKS.has(dimension) ? clicks : null,
      ]),
    ),
    ...partOverTime(stats, word),
  ];
  return BYTE_ORDER_MARK + [[...HEADER[lang]], ...rows].map(line).join("");
}

function partOverTime({ link, filter, links }: Stats, word: (english: string) => string) {
  const label = links.find(({ link_id }) => link_id === link?.link_id)?.label ?? null;
  const of_link = (link?.series ?? []).map(({ t, clicks }) => [
    word("link_time"),
    t,
    label,
    null,
    clicks,
  ]);
  if (filter === null) return of_link;
  const { dimension, value } = filter;
  return filter.series.map(({ t, views, clicks }) => [
    word("filter_time"),
    t,
    `${word(dimension)}: ${value}`,
    views,
    KNOWN_OF_CLICKS.has(dimension) ? clicks : null,
  ]);
}

function line(cells: readonly Cell[]): string {
  return csvLine(HEADER.en.map((_, i) => cells[i] ?? null));
}
