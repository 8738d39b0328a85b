/**
 * FlushReports: tells the monitor (`objects/monitor`) that an object's numbers are late in D1.
 *
 * A report is sent when the oldest number has been due for a minute, again when that has doubled
 * but at least every quarter of an hour, and once when the numbers are in D1. How far that has gone
 * is stored, because memory is lost in the pauses between retries. Reports may be lost, and none
 * delays a flush.
 */
import { MINUTE_MS } from "../platform/clock.ts";
import type { Kv } from "../platform/ports.ts";
import { FLUSH_TIMEOUT_MS, longestPause, refusalOf } from "./flush-pauses.ts";

export const MONITOR = "monitor";
export const LATE_AFTER_MS = MINUTE_MS;
/** Longest time between two reports of a late page, but for the pause between its flushes. */
const AGAIN_AFTER_MS = 15 * MINUTE_MS;
const STORED_AS = "flush_reported";

export interface FlushReport {
  page_id: string;
  /** Unix milliseconds at which the oldest number was due in D1; null: it is there. */
  due_at: number | null;
  /** The page reports again by this unix millisecond if it is still late. */
  again_by: number;
  failures: number;
  cause: string;
}

interface Reported {
  failures: number;
  /** The delay of the last report; 0 before the first. */
  delay_ms: number;
}

function nextDelay(delay_ms: number): number {
  return delay_ms + Math.min(delay_ms, AGAIN_AFTER_MS);
}

export class FlushReports {
  readonly #kv: Kv;
  readonly #send: (report: Omit<FlushReport, "page_id">) => Promise<unknown>;

  constructor(kv: Kv, send: (report: Omit<FlushReport, "page_id">) => Promise<unknown>) {
    this.#kv = kv;
    this.#send = send;
  }

  failed(due_at: number, error: unknown, now: number): void {
    const before = this.#kv.get<Reported>(STORED_AS) ?? { failures: 0, delay_ms: 0 };
    const failures = before.failures + 1;
    const delay_ms = now - due_at;
    const is_due = delay_ms >= Math.max(LATE_AFTER_MS, nextDelay(before.delay_ms));
    this.#kv.put(STORED_AS, is_due ? { failures: 0, delay_ms } : { ...before, failures });
    if (!is_due) return;
    // The first flush that fails after that time reports.
    const flush_ms = longestPause(refusalOf(error)) + FLUSH_TIMEOUT_MS;
    const again_by = Math.max(now, due_at + nextDelay(delay_ms)) + flush_ms;
    const cause = error instanceof Error ? error.message : String(error);
    this.#tell({ due_at, again_by, failures, cause });
  }

  /** Writes nothing unless a flush has failed before, and tells only what was told. */
  succeeded(): void {
    const before = this.#kv.get<Reported>(STORED_AS);
    if (before === undefined) return;
    this.#kv.delete(STORED_AS);
    if (before.delay_ms === 0) return;
    this.#tell({ due_at: null, again_by: 0, failures: before.failures, cause: "" });
  }

  #tell(report: Omit<FlushReport, "page_id">): void {
    // In a function a missing binding rejects as well.
    void (async () => this.#send(report))().catch(() => {});
  }
}
