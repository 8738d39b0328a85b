/**
 * ReportBuffer: what isolates and pages report, kept in memory for a few seconds and written
 * together.
 *
 * A report of its own transaction would cost a commit and up to hundreds of rows, and all isolates
 * report to one object. What is in memory when the object ends is lost, as any report may be.
 */
import type { FlushReport } from "../flush/flush-reports.ts";
import { MINUTE_MS, SECOND_MS } from "../platform/clock.ts";
import { addSample, type Sample } from "./sample.ts";

export const WRITE_AFTER_MS = 10 * SECOND_MS;
const BUSY_MAX = 500;
const LATE_MAX = 2_000;

/** The monitor asks isolates for at most this many reports in a second, on average. */
export const REPORTS_PER_S = 100;
/** Bounds of the pause that an isolate makes between two reports. */
export const PAUSE_MIN_MS = 10 * SECOND_MS;
export const PAUSE_MAX_MS = 2 * MINUTE_MS;

export interface Reported {
  sample: Sample;
  pages: Map<string, number>;
  flushes: Map<string, FlushReport>;
}

export class ReportBuffer {
  #reported: Reported = nothing();

  counted(sample: Readonly<Sample>, pages: Readonly<Record<string, number>>): void {
    addSample(this.#reported.sample, sample);
    const sums = this.#reported.pages;
    for (const [page_id, n] of Object.entries(pages)) {
      const before = sums.get(page_id);
      if (before !== undefined || sums.size < BUSY_MAX) sums.set(page_id, (before ?? 0) + n);
    }
  }

  flushed(report: FlushReport): void {
    const { sample, flushes } = this.#reported;
    if (report.failures > 0) addSample(sample, { "alarms.failed": report.failures });
    flushes.set(report.page_id, report);
  }

  get isEmpty(): boolean {
    const { sample, pages, flushes } = this.#reported;
    return pages.size + flushes.size + Object.keys(sample).length === 0;
  }

  get isFull(): boolean {
    return this.#reported.flushes.size >= LATE_MAX;
  }

  take(): Reported {
    const reported = this.#reported;
    this.#reported = nothing();
    return reported;
  }
}

function nothing(): Reported {
  return { sample: {}, pages: new Map(), flushes: new Map() };
}

/**
 * How long isolates wait between two reports, so that all of them together stay within
 * `REPORTS_PER_S`. In a span of one pause each busy isolate reports once, so the reports of a span
 * say how many isolates there are.
 */
export class ReportPace {
  #pause_ms = PAUSE_MIN_MS;
  #began_at = 0;
  #n = 0;

  /** Counts a report, and answers the pause after it in milliseconds. */
  next(now: number): number {
    const age_ms = now - this.#began_at;
    if (age_ms < 0 || age_ms >= this.#pause_ms) {
      this.#pause_ms = age_ms < 0 ? PAUSE_MIN_MS : pauseOf((this.#n * this.#pause_ms) / age_ms);
      this.#began_at = now;
      this.#n = 0;
    }
    this.#n += 1;
    // After a deploy all isolates begin at once; they need not wait for the end of the span.
    return Math.max(this.#pause_ms, pauseOf(this.#n));
  }
}

function pauseOf(isolates: number): number {
  const pause_ms = Math.ceil((isolates / REPORTS_PER_S) * SECOND_MS);
  return Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, pause_ms));
}
