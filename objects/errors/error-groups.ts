/**
 * The groups of one error log: the number of reports of each, when it was first and last seen, and
 * one sample. Each number only grows, and is stored beside the one that D1 confirmed, like a page's
 * tallies.
 *
 * Holds at most `GROUPS_MAX` groups and `otherGroup`. When they are full, a new group replaces one
 * that had no report for a day; if there is none, its reports count in `otherGroup`. So do the
 * reports of senders that have created too many groups (`src/counting/errors/error-log-route.ts`).
 * Forgets a group after a month without reports.
 */
import type { Ledger, Sendings } from "../flush/flush-scheduler.ts";
import { DAY_MS } from "../platform/clock.ts";
import type { Database, Row, Storage } from "../platform/ports.ts";
import { hasTables } from "../platform/schema.ts";
import { type ErrorSample, otherGroup, type Report, type ReportOutcome } from "./error-report.ts";
import {
  checkConfirmed,
  type ErrorGroup,
  FLUSH_GROUPS_MAX,
  flushErrors,
  KEEP_MS,
  type LastConfirmed,
} from "./flush-errors.ts";

/** The sixteen objects together have 3,200. */
export const GROUPS_MAX = 200;
/** Made-up errors do not replace a group that had a report within this time. */
const QUIET_MS = DAY_MS;

const OTHER_SAMPLE: ErrorSample = {
  message: "(other)",
  stack: "",
  severity: "error",
  page_id: "",
  url: "",
};

export class ErrorGroups implements Ledger {
  readonly #storage: Storage;
  readonly #db: Database;

  constructor({ storage, db }: { storage: Storage; db: Database }) {
    this.#storage = storage;
    this.#db = db;
  }

  /** Counts all reports or none, and answers for each in order. */
  count(reports: readonly Report[], now: number): ReportOutcome[] {
    return this.#storage.transactionSync(() => this.#count(reports, now));
  }

  #count(reports: readonly Report[], now: number): ReportOutcome[] {
    const known = new Map<string, number>();
    for (const [fingerprint, { length }] of Map.groupBy(reports, (report) => report.fingerprint)) {
      if (this.#has(fingerprint)) known.set(fingerprint, length);
    }
    // Existing groups come first: a new group must not replace one with a report in this commit.
    this.#add(known, now);
    const placed = new Map<string, number>();
    const outcomes = reports.map((report): ReportOutcome => {
      const { fingerprint } = report;
      if (known.has(fingerprint)) return "counted";
      const group = placed.has(fingerprint) ? fingerprint : this.#groupFor(report, now);
      if (group === null) return "unknown";
      placed.set(group, (placed.get(group) ?? 0) + 1);
      return "counted";
    });
    this.#add(placed, now);
    return outcomes;
  }

  exists(): boolean {
    return hasTables(this.#storage);
  }

  prepare(now: number): void {
    const expired = this.#select<{ fingerprint: string }>(
      "SELECT fingerprint FROM groups WHERE n = flushed AND last_seen <= ?1",
      now - KEEP_MS,
    );
    this.#storage.transactionSync(() => {
      for (const { fingerprint } of expired) this.#forget(fingerprint);
    });
  }

  isDirty(): boolean {
    if (!this.exists()) return false;
    return this.#select("SELECT 1 FROM groups WHERE n > flushed LIMIT 1").length > 0;
  }

  async *flush(now: number): Sendings {
    if (!this.exists()) return;
    this.prepare(now);
    for (let rows = this.#unflushed(); rows.length > 0; rows = this.#unflushed()) {
      const groups = rows;
      const result = yield () => flushErrors(this.#db, groups, this.#lastConfirmed());
      if (result === "written") this.#confirm(groups);
      else this.unconfirm();
    }
  }

  #unflushed(): ErrorGroup[] {
    return this.#select<{ [column in keyof ErrorGroup]: ErrorGroup[column] }>(
      `SELECT fingerprint, n, first_seen, last_seen, severity, message, stack, page_id, url
       FROM groups JOIN samples USING (fingerprint) WHERE n > flushed LIMIT ?1`,
      FLUSH_GROUPS_MAX,
    );
  }

  #confirm(rows: readonly ErrorGroup[]): void {
    this.#storage.sql.exec(
      `UPDATE groups SET flushed = max(flushed, sent.n), confirmed_in = last.number + 1
       FROM (SELECT value ->> 'fingerprint' AS fingerprint, value ->> 'first_seen' AS first_seen,
                    value ->> 'n' AS n FROM json_each(?1)) AS sent,
            (SELECT COALESCE(MAX(confirmed_in), 0) AS number FROM groups) AS last
       WHERE groups.fingerprint = sent.fingerprint AND groups.first_seen = sent.first_seen`,
      JSON.stringify(
        rows.map(({ fingerprint, first_seen, n }) => ({ fingerprint, first_seen, n })),
      ),
    );
  }

  holdsConfirmed(): Promise<boolean> {
    return checkConfirmed(this.#db, this.#lastConfirmed());
  }

  unconfirm(): void {
    this.#storage.sql.exec("UPDATE groups SET flushed = 0, confirmed_in = 0 WHERE flushed > 0");
  }

  dueAt(): number | null {
    if (!this.exists()) return null;
    const [quietest] = this.#select<{ at: number | null }>(
      "SELECT MIN(last_seen) AS at FROM groups",
    );
    return quietest?.at == null ? null : quietest.at + KEEP_MS;
  }

  /** Whether D1 still has a group of the last flush shows whether D1 was restored since. */
  #lastConfirmed(): LastConfirmed {
    const [last] = this.#select<{ fingerprint: string; first_seen: number; n: number }>(
      `SELECT fingerprint, first_seen, flushed AS n FROM groups
       WHERE flushed > 0 ORDER BY confirmed_in DESC LIMIT 1`,
    );
    return last ?? { fingerprint: "", first_seen: 0, n: 0 };
  }

  /** Null if the report is not to be counted. */
  #groupFor({ fingerprint, sample, if_unknown }: Report, now: number): string | null {
    const other = otherGroup(fingerprint);
    const full = this.#sizeWithout(other) >= GROUPS_MAX;
    const quiet = full ? this.#quietest(other, now) : null;
    if (if_unknown === "other" || (full && quiet === null)) {
      if (!this.#has(other)) this.#create(other, OTHER_SAMPLE);
      return other;
    }
    if (if_unknown === "skip") return null;
    if (quiet !== null) this.#forget(quiet);
    this.#create(fingerprint, sample);
    return fingerprint;
  }

  #has(fingerprint: string): boolean {
    return this.#select("SELECT 1 FROM samples WHERE fingerprint = ?1", fingerprint).length > 0;
  }

  #sizeWithout(other: string): number {
    const [groups] = this.#select<{ n: number }>(
      "SELECT COUNT(*) AS n FROM samples WHERE fingerprint <> ?1",
      other,
    );
    return groups?.n ?? 0;
  }

  /**
   * Never answers `otherGroup`: reports of this commit may count in it, and without its sample
   * their number would not reach D1.
   */
  #quietest(other: string, now: number): string | null {
    const [quiet] = this.#select<{ fingerprint: string }>(
      `SELECT fingerprint FROM groups WHERE n = flushed AND last_seen <= ?1 AND fingerprint <> ?2
       ORDER BY last_seen LIMIT 1`,
      now - QUIET_MS,
      other,
    );
    return quiet?.fingerprint ?? null;
  }

  #add(counts: ReadonlyMap<string, number>, now: number): void {
    if (counts.size === 0) return;
    this.#storage.sql.exec(
      `INSERT INTO groups (fingerprint, n, first_seen, last_seen)
       SELECT key, value, ?2, ?2 FROM json_each(?1) WHERE true
       ON CONFLICT DO UPDATE SET
         n = n + excluded.n, last_seen = max(last_seen, excluded.last_seen)`,
      JSON.stringify(Object.fromEntries(counts)),
      now,
    );
  }

  #create(fingerprint: string, { message, stack, severity, page_id, url }: ErrorSample): void {
    this.#storage.sql.exec(
      `INSERT INTO samples (fingerprint, message, stack, severity, page_id, url)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
      fingerprint,
      message,
      stack,
      severity,
      page_id,
      url,
    );
  }

  #forget(fingerprint: string): void {
    this.#storage.sql.exec("DELETE FROM groups WHERE fingerprint = ?1", fingerprint);
    this.#storage.sql.exec("DELETE FROM samples WHERE fingerprint = ?1", fingerprint);
  }

  #select<R extends Row>(query: string, ...bindings: unknown[]): R[] {
    return this.#storage.sql.exec<R>(query, ...bindings).toArray();
  }
}
