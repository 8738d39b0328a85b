/**
 * The backups and the progress of the one that is running: tables `backups` and `backup_parts`, which
 * only this file writes.
 *
 * A slice works under a lease, by D1's clock, so that two crons do not do the same work. What makes
 * double work harmless is `step`: a part is noted only by the slice that read the step before it, so of
 * two slices that wrote the same part one is noted, and the other's is deleted when the backup is complete.
 */
import type { PartFacts } from "./backup-format.ts";
import { FIRST_SOURCE } from "./tables.ts";

export interface Backup {
  /** `YYYY-MM-DD` in UTC. */
  date: string;
  state: "running" | "complete" | "failed";
  /** Unix milliseconds. */
  started_at: number;
  finished_at: number | null;
  /** So far, as rows and bytes. */
  parts: number;
  rows: number;
  /** In the bucket, without the manifest. */
  bytes: number;
  /** Slices that failed, and when the last one did, in unix milliseconds; each was tried again. */
  failures: number;
  failed_at: number | null;
}

/** Where the next part begins. */
export interface Cursor {
  /** Its name (`tables.ts`); empty after the last one. */
  source: string;
  /** The key of the last row; null at the beginning. */
  after: readonly (string | number)[] | null;
}

/** A backup for the slice that has its lease. */
export interface Running extends Pick<Backup, "date" | "started_at" | "parts" | "rows" | "bytes"> {
  run: string;
  step: number;
  cursor: Cursor;
  lease: string;
}

/** How long a slice that died keeps the lease. */
const LEASE_MS = 120_000;
/** D1's own clock in unix milliseconds. */
const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
const START: Cursor = { source: FIRST_SOURCE, after: null };
const COLUMNS = "date, state, started_at, finished_at, parts, rows, bytes, failures, failed_at";

/**
 * Up to `limit` backups, the newest first: the last complete one, and whether one is running or failed.
 * None of a date after `until`, at which a clock that was ahead for a while may have made one.
 */
export async function readBackups(
  db: D1Database,
  limit: number,
  until = "9999-12-31",
): Promise<Backup[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM backups WHERE date <= ?2 ORDER BY date DESC LIMIT ?1`)
    .bind(limit, until)
    .all<Backup>();
  return results;
}

/** The date in UTC of a time in unix milliseconds. */
export function dateOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Begins a backup, unless there is one of this date. One that has failed begins anew. */
export function beginBackup(
  db: D1Database,
  { date, run }: { date: string; run: string },
  now: number,
): Promise<unknown> {
  const notBegun = "NOT EXISTS (SELECT 1 FROM backups WHERE date = ?1 AND state <> 'failed')";
  return db.batch([
    db.prepare(`DELETE FROM backup_parts WHERE date = ?1 AND ${notBegun}`).bind(date),
    db
      .prepare(
        `INSERT INTO backups (date, state, run, started_at, cursor) VALUES (?1, 'running', ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET state = 'running', run = excluded.run,
           started_at = excluded.started_at, parts = 0, rows = 0, bytes = 0, cursor = excluded.cursor,
           step = step + 1, lease = '', lease_until = 0
         WHERE backups.state = 'failed'`,
      )
      .bind(date, run, now, JSON.stringify(START)),
  ]);
}

/** Notes a backup that the bucket has. One without a manifest has failed. */
export function adoptBackup(
  db: D1Database,
  { date, run, started_at, finished_at, parts, rows, bytes }: Adopted,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO backups (date, state, run, started_at, finished_at, parts, rows, bytes, cursor)
       VALUES (?1, CASE WHEN ?4 IS NULL THEN 'failed' ELSE 'complete' END, ?2, ?3, ?4, ?5, ?6, ?7, 'null')
       ON CONFLICT DO UPDATE SET state = excluded.state, run = excluded.run,
         started_at = excluded.started_at, finished_at = excluded.finished_at,
         parts = excluded.parts, rows = excluded.rows, bytes = excluded.bytes,
         lease = '', lease_until = 0
       WHERE excluded.state = 'complete'`,
    )
    .bind(date, run, started_at, finished_at, parts, rows, bytes);
}

/** What the bucket says of a backup. */
export type Adopted = Pick<
  Backup,
  "date" | "started_at" | "finished_at" | "parts" | "rows" | "bytes"
> & { run: string };

/** A backup that does not get on: the next night begins a new one. */
export function failBackup(db: D1Database, date: string): Promise<unknown> {
  return db
    .prepare("UPDATE backups SET state = 'failed' WHERE date = ?1 AND state = 'running'")
    .bind(date)
    .run();
}

/** Takes the lease of a running backup; null while another slice has it. */
export async function takeLease(
  db: D1Database,
  date: string,
  lease: string,
): Promise<Running | null> {
  const row = await db
    .prepare(
      `UPDATE backups SET lease = ?2, lease_until = ${NOW} + ${LEASE_MS}
       WHERE date = ?1 AND state = 'running'
         AND lease_until NOT BETWEEN ${NOW} AND ${NOW} + ${LEASE_MS}
       RETURNING date, run, started_at, parts, rows, bytes, step, cursor, lease`,
    )
    .bind(date, lease)
    .first<Omit<Running, "cursor"> & { cursor: string }>();
  return row === null ? null : { ...row, cursor: JSON.parse(row.cursor) as Cursor };
}

/** Lets the next slice work at once; `failed_at` is null where nothing failed. */
export function releaseLease(
  db: D1Database,
  { date, lease }: Running,
  failed_at: number | null,
): Promise<unknown> {
  return db
    .prepare(
      `UPDATE backups SET lease = '', lease_until = 0, failures = failures + (?3 IS NOT NULL),
         failed_at = coalesce(?3, failed_at) WHERE date = ?1 AND lease = ?2`,
    )
    .bind(date, lease, failed_at)
    .run();
}

/**
 * Notes a part, and where the next one begins. Answers the backup after it; null where another slice
 * came first, and nothing was noted.
 */
export async function notePart(
  db: D1Database,
  running: Running,
  part: PartFacts | null,
  cursor: Cursor,
): Promise<Running | null> {
  const { date, lease, step } = running;
  const parts = part === null ? [] : [part];
  const [, noted] = await db.batch([
    db
      .prepare(
        `INSERT INTO backup_parts (date, n, source, rows, bytes, sha256, key)
         SELECT ?1, value ->> 'n', value ->> 'source', value ->> 'rows', value ->> 'bytes',
           value ->> 'sha256', value ->> 'key' FROM json_each(?4)
         WHERE EXISTS (SELECT 1 FROM backups
                       WHERE date = ?1 AND lease = ?2 AND step = ?3 AND state = 'running')`,
      )
      .bind(date, lease, step, JSON.stringify(parts)),
    db
      .prepare(
        `UPDATE backups SET step = step + 1, cursor = ?4, lease_until = ${NOW} + ${LEASE_MS},
           parts = parts + ?5, rows = rows + ?6, bytes = bytes + ?7
         WHERE date = ?1 AND lease = ?2 AND step = ?3 AND state = 'running' RETURNING step`,
      )
      .bind(
        ...[date, lease, step, JSON.stringify(cursor)],
        ...[parts.length, part?.rows ?? 0, part?.bytes ?? 0],
      ),
  ]);
  if (noted?.results.length !== 1) return null;
  return {
    ...running,
    cursor,
    step: step + 1,
    parts: running.parts + parts.length,
    rows: running.rows + (part?.rows ?? 0),
    bytes: running.bytes + (part?.bytes ?? 0),
  };
}

/** The parts so far. */
export async function listParts(db: D1Database, date: string): Promise<PartFacts[]> {
  const { results } = await db
    .prepare(
      `SELECT n, source, rows, bytes, sha256, key FROM backup_parts
       WHERE date = ?1 ORDER BY n`,
    )
    .bind(date)
    .all<PartFacts>();
  return results;
}

/** The manifest is in the bucket: the backup is what it says, whichever slice or run wrote it. */
export function completeBackup(db: D1Database, found: Adopted) {
  return db.batch([
    adoptBackup(db, found),
    db.prepare("DELETE FROM backup_parts WHERE date = ?1").bind(found.date),
  ]);
}

/** Forgets a backup that the bucket has no more. */
export function forgetBackup(db: D1Database, date: string) {
  return db.batch([
    db.prepare("DELETE FROM backup_parts WHERE date = ?1").bind(date),
    db.prepare("DELETE FROM backups WHERE date = ?1").bind(date),
  ]);
}

/** The newest migration of the database. */
export async function readSchema(db: D1Database): Promise<string> {
  const name = await db
    .prepare("SELECT name FROM d1_migrations WHERE id = (SELECT max(id) FROM d1_migrations)")
    .first<string>("name");
  return name ?? "";
}
