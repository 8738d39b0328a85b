/**
 * PageSnapshot: what a page object has counted, and how much of it D1 has.
 *
 * A caller that combines D1's numbers with the object's takes one before and one after it reads D1.
 * If both have the same version and database, no flush went to D1 in between, and the numbers
 * belong together.
 */
import type { Held } from "./home/page-home.ts";
import type { Total } from "./tables/tallies.ts";

export interface PageSnapshot {
  totals: Total[];
  /** Everything acknowledged before this unix millisecond is in D1. */
  watermark: number;
  /** Changes with every flush that sends something to D1. */
  version: string;
  stats: string;
}

const keyOf = ({ link_id, class: eventClass }: Total) => `${link_id}/${eventClass}`;

export function heldOf(totals: readonly Total[], watermark: number): Held {
  return { watermark, flushed: new Map(totals.map((total) => [keyOf(total), total.flushed])) };
}

export function totalsIn({ flushed: held }: Held, totals: readonly Total[]): Total[] {
  return totals.map((total) => {
    const flushed = held.get(keyOf(total)) ?? 0;
    return { ...total, flushed, pending: total.accepted - flushed };
  });
}
