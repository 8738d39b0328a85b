import { KNOWN_OF_CLICKS } from "../../stats/breakdown-shares.ts";
import type { Point, Stats } from "../../stats/stats-shape.ts";
import type { ReaderLocale } from "../../views/numbering.ts";
import { PART_TEXTS } from "./part-texts.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

export interface Shown {
  views: string;
  clicks: string;
  has_clicks: boolean;
  points: Point<{ views: number; clicks: number }>[];
}

/** A link has no views of its own, so its clicks are shown against those of the page. */
export function shownOf(locale: ReaderLocale, { series, link, filter }: Stats): Shown {
  const { views, clicks } = DASHBOARD_TEXTS[locale];
  if (filter !== null) {
    const has_clicks = KNOWN_OF_CLICKS.has(filter.dimension);
    return { views, clicks, has_clicks, points: filter.series };
  }
  if (link === null) return { views, clicks, has_clicks: true, points: series };
  const texts = PART_TEXTS[locale];
  return {
    views: texts.link_views,
    clicks: texts.link_clicks,
    has_clicks: true,
    points: series.map(({ t, views }, i) => ({ t, views, clicks: link.series[i]?.clicks ?? 0 })),
  };
}
