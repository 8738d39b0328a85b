import { DIMENSIONS, type Dimension } from "../../objects/events/event.ts";
import { type CountsByValue, OTHER, sumOf } from "../../objects/page/tables/breakdowns.ts";
import { BREAKDOWN_SHARES_MAX } from "./limits.ts";
import type { BreakdownShare, Counts, Stats } from "./stats-shape.ts";

/** A redirect's click lacks the referrer, campaign and language of its view. */
export const KNOWN_OF_CLICKS: ReadonlySet<Dimension> = new Set(["country", "device"]);

/** Adds up JSON of days and months to `people` in each dimension; the value null has the rest. */
export function breakdownsOf(breakdowns: readonly string[], people: Counts): Stats["breakdowns"] {
  const sums = sumOf(breakdowns);
  const of = (dimension: Dimension): BreakdownShare[] => {
    const known = largest(sums[dimension] ?? new Map());
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

/** The share `(other)` gets the rest. */
function largest(values: CountsByValue): (BreakdownShare & { value: string })[] {
  const ranked = [...values]
    .map(([value, [views, clicks]]) => ({ value, views, clicks }))
    .sort(byRank);
  const shown = ranked.slice(0, BREAKDOWN_SHARES_MAX).filter(({ value }) => value !== OTHER);
  const other = { value: OTHER, views: 0, clicks: 0 };
  for (const { views, clicks } of ranked.slice(shown.length)) {
    other.views += views;
    other.clicks += clicks;
  }
  return ranked.length > shown.length ? [...shown, other] : shown;
}

/** Views come first: clicks on the redirect have no referrer and no campaign of their own. */
function byRank(a: BreakdownShare, b: BreakdownShare): number {
  return (
    Number(a.value === OTHER) - Number(b.value === OTHER) ||
    b.views - a.views ||
    b.clicks - a.clicks ||
    ((a.value ?? "") < (b.value ?? "") ? -1 : 1)
  );
}
