/**
 * The flush of a page: copies its tallies, days, months, milestones and tips into D1. Only this
 * file writes rows that an object counted. `import-counts.ts` writes imported history, and
 * `objects/page/home` copies the rows of a page that moves.
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
 * has those hours again. The first one also stores `rolled_to` in D1. From then on a flush with an
 * older `rolled_to` writes nothing: it could bring back hours that a day has replaced.
 */
import type { FlushResult } from "../flush/flush-scheduler.ts";
import { readGuard, writeGuarded } from "../flush/restore-guard.ts";
import { DAY_MS, SECOND_MS } from "../platform/clock.ts";
import type { Database, Statement } from "../platform/ports.ts";
import { arrive, hasLeft } from "./home/left-pages.ts";
import type { RowsHome } from "./home/page-home.ts";
import type { PageRow } from "./page-row.ts";
import type { TipRow } from "./tables/conversions.ts";
import type { DayRow } from "./tables/days.ts";
import type { Milestone } from "./tables/milestones.ts";
import type { MonthRow } from "./tables/months.ts";
import type { Confirmed, Tally } from "./tables/tallies.ts";

/** Rows of one flush; further ones go with the next. A tally is about 100 bytes of JSON. */
export const FLUSH_TALLIES_MAX = 2_000;
/** A day's breakdowns are at most 34 KB of JSON, and a bound value is at most 2 MB. */
export const FLUSH_DAYS_MAX = 4;
/** A tip is at most 3 KB of JSON. */
export const FLUSH_TIPS_MAX = 500;

const ROLLED_TO =
  "COALESCE((SELECT rolled_to FROM rolled_days WHERE page_id = ?1 AND shard = 0), 0)";
/** A guard reads this if D1 has no such page: less than any number of events. */
const NO_PAGE = -1;

/**
 * Statements of a database with tallies and days. `gone` is SQL that is true if the page is not
 * there. Parameters: ?1 page, ?2 first confirmed hour, ?3 the sender's `rolled_to`, ?4 the number
 * of the page's last move, ?5 events that D1 confirmed from ?2 on, ?6 rows as JSON. A page's object
 * has the shard 0 (docs/contract.md section 9).
 */
function statements(gone: string) {
  /** Events in the hours from ?2 on; NULL if D1's `rolled_to` is later than ?3. */
  const EVENTS_IN_D1 = `SELECT CASE
    WHEN ${gone} THEN ${NO_PAGE}
    WHEN ${hasLeft("?4")} THEN ${NO_PAGE}
    WHEN ${ROLLED_TO} <= ?3 THEN COALESCE(SUM(n), 0) END
  FROM tallies WHERE page_id = ?1 AND shard = 0 AND hour >= ?2`;
  return {
    GUARD: `SELECT (${EVENTS_IN_D1}) AS n`,
    MERGE_TALLIES: `INSERT INTO tallies (page_id, hour, kind, link_id, class, shard, n)
  SELECT ?1, value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class', 0,
         value ->> 'n'
  FROM json_each(?6) WHERE ?5 <= (${EVENTS_IN_D1})
  ON CONFLICT DO UPDATE SET n = excluded.n WHERE excluded.n > tallies.n`,
    MERGE_DAYS: `INSERT INTO days (page_id, day, shard, visitors, breakdowns, version, updated_at)
  SELECT ?1, value ->> 'day', 0, value ->> 'visitors', value ->> 'breakdowns',
         value ->> 'version', value ->> 'updated_at'
  FROM json_each(?6) WHERE ?5 <= (${EVENTS_IN_D1})
  ON CONFLICT DO UPDATE SET
    visitors = excluded.visitors, breakdowns = excluded.breakdowns,
    version = excluded.version, updated_at = excluded.updated_at
  WHERE excluded.version > days.version`,
    // After a change of the page's zone, months that are sent again may begin at other times.
    CLEAR_MONTHS: `DELETE FROM months WHERE page_id = ?1 AND shard = 0 AND EXISTS (
    SELECT 1 FROM json_each(?6)
    WHERE month < value ->> 'until' AND until > value ->> 'month' AND month <> value ->> 'month')
  AND ?5 <= (${EVENTS_IN_D1})`,
    MERGE_MONTHS: `INSERT INTO months (page_id, shard, month, until, breakdowns, version)
  SELECT ?1, 0, value ->> 'month', value ->> 'until', value ->> 'breakdowns', value ->> 'version'
  FROM json_each(?6) WHERE ?5 <= (${EVENTS_IN_D1})
  ON CONFLICT DO UPDATE SET
    until = excluded.until, breakdowns = excluded.breakdowns, version = excluded.version
  WHERE excluded.version >= months.version`,
    MERGE_MILESTONES: mergeMilestones("?6", `?5 <= (${EVENTS_IN_D1})`),
    MERGE_TIPS: mergeTips("?6", `?5 <= (${EVENTS_IN_D1})`),
    STORE_ROLLED_TO: `INSERT INTO rolled_days (page_id, shard, rolled_to)
  SELECT ?1, 0, ?3 WHERE ?5 <= (${EVENTS_IN_D1})
  ON CONFLICT DO UPDATE SET rolled_to = excluded.rolled_to
  WHERE excluded.rolled_to > rolled_days.rolled_to`,
    // Reads each day of the flush once, by the primary key. Deletes only hours with the page, shard,
    // kind, link and class of a day that the same transaction has written, and never the hour that
    // starts the day, because the day's own tally is there.
    DELETE_HOURS: `DELETE FROM tallies
  WHERE (page_id, hour, kind, link_id, class, shard) IN (
    SELECT page_id, hours.hour, kind, link_id, class, shard
    FROM (SELECT DISTINCT value ->> 'hour' AS day FROM json_each(?6)) AS days
    CROSS JOIN tallies AS hours
    WHERE page_id = ?1 AND shard = 0
      AND hours.hour > day AND hours.hour < day + ${DAY_MS / SECOND_MS}
      AND (day, kind, link_id, class) IN (
        SELECT value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class'
        FROM json_each(?6)))
    AND ?5 <= (${EVENTS_IN_D1})`,
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

/** The main database has a page while it has its row. */
const IN_MAIN = statements("NOT EXISTS (SELECT 1 FROM pages WHERE page_id = ?1)");
/** A database of statistics has no pages: one that has ended is in `left_pages`. */
const IN_STATS = statements("0");

// Statements for a page whose statistics are elsewhere. Parameters: ?1 page, ?2 milestones and ?3
// the last tip that D1 confirmed, ?4 rows as JSON.
const BLOCKS_IN_D1 = `SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM pages WHERE page_id = ?1) THEN ${NO_PAGE}
    ELSE (SELECT COUNT(*) FROM milestones WHERE page_id = ?1) >= ?2
     AND COALESCE((SELECT MAX(seq) FROM tips WHERE page_id = ?1), 0) >= ?3 END`;
const BLOCKS_GUARD = `SELECT (${BLOCKS_IN_D1}) AS n`;
const MERGE_MILESTONES_ALONE = mergeMilestones("?4", `1 = (${BLOCKS_IN_D1})`);
const MERGE_TIPS_ALONE = mergeTips("?4", `1 = (${BLOCKS_IN_D1})`);

export interface ConfirmedBlocks {
  milestones: number;
  tips: number;
}

interface FlushRows {
  tallies: readonly Tally[];
  days: readonly DayRow[];
  months?: readonly MonthRow[];
  milestones: readonly Milestone[];
  tips?: readonly TipRow[];
}

interface Flushed {
  result: FlushResult;
  page: PageRow | undefined;
}

/**
 * Merges the rows into D1 in one transaction, which also runs `select`, the read of the page's row.
 * Writes nothing if D1 holds less than it confirmed, or has no such page. Rejects, and writes
 * nothing, if D1 is rolled further than the sender.
 *
 * Where the tallies and days have another home, the main database says first whether there is such
 * a page, and gets milestones and tips last, so that none is there before its event. If either of
 * the two was restored, the answer is `restored`; what the other one has taken is sent again.
 */
export async function flushPage(
  home: RowsHome,
  { milestones, tips = [], ...counts }: FlushRows,
  confirmed: Confirmed & ConfirmedBlocks,
  now: number,
  select: Statement,
): Promise<Flushed> {
  if (home.isMain) return merge(home, { milestones, tips, ...counts }, confirmed, now, [select]);
  const found = await writeBlocks(home, confirmed, [select]);
  if (found.result !== "written") return found;
  const { result } = await merge(home, { milestones: [], ...counts }, confirmed, now, []);
  if (result !== "written" || milestones.length + tips.length === 0) return { ...found, result };
  const bind = (sql: string, rows: readonly object[]) =>
    rows.length === 0 ? [] : [bindBlocks(home, sql, confirmed, JSON.stringify(rows))];
  const blocks = await writeBlocks(home, confirmed, [
    ...bind(MERGE_MILESTONES_ALONE, milestones),
    ...bind(MERGE_TIPS_ALONE, tips),
  ]);
  return { ...found, result: blocks.result };
}

async function merge(
  home: RowsHome,
  { tallies, days, months = [], milestones, tips = [] }: FlushRows,
  confirmed: Confirmed,
  now: number,
  reads: readonly Statement[],
): Promise<Flushed> {
  const { page_id, db, move } = home;
  const { since, rolled_to, n } = confirmed;
  const sql = home.isMain ? IN_MAIN : IN_STATS;
  const merge = (sql: string, rows: readonly object[]): Statement[] =>
    rows.length === 0
      ? []
      : [db.prepare(sql).bind(page_id, since, rolled_to, move, n, JSON.stringify(rows))];
  const rolled = tallies.filter(({ hour }) => hour < rolled_to);
  const { n_in_d1, results } = await writeGuarded(db, selectGuard(home, confirmed), [
    ...reads,
    // The page may have left this database before.
    ...(home.isMoving ? [arrive(db, page_id, move)] : []),
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
      : [db.prepare(sql.STORE_ROLLED_TO).bind(page_id, since, rolled_to, move, n)]),
    // Must be last: it deletes rows, and each statement's guard sums the rows that are there.
    ...merge(sql.DELETE_HOURS, rolled),
  ]);
  const result = n_in_d1 === NO_PAGE ? "gone" : n_in_d1 >= n ? "written" : "restored";
  return { result, page: results[0]?.results[0] as PageRow | undefined };
}

async function writeBlocks(
  home: RowsHome,
  confirmed: ConfirmedBlocks,
  writes: readonly Statement[],
): Promise<Flushed> {
  const guard = bindBlocks(home, BLOCKS_GUARD, confirmed);
  const { n_in_d1, results } = await writeGuarded(home.main, guard, writes);
  const result = n_in_d1 === NO_PAGE ? "gone" : n_in_d1 === 1 ? "written" : "restored";
  return { result, page: results[0]?.results[0] as PageRow | undefined };
}

function bindBlocks(
  { main: db, page_id }: RowsHome,
  sql: string,
  { milestones, tips }: ConfirmedBlocks,
  ...more: string[]
): Statement {
  return db.prepare(sql).bind(page_id, milestones, tips, ...more);
}

/** Asks each database of the page; `gone` means that it has no such page any more. */
export function checkConfirmed(home: RowsHome, confirmed: Confirmed & ConfirmedBlocks) {
  return Promise.all([
    checkCounts(home, confirmed),
    ...(home.isMain ? [] : [checkBlocks(home, confirmed)]),
  ]);
}

/** Answers `more` if D1 has more than `most`. */
export async function checkCounts(
  home: RowsHome,
  { most = Number.POSITIVE_INFINITY, ...confirmed }: Confirmed & { most?: number },
): Promise<"all" | "less" | "more" | "gone"> {
  const n_in_d1 = await readGuard(selectGuard(home, confirmed));
  if (n_in_d1 === NO_PAGE) return "gone";
  if (n_in_d1 < confirmed.n) return "less";
  return n_in_d1 <= most ? "all" : "more";
}

async function checkBlocks(
  home: RowsHome,
  confirmed: ConfirmedBlocks,
): Promise<"all" | "less" | "gone"> {
  const n = await readGuard(bindBlocks(home, BLOCKS_GUARD, confirmed));
  if (n === NO_PAGE) return "gone";
  return n === 1 ? "all" : "less";
}

export async function forgetPage(db: Database, page_id: string): Promise<void> {
  await db.batch(
    ["tallies", "days", "months", "milestones", "rolled_days", "tips"].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE page_id = ?1`).bind(page_id),
    ),
  );
}

function selectGuard(
  { db, isMain, page_id, move }: RowsHome,
  { since, rolled_to }: Confirmed,
): Statement {
  const { GUARD } = isMain ? IN_MAIN : IN_STATS;
  return db.prepare(GUARD).bind(page_id, since, rolled_to, move);
}
