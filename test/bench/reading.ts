/** What the Worker answers and is asked for; a file of its own, because two processes import it. */

export interface Reading {
  limiter_calls: number;
  page_calls: number;
  alarms: number;
  /** Written rows of all limiter objects, alarms that were set among them. */
  limiter_rows: number;
  /** Written rows of all page objects, alarms that were set among them. */
  page_rows: number;
  d1_rows: number;
  d1_rows_read: number;
}

/** How many events pages count, and how many of them D1 has after a flush; without refused ones. */
export interface Totals {
  objects: number;
  d1: number;
}

export const EVICTED = "evicted by the bench";

export const HISTORY_VIEWS = {
  month: "30 days",
  all: "eleven years by the month",
  value: "eleven years of one value by the month",
} as const;
export type HistoryView = keyof typeof HISTORY_VIEWS;
