/** The counts of the meter in `worker/meter.ts`; a file of its own, because two processes import it. */

export interface Reading {
  limiter_calls: number;
  page_calls: number;
  alarms: number;
  limiter_rows: number;
  page_rows: number;
  d1_rows: number;
  d1_rows_read: number;
  /** Limiter objects that deleted themselves: not billed, but a proof that they do. */
  cleanups: number;
}
