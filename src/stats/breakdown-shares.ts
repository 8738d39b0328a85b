/** The shares of each breakdown, completed with the events whose value is unknown. Pure. */
import { OTHER } from "../../objects/tables/breakdowns.ts";
import { DIMENSIONS, type Dimension } from "../../objects/tables/event.ts";
import type { BreakdownShare, Counts, Stats } from "./stats-shape.ts";
import type { StatsRows } from "./stats-store.ts";

/**
 * Dimensions whose clicks say something. A click on a redirect has a country and a device, but not
 * the referrer, campaign and language of its view.
 */
export const KNOWN_OF_CLICKS: ReadonlySet<Dimension> = new Set(["country", "device"]);

/** Each dimension adds up to `people`: events without a known value have the value null. */
export function breakdownsOf(shares: StatsRows["shares"], people: Counts): Stats["breakdowns"] {
  const of = (dimension: Dimension): BreakdownShare[] => {
    const known = shares
      .filter((share) => share.dimension === dimension)
      .map(({ value, views, clicks }) => ({ value, views, clicks }));
    const unknown: BreakdownShare = { value: null, ...people };
    for (const { views, clicks } of known) {
      unknown.views = Math.max(0, unknown.views - views);
      unknown.clicks = Math.max(0, unknown.clicks - clicks);
    }
    const there = unknown.views + unknown.clicks > 0 ? [unknown] : [];
    return [...known, ...there].sort(byRank);
  };
  return Object.fromEntries(
    DIMENSIONS.map((dimension) => [dimension, of(dimension)]),
  ) as Stats["breakdowns"];
}

/** By views first, because clicks on the redirect have no referrer and no campaign of their own. */
function byRank(a: BreakdownShare, b: BreakdownShare): number {
  return (
    Number(a.value === OTHER) - Number(b.value === OTHER) ||
    b.views - a.views ||
    b.clicks - a.clicks ||
    ((a.value ?? "") < (b.value ?? "") ? -1 : 1)
  );
}
