/** Rows of an export, read in parts along their primary keys. The caller has checked the owner. */

import type { Tally } from "../../../objects/page/tables/tallies.ts";
import { withTimeout } from "../../../objects/platform/clock.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../../http/limits.ts";

export interface ExportedTally extends Tally {
  shard: number;
}

export interface ExportedDay {
  day: number;
  shard: number;
  visitors: number;
  /** JSON. */
  breakdowns: string;
}

export interface ExportedRevision {
  version: number;
  saved_at: number;
  /** JSON. */
  what: string;
  slug: string;
  status: string;
  /** JSON. */
  document: string;
}

export interface ExportedTip {
  seq: number;
  link_id: string;
  from_name: string;
  points: number;
  message: string;
  at: number;
}

/** Rows of one part: 0.5 MB of tallies, and at most 5 MB of days or documents. */
const TALLIES = 5_000;
const DAYS = 20;
const REVISIONS = 20;
const TIPS = 1_000;

export function exportedTallies(db: D1Database, page_id: string): AsyncGenerator<ExportedTally> {
  return inParts(TALLIES, (after: ExportedTally | null) =>
    db
      .prepare(
        `SELECT hour, kind, link_id, class, shard, n FROM tallies
         WHERE page_id = ?1 AND (hour, kind, link_id, class, shard) > (?2, ?3, ?4, ?5, ?6)
         ORDER BY hour, kind, link_id, class, shard LIMIT ${TALLIES}`,
      )
      .bind(
        page_id,
        after?.hour ?? -1,
        after?.kind ?? "",
        after?.link_id ?? "",
        after?.class ?? "",
        after?.shard ?? 0,
      ),
  );
}

export function exportedDays(db: D1Database, page_id: string): AsyncGenerator<ExportedDay> {
  return inParts(DAYS, (after: ExportedDay | null) =>
    db
      .prepare(
        `SELECT day, shard, visitors, breakdowns FROM days
         WHERE page_id = ?1 AND (day, shard) > (?2, ?3) ORDER BY day, shard LIMIT ${DAYS}`,
      )
      .bind(page_id, after?.day ?? -1, after?.shard ?? 0),
  );
}

export function exportedRevisions(
  db: D1Database,
  page_id: string,
): AsyncGenerator<ExportedRevision> {
  return inParts(REVISIONS, (after: ExportedRevision | null) =>
    db
      .prepare(
        `SELECT version, saved_at, what, slug, status, document FROM revisions
         WHERE page_id = ?1 AND version > ?2 ORDER BY version LIMIT ${REVISIONS}`,
      )
      .bind(page_id, after?.version ?? 0),
  );
}

export function exportedTips(db: D1Database, page_id: string): AsyncGenerator<ExportedTip> {
  return inParts(TIPS, (after: ExportedTip | null) =>
    db
      .prepare(
        `SELECT seq, link_id, from_name, points, message, at FROM tips
         WHERE page_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ${TIPS}`,
      )
      .bind(page_id, after?.seq ?? 0),
  );
}

/** Unix second before which the tallies are of whole UTC days. */
export async function findRolledTo(db: D1Database, page_id: string): Promise<number> {
  const rolled_to = await db
    .prepare("SELECT MAX(rolled_to) AS rolled_to FROM rolled_days WHERE page_id = ?1")
    .bind(page_id)
    .first<number | null>("rolled_to");
  return rolled_to ?? 0;
}

async function* inParts<Row>(
  limit: number,
  select: (after: Row | null) => D1PreparedStatement,
): AsyncGenerator<Row> {
  for (let after: Row | null = null; ; ) {
    const reading: Promise<{ results: Row[] }> = select(after).all<Row>();
    const { results } = await withTimeout(reading, DEPENDENCY_TIMEOUT_MS);
    yield* results;
    after = results.at(-1) ?? null;
    if (results.length < limit) return;
  }
}
