/**
 * The flush of a page: copies its tallies, days, months, milestones and tips into D1. This file is the only
 * writer of rows that an object counted. `import-counts.ts` writes those of imported history, and where
 * a page moves `objects/stats` copies them and deletes what the page leaves behind.
 *
 * A flush sends absolute numbers. D1 keeps the larger one, and of a milestone the first, so a flush
 * that is repeated, overtaken, run twice at once or whose reply is lost changes nothing
 * (docs/faults.md F3, F6, F7). It writes only to a D1 that still holds what it confirmed
 * (`flush/restore-guard.ts`), and only while D1 has the page: a flush that arrives after the page
 * was deleted writes nothing (F25).
 *
 * A tally from before the sender's `rolled_to` is the sum of a whole UTC day
 * (`tables/retention.ts`), and the transaction that writes it deletes the hours of that day. Every
 * flush with such a tally deletes them, because a D1 that was restored to a time before the roll
 * has those hours again. The first one also stores `rolled_to` in D1, although hours of other days
 * may be there until later flushes. From then on a flush with an older `rolled_to` writes nothing:
 * it could bring back hours that a day has replaced.
 */
import type { FlushResult } from "../flush/ledger.ts";
import { readGuard, writeGuarded } from "../flush/restore-guard.ts";
import { DAY_MS, SECOND_MS } from "../platform/clock.ts";
import type { Database, Statement } from "../platform/ports.ts";
import { arrive, hasLeft } from "../stats/left-pages.ts";
import type { TipRow } from "../tables/conversions.ts";
import type { DayRow } from "../tables/days.ts";
import type { Milestone } from "../tables/milestones.ts";
import type { MonthRow } from "../tables/months.ts";
import type { Confirmed, Tally } from "../tables/tallies.ts";
import { type PageRow, selectPage } from "./page-row.ts";

/** Rows of one flush; further ones go with the next. A tally is about 100 bytes of JSON. */
export const FLUSH_TALLIES_MAX = 2_000;
/** A day's breakdowns are at most 34 KB of JSON, and a bound value at most 2 MB. */
export const FLUSH_DAYS_MAX = 4;
/** A tip is at most 3 KB of JSON. */
export const FLUSH_TIPS_MAX = 500;

/** Unix second before which the tallies of page ?1 and shard ?2 are of days: one row by its key. */
const ROLLED_TO =
  "COALESCE((SELECT rolled_to FROM rolled_days WHERE page_id = ?1 AND shard = ?2), 0)";
/** What a guard reads if D1 has no such page: less than any number of events. */
const NO_PAGE = -1;

/**
 * Statements of a database with tallies and days. `gone`: SQL of whether the page is not there.
 * Parameters of all: ?1 page, ?2 shard, ?3 first confirmed hour, ?4 the sender's `rolled_to`, ?5 the
 * number of the page's last move, ?6 events that D1 confirmed from ?3 on, ?7 rows as JSON.
 */
function statements(gone: string) {
  /** Events in the hours from ?3 on; NULL if D1's `rolled_to` is later than ?4. */
  const EVENTS_IN_D1 = `SELECT CASE
    WHEN ${gone} THEN ${NO_PAGE}
    WHEN ${hasLeft("?5")} THEN ${NO_PAGE}
    WHEN ${ROLLED_TO} <= ?4 THEN COALESCE(SUM(n), 0) END
  FROM tallies WHERE page_id = ?1 AND shard = ?2 AND hour >= ?3`;
  return {
    GUARD: `SELECT (${EVENTS_IN_D1}) AS n`,
    MERGE_TALLIES: `INSERT INTO tallies (page_id, hour, kind, link_id, class, shard, n)
  SELECT ?1, value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class', ?2,
         value ->> 'n'
  FROM json_each(?7) WHERE ?6 <= (${EVENTS_IN_D1})
  ON CONFLICT DO UPDATE SET n = excluded.n WHERE excluded.n > tallies.n`,
    MERGE_DAYS: `INSERT INTO days (page_id, day, shard, visitors, breakdowns, version, updated_at)
  SELECT ?1, value ->> 'day', ?2, value ->> 'visitors', value ->> 'breakdowns',
         value ->> 'version', value ->> 'updated_at'
  FROM json_each(?7) WHERE ?6 <= (${EVENTS_IN_D1})
  ON CONFLICT DO UPDATE SET
    visitors = excluded.visitors, breakdowns = excluded.breakdowns,
    version = excluded.version, updated_at = excluded.updated_at
  WHERE excluded.version > days.version`,
    // After a change of the page's zone, months that are sent again may begin at other times.
    CLEAR_MONTHS: `DELETE FROM months WHERE page_id = ?1 AND shard = ?2 AND EXISTS (
    SELECT 1 FROM json_each(?7)
    WHERE month < value ->> 'until' AND until > value ->> 'month' AND month <> value ->> 'month')
  AND ?6 <= (${EVENTS_IN_D1})`,
    MERGE_MONTHS: `INSERT INTO months (page_id, shard, month, until, breakdowns, version)
  SELECT ?1, ?2, value ->> 'month', value ->> 'until', value ->> 'breakdowns', value ->> 'version'
  FROM json_each(?7) WHERE ?6 <= (${EVENTS_IN_D1})
  ON CONFLICT DO UPDATE SET
    until = excluded.until, breakdowns = excluded.breakdowns, version = excluded.version
  WHERE excluded.version >= months.version`,
    MERGE_MILESTONES: mergeMilestones("?7", `?6 <= (${EVENTS_IN_D1})`),
    MERGE_TIPS: mergeTips("?7", `?6 <= (${EVENTS_IN_D1})`),
    STORE_ROLLED_TO: `INSERT INTO rolled_days (page_id, shard, rolled_to)
  SELECT ?1, ?2, ?4 WHERE ?6 <= (${EVENTS_IN_D1})
  ON CONFLICT DO UPDATE SET rolled_to = excluded.rolled_to
  WHERE excluded.rolled_to > rolled_days.rolled_to`,
    // Reads each day of the flush once, by the primary key. Deletes only hours with the page, shard,
    // kind, link and class of a day that the same transaction has written, and never the hour that
    // starts the day, because the day's own tally is there.
    DELETE_HOURS: `DELETE FROM tallies
  WHERE (page_id, hour, kind, link_id, class, shard) IN (
    SELECT page_id, hours.hour, kind, link_id, class, shard
    FROM (SELECT DISTINCT value ->> 'hour' AS day FROM json_each(?7)) AS days
    CROSS JOIN tallies AS hours
    WHERE page_id = ?1 AND shard = ?2
      AND hours.hour > day AND hours.hour < day + ${DAY_MS / SECOND_MS}
      AND (day, kind, link_id, class) IN (
        SELECT value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class'
        FROM json_each(?7)))
    AND ?6 <= (${EVENTS_IN_D1})`,
  };
}

function mergeMilestones(rows: string, guard: string): string {
  return `INSERT INTO milestones (page_id, kind, n, reached_at)
  SELECT ?1, value ->> 'kind', value ->> 'n', value ->> 'reached_at'
  FROM json_each(${rows}) WHERE ${guard}
  ON CONFLICT DO NOTHING`;
}

function mergeTips(rows: string, guard: string): string {
  return `INSERT INTO tips
    (page_id, seq, total, link_id, from_id, from_name, points, message, at)
  SELECT ?1, value ->> 'seq', value ->> 'total', value ->> 'link_id', value ->> 'from_id', value ->> 'from_name',
         value ->> 'points', value ->> 'message', value ->> 'at'
  FROM json_each(${rows}) WHERE ${guard}
  ON CONFLICT DO NOTHING`;
}

/** Of the main database: a page is there while its row is. */
const IN_MAIN = statements("NOT EXISTS (SELECT 1 FROM pages WHERE page_id = ?1)");
/** Of a database of statistics, which has no pages: one that has ended is in `left_pages`. */
const IN_STATS = statements("0");

// For a page whose statistics are elsewhere. Parameters: ?1 page, ?2 milestones and ?3 the last tip
// that D1 confirmed, ?4 rows as JSON.
const BLOCKS_IN_D1 = `SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM pages WHERE page_id = ?1) THEN ${NO_PAGE}
    ELSE (SELECT COUNT(*) FROM milestones WHERE page_id = ?1) >= ?2
     AND COALESCE((SELECT MAX(seq) FROM tips WHERE page_id = ?1), 0) >= ?3 END`;
const BLOCKS_GUARD = `SELECT (${BLOCKS_IN_D1}) AS n`;
const MERGE_MILESTONES_ALONE = mergeMilestones("?4", `1 = (${BLOCKS_IN_D1})`);
const MERGE_TIPS_ALONE = mergeTips("?4", `1 = (${BLOCKS_IN_D1})`);

/** Of milestones and tips: how many D1 has confirmed, and the number of the last one. */
export interface ConfirmedBlocks {
  milestones: number;
  tips: number;
}

/** What one flush sends: rows of one page's shard. */
interface FlushRows {
  page_id: string;
  shard: number;
  tallies: readonly Tally[];
  days: readonly DayRow[];
  months?: readonly MonthRow[];
  milestones: readonly Milestone[];
  tips?: readonly TipRow[];
}

/** Where a page's tallies and days go. */
export interface CountsHome {
  db: Database;
  /** Whether it is the main database, which has milestones and tips too. */
  isMain: boolean;
  /** Number of the page's last move (`stats/left-pages.ts`). */
  move: number;
  /** Whether that move is under way. */
  isMoving: boolean;
}

interface Flushed {
  result: FlushResult;
  /** Undefined if D1 has no such page. */
  page: PageRow | undefined;
}

/**
 * Merges the rows into D1 in one transaction, which also reads the page. Writes nothing if D1 holds
 * less than it confirmed, or has no such page. Rejects, and writes nothing, if D1 is rolled further
 * than the sender.
 */
export async function flushPage(
  db: Database,
  rows: FlushRows,
  confirmed: Confirmed,
  now: number,
  { move, isMoving }: Pick<CountsHome, "move" | "isMoving"> = { move: 0, isMoving: false },
): Promise<Flushed> {
  const home = { db, isMain: true, move, isMoving };
  const page = selectPage(db, rows.page_id);
  const { result, more } = await merge(home, rows, confirmed, now, [page]);
  return { result, page: more[0]?.results[0] as PageRow | undefined };
}

/**
 * The same where the tallies and days have another home. The main database says first whether there
 * is such a page, and gets milestones and tips last, so that none is there before its event. Where
 * either of the two was restored, the answer is `restored`; what the other one has taken is sent again.
 */
export async function flushApart(
  db: Database,
  home: CountsHome,
  { milestones, tips = [], ...rows }: FlushRows,
  confirmed: Confirmed & ConfirmedBlocks,
  now: number,
): Promise<Flushed> {
  const { page_id } = rows;
  const bind = (sql: string, ...more: unknown[]) =>
    db.prepare(sql).bind(page_id, confirmed.milestones, confirmed.tips, ...more);
  const write = async (writes: Statement[]): Promise<Flushed> => {
    const { n_in_d1, results } = await writeGuarded(db, bind(BLOCKS_GUARD), writes);
    const result = n_in_d1 === NO_PAGE ? "gone" : n_in_d1 === 1 ? "written" : "restored";
    return { result, page: results[0]?.results[0] as PageRow | undefined };
  };
  const found = await write([selectPage(db, page_id)]);
  if (found.result !== "written") return found;
  const counts = { ...rows, milestones: [], tips: [] };
  const { result } = await merge(home, counts, confirmed, now, []);
  if (result !== "written" || milestones.length + tips.length === 0) return { ...found, result };
  const blocks = await write([
    ...(milestones.length === 0 ? [] : [bind(MERGE_MILESTONES_ALONE, JSON.stringify(milestones))]),
    ...(tips.length === 0 ? [] : [bind(MERGE_TIPS_ALONE, JSON.stringify(tips))]),
  ]);
  return { ...found, result: blocks.result };
}

async function merge(
  { db, isMain, move, isMoving }: CountsHome,
  { page_id, shard, tallies, days, months = [], milestones, tips = [] }: FlushRows,
  confirmed: Confirmed,
  now: number,
  more: readonly Statement[],
): Promise<{ result: FlushResult; more: { results: unknown[] }[] }> {
  const { since, rolled_to, n } = confirmed;
  const sql = isMain ? IN_MAIN : IN_STATS;
  const merge = (sql: string, rows: readonly object[]): Statement[] =>
    rows.length === 0
      ? []
      : [db.prepare(sql).bind(page_id, shard, since, rolled_to, move, n, JSON.stringify(rows))];
  const rolled = tallies.filter(({ hour }) => hour < rolled_to);
  const guard = selectGuard({ db, isMain, move }, page_id, shard, confirmed);
  const { n_in_d1, results } = await writeGuarded(db, guard, [
    ...more,
    // The page may have left this database before.
    ...(isMoving ? [arrive(db, page_id, move)] : []),
    ...merge(sql.MERGE_TALLIES, tallies),
    ...merge(
      sql.MERGE_DAYS,
      days.map((day) => ({ ...day, updated_at: now })),
    ),
    ...merge(sql.CLEAR_MONTHS, months),
    ...merge(sql.MERGE_MONTHS, months),
    ...merge(sql.MERGE_MILESTONES, milestones),
    ...merge(sql.MERGE_TIPS, tips),
    ...(rolled.length === 0
      ? []
      : [db.prepare(sql.STORE_ROLLED_TO).bind(page_id, shard, since, rolled_to, move, n)]),
    // Must be last: it deletes rows, and each statement's guard sums the rows that are there.
    ...merge(sql.DELETE_HOURS, rolled),
  ]);
  const result = n_in_d1 === NO_PAGE ? "gone" : n_in_d1 >= n ? "written" : "restored";
  return { result, more: results };
}

/**
 * Whether D1 still holds what it confirmed of a page's shard, and at most `most`, or has no such page any
 * more.
 */
export async function checkConfirmed(
  db: Database,
  page_id: string,
  shard: number,
  { most = Number.POSITIVE_INFINITY, ...confirmed }: Confirmed & { most?: number },
  home: Pick<CountsHome, "db" | "isMain" | "move"> = { db, isMain: true, move: 0 },
): Promise<"all" | "less" | "more" | "gone"> {
  const n_in_d1 = await readGuard(selectGuard(home, page_id, shard, confirmed));
  if (n_in_d1 === NO_PAGE) return "gone";
  if (n_in_d1 < confirmed.n) return "less";
  return n_in_d1 <= most ? "all" : "more";
}

/** The same of milestones and tips, where the tallies have another home. */
export async function checkBlocks(
  db: Database,
  page_id: string,
  { milestones, tips }: ConfirmedBlocks,
): Promise<"all" | "less" | "gone"> {
  const n = await readGuard(db.prepare(BLOCKS_GUARD).bind(page_id, milestones, tips));
  if (n === NO_PAGE) return "gone";
  return n === 1 ? "all" : "less";
}

/**
 * Deletes everything that flushes have written of a page, of all its shards, in one transaction.
 */
export async function forgetPage(db: Database, page_id: string): Promise<void> {
  await db.batch(
    ["tallies", "days", "months", "milestones", "rolled_days", "tips"].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE page_id = ?1`).bind(page_id),
    ),
  );
}

function selectGuard(
  { db, isMain, move }: Pick<CountsHome, "db" | "isMain" | "move">,
  page_id: string,
  shard: number,
  { since, rolled_to }: Confirmed,
): Statement {
  const { GUARD } = isMain ? IN_MAIN : IN_STATS;
  return db.prepare(GUARD).bind(page_id, shard, since, rolled_to, move);
}
