/** The answer of `…/stats`, which the dashboard shows too. Times are ISO 8601. */

import type { Dimension } from "../../objects/events/event.ts";
import type { LiveTotals } from "../../objects/page/live.ts";
import type { DayVisitors } from "../../objects/page/tables/days.ts";
import type { Change } from "../pages/document/revisions-store.ts";

/** Human events alone. */
export interface Counts {
  views: number;
  clicks: number;
}

export interface LinkStats {
  link_id: string;
  /** Null if the label of a removed link is not known. */
  label: string | null;
  /** A link that is switched off is still on the page. */
  removed: boolean;
  clicks: number;
  /** Clicks that the page object did not count. */
  imported: number;
  /** Null for a removed link, for the contact button and for a block. */
  url: string | null;
}

/** `t` is the start of an hour, day or month with the zone's offset. */
export type Point<Numbers> = Numbers & { t: string };

export interface LinkTrend {
  link_id: string;
  /** Clicks of the period before, up to the same hour. */
  previous: number;
  series: Point<{ clicks: number }>[];
}

/** Days are of the page's time zone, and hours are not stored. */
export interface ValueTrend extends Counts {
  dimension: Dimension;
  value: string;
  /** Null while the only day of this period is not over. */
  previous: Counts | null;
  series: Point<Counts>[];
}

export interface BreakdownShare extends Counts {
  /** Null for events without a value: a direct visit, or a visitor with Sec-GPC or DNT. */
  value: string | null;
}

export interface Edit {
  version: number;
  at: string;
  what: Change[];
}

export type Interval = "hour" | "day" | "month";

export interface Stats {
  /** `YYYY-MM-DD` in the time zone `tz`, an IANA name; both days are included. */
  from: string;
  to: string;
  tz: string;
  interval: Interval;
  /**
   * Views, clicks and visitors are human; the other numbers are views and clicks together. Visitors
   * are of these dates in the page's time zone, whatever `tz` is.
   */
  totals: Counts & { visitors: number; bots: number; owner: number; limited: number };
  /**
   * The period of the same length before; if this one is not over, only up to the same hour.
   * `visitors` are of whole days, and null while the only day is not over.
   */
  previous: Counts & { visitors: number | null };
  /** Has an entry for every hour, day or month, empty ones too. */
  series: Point<Counts>[];
  /** Removed links are there if they have clicks in the period. The most clicked comes first. */
  links: LinkStats[];
  /**
   * Largest first. Each dimension adds up to the human views and clicks of these dates in the
   * page's time zone. Where a stored day and its hours are not of the same date (`calendar.ts`),
   * the share without a value is larger or smaller by these events, and at least 0.
   */
  breakdowns: Record<Dimension, BreakdownShare[]>;
  link: LinkTrend | null;
  filter: ValueTrend | null;
  /** Imported history and sample data in the totals: the page object did not count them. */
  imported: Counts & { visitors: number };
  revisions: Edit[];
  /** Every event acknowledged before this time is in these numbers. */
  as_of: string;
  /** These acknowledged events may be missing from the numbers. */
  pending: Counts;
  /** The longest wait of such an event for D1, if longer than a flush may take; else 0. */
  behind_ms: number;
  /**
   * Lifetime numbers that were in D1, and the visitors of the latest stored day of these dates.
   * Live numbers minus these are the events since.
   */
  flushed: LiveTotals & { visitors: DayVisitors | null };
}
