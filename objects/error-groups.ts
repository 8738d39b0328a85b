/**
 * The groups of one error log: the number of reports of each, when it was first and last seen, and one
 * sample. Grow-only numbers beside what D1 has confirmed of them, like a page's tallies.
 *
 * Holds no more than `GROUPS_MAX` groups, whatever is sent: a new one takes the place of one that was
 * quiet for a day, or is counted together with all others that found no room. Forgets a group after a
 * month of quiet.
 */
import { DAY_MS } from "./clock.ts";
import { type ErrorSample, otherGroup, type Report } from "./error-report.ts";
import {
  type ErrorGroup,
  FLUSH_GROUPS_MAX,
  flushErrors,
  holdsErrors,
  KEEP_MS,
  type LastConfirmed,
} from "./flush-errors.ts";
import type { Ledger, Sent } from "./flusher.ts";
import type { Database, Row, Storage } from "./ports.ts";
import { hasTables } from "./schema.ts";

/** Groups of one object; sixteen of them tell 3,200 different errors apart. */
export const GROUPS_MAX = 200;
/** Only a group that was quiet for this long makes room, so that garbage cannot drive out what matters. */
const QUIET_MS = DAY_MS;

const OTHER_SAMPLE: ErrorSample = {
  message: "(other)",
  stack: "",
  severity: "error",
  page_id: "",
  url: "",
};

export class ErrorGroups implements Ledger<readonly ErrorGroup[]> {
  readonly #storage: Storage;
  readonly #db: Database;

  constructor({ storage, db }: { storage: Storage; db: Database }) {
    this.#storage = storage;
    this.#db = db;
  }

  /** Counts each report under its group. To be called inside a transaction. */
  count(reports: readonly Report[], now: number): void {
    const groups = Map.groupBy(reports, ({ fingerprint }) => fingerprint);
    const known = new Map<string, number>();
    for (const [fingerprint, { length }] of groups) {
      if (this.#knows(fingerprint)) known.set(fingerprint, length);
    }
    // These first: what is seen now must not make room for what is new.
    this.#add(known, now);
    const placed = new Map<string, number>();
    for (const [fingerprint, [first, ...more]] of groups) {
      if (first === undefined || known.has(fingerprint)) continue;
      const group = this.#place(first, now);
      placed.set(group, (placed.get(group) ?? 0) + 1 + more.length);
    }
    this.#add(placed, now);
  }

  exists(): boolean {
    return hasTables(this.#storage);
  }

  settle(now: number): void {
    const over = this.#select<{ fingerprint: string }>(
      "SELECT fingerprint FROM groups WHERE n = flushed AND last_seen <= ?1",
      now - KEEP_MS,
    );
    this.#storage.transactionSync(() => {
      for (const { fingerprint } of over) this.#forget(fingerprint);
    });
  }

  isDirty(): boolean {
    return this.#select("SELECT 1 FROM groups WHERE n > flushed LIMIT 1").length > 0;
  }

  unflushed(): ErrorGroup[] | null {
    const rows = this.#select<{ [column in keyof ErrorGroup]: ErrorGroup[column] }>(
      `SELECT fingerprint, n, first_seen, last_seen, severity, message, stack, page_id, url
       FROM groups JOIN samples USING (fingerprint) WHERE n > flushed LIMIT ?1`,
      FLUSH_GROUPS_MAX,
    );
    return rows.length === 0 ? null : rows;
  }

  send(rows: readonly ErrorGroup[]): Promise<Sent> {
    return flushErrors(this.#db, rows, this.#lastConfirmed());
  }

  confirm(rows: readonly ErrorGroup[]): void {
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

  isHeld(): Promise<boolean> {
    return holdsErrors(this.#db, this.#lastConfirmed());
  }

  unconfirm(): void {
    this.#storage.sql.exec("UPDATE groups SET flushed = 0, confirmed_in = 0 WHERE flushed > 0");
  }

  forgetAt(): number | null {
    const [quietest] = this.#select<{ at: number | null }>(
      "SELECT MIN(last_seen) AS at FROM groups",
    );
    return quietest?.at == null ? null : quietest.at + KEEP_MS;
  }

  /** Of the last flush, so that D1, asked for it, always shows whether that flush is still there. */
  #lastConfirmed(): LastConfirmed {
    const [last] = this.#select<{ fingerprint: string; first_seen: number; n: number }>(
      `SELECT fingerprint, first_seen, flushed AS n FROM groups
       WHERE flushed > 0 ORDER BY confirmed_in DESC LIMIT 1`,
    );
    return last ?? { fingerprint: "", first_seen: 0, n: 0 };
  }

  /** The group that a new fingerprint counts under: its own where there is room for one. */
  #place({ fingerprint, sample }: Report, now: number): string {
    if (this.#makesRoom(now)) {
      this.#keep(fingerprint, sample);
      return fingerprint;
    }
    const other = otherGroup(fingerprint);
    if (!this.#knows(other)) this.#keep(other, OTHER_SAMPLE);
    return other;
  }

  #knows(fingerprint: string): boolean {
    return this.#select("SELECT 1 FROM samples WHERE fingerprint = ?1", fingerprint).length > 0;
  }

  /** Whether one more group fits; if it must be, the one that was quiet longest is forgotten. */
  #makesRoom(now: number): boolean {
    const [held] = this.#select<{ n: number }>("SELECT COUNT(*) AS n FROM samples");
    if ((held?.n ?? 0) < GROUPS_MAX) return true;
    const [quiet] = this.#select<{ fingerprint: string }>(
      `SELECT fingerprint FROM groups WHERE n = flushed AND last_seen <= ?1
       ORDER BY last_seen LIMIT 1`,
      now - QUIET_MS,
    );
    if (quiet === undefined) return false;
    this.#forget(quiet.fingerprint);
    return true;
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

  #keep(fingerprint: string, { message, stack, severity, page_id, url }: ErrorSample): void {
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
