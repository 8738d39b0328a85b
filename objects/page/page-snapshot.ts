/**
 * PageSnapshot: what a page object has counted, and how much of it D1 has.
 *
 * A caller that combines D1's numbers with the object's takes one before and one after it reads D1.
 * If both have the same version and database, no flush went to D1 in between, and the numbers belong together.
 */
import type { Total } from "../tables/tallies.ts";

export interface PageSnapshot {
  totals: Total[];
  /** Unix milliseconds: everything acknowledged before is in D1. */
  watermark: number;
  /** Changes with every flush that sends something to D1. */
  version: string;
  /** Name of the database that has what D1 has of the page (`stats/databases.ts`). */
  stats: string;
}
