/** What the meter of `worker/meter.ts` counted; in a file of its own, read on both sides of the wire. */

export interface Reading {
  limiter_calls: number;
  page_calls: number;
  alarms: number;
  limiter_rows: number;
  page_rows: number;
  d1_rows: number;
  d1_rows_read: number;
  /** Limiter objects that deleted themselves: not billed by the row, but proof that it was done. */
  cleanups: number;
}
