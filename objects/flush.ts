/**
 * The flush: the copy of a page object's tallies and days into D1, of which this file is the only
 * writer.
 *
 * It sends absolute numbers and D1 keeps the larger one, so a flush that is repeated, overtaken,
 * run twice at once, or answered by a lost reply changes nothing (FAULTS F3, F6, F7). And it reads
 * what D1 still has of the flushes before, because a D1 restored to an older point has less (F20).
 */
import type { Day } from "./days.ts";
import type { Database, Statement } from "./ports.ts";
import type { Tally } from "./tallies.ts";

/** Rows of one flush; what is left goes with the next one. A tally is about 100 bytes of JSON. */
export const FLUSH_TALLIES_MAX = 2_000;
/** A day's breakdowns are at most 250 KB of JSON, and a bound value at most 2 MB. */
export const FLUSH_DAYS_MAX = 4;

/** What one flush sends: rows of one page's shard. */
export interface FlushRows {
  page_id: string;
  shard: number;
  tallies: readonly Tally[];
  days: readonly Day[];
}

/**
 * Merges the rows into D1, all in one transaction. Answers how many events D1 held before, in the
 * hours from `since` on (unix second).
 */
export async function flush(
  db: Database,
  { page_id, shard, tallies, days }: FlushRows,
  since: number,
  now: number,
): Promise<number> {
  const statements = [selectFlushed(db, page_id, shard, since)];
  if (tallies.length > 0) {
    statements.push(
      db
        .prepare(
          `INSERT INTO tallies (page_id, hour, kind, link_id, class, shard, n)
           SELECT ?1, value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class', ?2,
                  value ->> 'n'
           FROM json_each(?3) WHERE true
           ON CONFLICT DO UPDATE SET n = excluded.n WHERE excluded.n > tallies.n`,
        )
        .bind(page_id, shard, JSON.stringify(tallies)),
    );
  }
  if (days.length > 0) {
    statements.push(
      db
        .prepare(
          `INSERT INTO days (page_id, day, shard, visitors, breakdowns, version, updated_at)
           SELECT ?1, value ->> 'day', ?2, value ->> 'visitors', value ->> 'breakdowns',
                  value ->> 'version', ?4
           FROM json_each(?3) WHERE true
           ON CONFLICT DO UPDATE SET
             visitors = excluded.visitors, breakdowns = excluded.breakdowns,
             version = excluded.version, updated_at = excluded.updated_at
           WHERE excluded.version > days.version`,
        )
        .bind(page_id, shard, JSON.stringify(days), now),
    );
  }
  const [before] = await db.batch<{ n: number }>(statements);
  return flushedIn(before);
}

/** How many events of a page's shard D1 holds in the hours from `since` on (unix second). */
export async function readFlushed(
  db: Database,
  page_id: string,
  shard: number,
  since: number,
): Promise<number> {
  return flushedIn(await selectFlushed(db, page_id, shard, since).all<{ n: number }>());
}

function selectFlushed(db: Database, page_id: string, shard: number, since: number): Statement {
  return db
    .prepare(
      `SELECT COALESCE(SUM(n), 0) AS n FROM tallies WHERE page_id = ?1 AND hour >= ?2 AND shard = ?3`,
    )
    .bind(page_id, since, shard);
}

function flushedIn(result: { results: { n: number }[] } | undefined): number {
  const n = result?.results[0]?.n;
  if (n === undefined) throw new Error("D1 did not say what it holds");
  return n;
}
