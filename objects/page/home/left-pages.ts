/**
 * Pages whose rows have left a database of statistics: moved to another one, or ended. Only this
 * file writes the table `left_pages`.
 *
 * Moves of a page are numbered, and whatever its object sends to a database carries the number of
 * the last move that began. A call may be executed long after its caller gave it up. One with a
 * smaller number than the row in `left_pages` writes nothing, and deletes nothing: the page may
 * have come back to this database since.
 */
import { DAY_MS } from "../../platform/clock.ts";
import type { Database, Statement } from "../../platform/ports.ts";

const ENDED = Number.MAX_SAFE_INTEGER;
/** A row is kept as long as ended pages in KV: longer than a database can be restored back. */
export const LEFT_KEPT_MS = 35 * DAY_MS;

const NOTE = `INSERT INTO left_pages (page_id, move, left_at) VALUES (?1, ?2, ?3)
  ON CONFLICT DO UPDATE SET move = excluded.move, left_at = excluded.left_at
  WHERE excluded.move > left_pages.move`;
const NOTE_ENDED = `INSERT INTO left_pages (page_id, move, left_at)
  SELECT value, ?2, ?3 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET move = excluded.move, left_at = excluded.left_at`;
const TABLES = ["tallies", "days", "months", "rolled_days"] as const;

/** SQL that is true if the page ?1 has left by a later move than the one in `move`. */
export const hasLeft = (move: string) =>
  `EXISTS (SELECT 1 FROM left_pages WHERE page_id = ?1 AND move > ${move})`;

/** Later calls of moves before this one write nothing. */
export async function leave(
  db: Database,
  page_id: string,
  move: number,
  now: number,
): Promise<void> {
  await db.batch([
    db.prepare(NOTE).bind(page_id, move, now),
    ...TABLES.map((table) =>
      db
        .prepare(
          `DELETE FROM ${table} WHERE page_id = ?1
             AND EXISTS (SELECT 1 FROM left_pages WHERE page_id = ?1 AND move = ?2)`,
        )
        .bind(page_id, move),
    ),
  ]);
}

export async function endIn(db: Database, page_ids: readonly string[], now: number): Promise<void> {
  const ids = JSON.stringify(page_ids);
  await db.batch([
    db.prepare(NOTE_ENDED).bind(ids, ENDED, now),
    ...TABLES.map((table) =>
      db
        .prepare(`DELETE FROM ${table} WHERE page_id IN (SELECT value FROM json_each(?1))`)
        .bind(ids),
    ),
  ]);
}

/** The statement with which a page comes back: a late call that deletes its rows has no effect. */
export function arrive(db: Database, page_id: string, move: number): Statement {
  return db
    .prepare("UPDATE left_pages SET move = ?2 WHERE page_id = ?1 AND move < ?2")
    .bind(page_id, move);
}

/** No call under way is as old as the rows that this deletes. */
export async function deleteOldLeft(db: Database, now: number): Promise<void> {
  await db
    .prepare("DELETE FROM left_pages WHERE left_at < ?1")
    .bind(now - LEFT_KEPT_MS)
    .all();
}
