/**
 * The statistics of a page: the answer of `…/stats`, which the dashboard shows too. Times are ISO
 * 8601.
 */

import type { Dimension } from "../../objects/events/event.ts";
import type { LiveTotals } from "../../objects/page/live.ts";
import type { DayVisitors } from "../../objects/page/tables/days.ts";
import type { Change } from "../pages/document/revisions-store.ts";

/** Human views and clicks. */
export interface Counts {
  views: number;
  clicks: number;
}

export interface LinkStats {
  link_id: string;
  /** Of a removed link its last one; null if that is not known. */
  label: string | null;
  /** True if the link is no longer on the page. One that is switched off still is. */
  removed: boolean;
  clicks: number;
  /** How many of the clicks the page object did not count. */
  imported: number;
  /** Where the link leads; null for one that is no longer on the page, for the contact button and for a block. */
  url: string | null;
}

/** One hour, day or month; `t` is its start with the zone's offset. */
export type Point<Numbers> = Numbers & { t: string };

/** One link of `links` over time. */
export interface LinkTrend {
  link_id: string;
  /** Its clicks in the period before, up to the same hour. */
  previous: number;
  series: Point<{ clicks: number }>[];
}

/** One value of a dimension over time: days of the page's time zone, which have no hours. */
export interface ValueTrend extends Counts {
  dimension: Dimension;
  value: string;
  /** The whole period before; null while the only day of this one is not over. */
  previous: Counts | null;
  series: Point<Counts>[];
}

/** The human events of one value of a dimension. */
export interface BreakdownShare extends Counts {
  /** Null for events without a value: a direct visit, or a visitor with Sec-GPC or DNT. */
  value: string | null;
}

/** A save of the page. */
export interface Edit {
  /** The version that it made. */
  version: number;
  at: string;
  what: Change[];
}

export type Interval = "hour" | "day" | "month";

export interface Stats {
  /** First and last day, `YYYY-MM-DD`, in the time zone `tz`, an IANA name. */
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
   * Visitors are counted by whole days, so `visitors` is null while the only day is not over.
   */
  previous: Counts & { visitors: number | null };
  /** One entry per hour, day or month, empty ones included. */
  series: Point<Counts>[];
  /** All links of the page, and removed links with clicks in the period; the most clicked first. */
  links: LinkStats[];
  /**
   * Largest first. Each dimension adds up to the human views and clicks of these dates in the
   * page's time zone. Where a stored day and its hours are not of the same date (`calendar.ts`),
   * the share without a value is larger or smaller by these events, and at least 0.
   */
  breakdowns: Record<Dimension, BreakdownShare[]>;
  /** The link that was asked for; else null. */
  link: LinkTrend | null;
  /** The value that was asked for; else null. */
  filter: ValueTrend | null;
  /** Events of the totals that the page object did not count: imported history or sample data. */
  imported: Counts & { visitors: number };
  /** Saves of the page in the period, the newest first. */
  revisions: Edit[];
  /** Every event acknowledged before this time is in these numbers. */
  as_of: string;
  /** Acknowledged events that may be missing from these numbers. */
  pending: Counts;
  /**
   * How long the oldest of them has waited for D1, in milliseconds, where that is longer than a flush
   * may take: D1 is overloaded, full or down. Else 0.
   */
  behind_ms: number;
  /**
   * Lifetime numbers that were in D1, and the visitors of the latest day of these dates that is
   * stored. Live numbers minus these are the events since.
   */
  flushed: LiveTotals & { visitors: DayVisitors | null };
}
