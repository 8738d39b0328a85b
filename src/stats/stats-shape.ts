/** What a creator is told about a page's visits: the answer of `…/stats`, and what the dashboard shows. */
import type { LiveTotals } from "../../objects/page/live.ts";
import type { Dimension } from "../../objects/tables/event.ts";

/** Views and clicks of people. */
export interface Counts {
  views: number;
  clicks: number;
}

export interface LinkStats {
  link_id: string;
  /** Null where the link is no longer on the page. */
  label: string | null;
  clicks: number;
}

/** How often people came from one value of a dimension. */
export interface BreakdownShare extends Counts {
  /** Null: nothing is known of these, because they came directly or asked not to be followed. */
  value: string | null;
}

export type Interval = "hour" | "day";

export interface Stats {
  /** First and last day, `YYYY-MM-DD`, as the creator's calendar has them. */
  from: string;
  to: string;
  /** The creator's time zone, an IANA name. */
  tz: string;
  interval: Interval;
  /** `bots`, `owner` and `limited` are events that were not people's, views and clicks together. */
  totals: Counts & { visitors: number; bots: number; owner: number; limited: number };
  /**
   * The period before, as long as this one; if this one is not over, up to the same hour. `visitors` is
   * null where they cannot be compared: they are known by whole days only.
   */
  previous: Counts & { visitors: number | null };
  /** One entry per hour or day, none left out; `t` is its beginning, ISO 8601 with the zone's offset. */
  series: (Counts & { t: string })[];
  /** All links of the page, and those that were clicked and are gone; the most clicked first. */
  links: LinkStats[];
  /** The largest first; each dimension adds up to people's views and clicks of these UTC days. */
  breakdowns: Record<Dimension, BreakdownShare[]>;
  /** How many events of the totals were imported; the page's object never counted them. */
  imported: Counts;
  /** ISO 8601: whatever was acknowledged before this moment is in these numbers. */
  as_of: string;
  /** Acknowledged and perhaps not in these numbers yet. */
  pending: Counts;
  /** Lifetime numbers as far as they were in D1: live numbers minus these are what came since. */
  flushed: LiveTotals;
}
