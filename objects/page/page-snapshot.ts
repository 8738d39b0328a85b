/**
 * PageSnapshot: what a page object has counted, and how much of it D1 has.
 *
 * Whoever sets D1's numbers beside the object's asks for it before and after reading D1: with the same
 * mark both times, no flush went to D1 in between, and the two belong together.
 */
import type { Total } from "../tables/tallies.ts";

export interface PageSnapshot {
  totals: Total[];
  /** Unix milliseconds: whatever was acknowledged before is in D1. */
  watermark: number;
  version: string;
}
