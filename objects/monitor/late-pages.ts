/**
 * LatePages: pages whose events have not reached D1 in time, by the reports of their own objects
 * (`flush/flush-reports.ts`).
 *
 * Reports may be lost, so nothing here is exact: each report says by when the page reports again if
 * it is still late, and a page that has been silent for longer is taken to be well.
 */
import type { FlushReport } from "../flush/flush-reports.ts";
import { MINUTE_MS } from "../platform/clock.ts";
import type { Sql } from "../platform/ports.ts";
import { redact } from "../platform/redact.ts";

export const LATE_PAGES_MAX = 10_000;
export const LATE_PAGES_SHOWN = 100;
const CAUSE_CHARS_MAX = 200;
/** A late page may report this much later than it said. */
const SILENCE_MS = MINUTE_MS;

export interface LatePage {
  page_id: string;
  /** Unix milliseconds at which its oldest event was due in D1. */
  due_at: number;
  cause: string;
}

export class LatePages {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  take({ page_id, due_at, again_by, cause }: FlushReport, now: number): void {
    if (due_at === null) {
      this.#sql.exec("DELETE FROM late WHERE page_id = ?1", page_id);
      return;
    }
    this.#sql.exec(
      `INSERT INTO late (page_id, due_at, seen_at, silent_at, cause) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT DO UPDATE SET due_at = ?2, seen_at = ?3, silent_at = ?4, cause = ?5`,
      page_id,
      Math.min(due_at, now),
      now,
      again_by + SILENCE_MS,
      redact(cause).slice(0, CAUSE_CHARS_MAX),
    );
  }

  /** Call it once a minute, not with each report: it reads all rows. */
  forget(now: number): void {
    this.#sql.exec("DELETE FROM late WHERE silent_at < ?1", now);
    this.#sql.exec(
      `DELETE FROM late WHERE page_id IN (SELECT page_id FROM late ORDER BY due_at LIMIT -1 OFFSET ?1)`,
      LATE_PAGES_MAX,
    );
  }

  state(now: number): { late: number; delay_ms: number } {
    const [row] = this.#sql
      .exec<{ n: number; due_at: number | null }>(
        "SELECT COUNT(*) AS n, MIN(due_at) AS due_at FROM late",
      )
      .toArray();
    return { late: row?.n ?? 0, delay_ms: Math.max(0, now - (row?.due_at ?? now)) };
  }

  worst(): LatePage[] {
    return this.#sql
      .exec<{ page_id: string; due_at: number; cause: string }>(
        "SELECT page_id, due_at, cause FROM late ORDER BY due_at LIMIT ?1",
        LATE_PAGES_SHOWN,
      )
      .toArray();
  }
}
