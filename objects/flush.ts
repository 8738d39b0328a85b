/**
 * The flush: the copy of a page object's tallies, days and milestones into D1, of which this file is
 * the only writer.
 *
 * It sends absolute numbers and D1 keeps the larger one, of a milestone the first, so a flush that is
 * repeated, overtaken, run twice at once, or answered by a lost reply changes nothing (FAULTS F3, F6,
 * F7). And it writes only to a D1 that still holds what it confirmed before (`held.ts`).
 */
import type { Day } from "./days.ts";
import { isHeld, writeIfHeld } from "./held.ts";
import type { Milestone } from "./milestones.ts";
import type { Database, Statement } from "./ports.ts";
import type { Confirmed, Tally } from "./tallies.ts";

/** Rows of one flush; what is left goes with the next one. A tally is about 100 bytes of JSON. */
export const FLUSH_TALLIES_MAX = 2_000;
/** A day's breakdowns are at most 250 KB of JSON, and a bound value at most 2 MB. */
export const FLUSH_DAYS_MAX = 4;

/** Events of page ?1 and shard ?2 in the hours from ?3 on. */
const HELD =
  "SELECT COALESCE(SUM(n), 0) FROM tallies WHERE page_id = ?1 AND shard = ?2 AND hour >= ?3";

// Of all three: ?1 page, ?2 shard, ?3 and ?4 since when D1 confirmed how many events, ?5 rows as JSON.
const MERGE_TALLIES = `INSERT INTO tallies (page_id, hour, kind, link_id, class, shard, n)
  SELECT ?1, value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class', ?2,
         value ->> 'n'
  FROM json_each(?5) WHERE ?4 <= (${HELD})
  ON CONFLICT DO UPDATE SET n = excluded.n WHERE excluded.n > tallies.n`;
const MERGE_DAYS = `INSERT INTO days (page_id, day, shard, visitors, breakdowns, version, updated_at)
  SELECT ?1, value ->> 'day', ?2, value ->> 'visitors', value ->> 'breakdowns',
         value ->> 'version', value ->> 'updated_at'
  FROM json_each(?5) WHERE ?4 <= (${HELD})
  ON CONFLICT DO UPDATE SET
    visitors = excluded.visitors, breakdowns = excluded.breakdowns,
    version = excluded.version, updated_at = excluded.updated_at
  WHERE excluded.version > days.version`;
const MERGE_MILESTONES = `INSERT INTO milestones (page_id, kind, n, reached_at)
  SELECT ?1, value ->> 'kind', value ->> 'n', value ->> 'reached_at'
  FROM json_each(?5) WHERE ?4 <= (${HELD})
  ON CONFLICT DO NOTHING`;

/** What one flush sends: rows of one page's shard. */
export interface FlushRows {
  page_id: string;
  shard: number;
  tallies: readonly Tally[];
  days: readonly Day[];
  milestones: readonly Milestone[];
}

/**
 * Merges the rows into D1, all in one transaction. Answers false, and has written nothing, if D1
 * holds less than it confirmed.
 */
export async function flush(
  db: Database,
  { page_id, shard, tallies, days, milestones }: FlushRows,
  { since, n }: Confirmed,
  now: number,
): Promise<boolean> {
  const merge = (sql: string, rows: readonly object[]): Statement[] =>
    rows.length === 0 ? [] : [db.prepare(sql).bind(page_id, shard, since, n, JSON.stringify(rows))];
  return writeIfHeld(db, selectHeld(db, page_id, shard, since), n, [
    ...merge(MERGE_TALLIES, tallies),
    ...merge(
      MERGE_DAYS,
      days.map((day) => ({ ...day, updated_at: now })),
    ),
    ...merge(MERGE_MILESTONES, milestones),
  ]);
}

/** Whether D1 still holds what it confirmed of a page's shard. */
export function holds(
  db: Database,
  page_id: string,
  shard: number,
  { since, n }: Confirmed,
): Promise<boolean> {
  return isHeld(selectHeld(db, page_id, shard, since), n);
}

function selectHeld(db: Database, page_id: string, shard: number, since: number): Statement {
  return db.prepare(`SELECT (${HELD}) AS n`).bind(page_id, shard, since);
}
