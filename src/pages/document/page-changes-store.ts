/**
 * Changes of pages that have not reached the page's object and the edge cache yet: tables
 * `page_changes`, `purge_turns` and `page_purges`, which only this file writes. The note is written
 * in the transaction of the change, so no change is lost.
 *
 * The platform grants the whole account few purges. Every page has a share of them, so that a
 * creator who saves every second does not use them up and delay the edits of others.
 */

export interface PageChange {
  page_id: string;
  /** The slug after the change; null where the page is gone. */
  slug: string | null;
  nonce: string;
  changed_at: number;
  ended: boolean;
  /** The page's object has read the page since; the column `told` has an older name. */
  announced: boolean;
  /** 2 after the second purge: no earlier rendering can be stored after it. */
  purged: 0 | 1 | 2;
  /** Purges that the page may have now. */
  share: number;
}

const ON_CONFLICT = `ON CONFLICT DO UPDATE SET
  nonce = excluded.nonce, slug = excluded.slug, changed_at = max(changed_at, excluded.changed_at),
  ended = max(ended, excluded.ended), told = 0, purged = 0, tried_at = 0`;

/** The platform grants this many purges at once, and per minute in the long run. */
const PURGES_MAX = 25;
const PURGES_PER_MINUTE = 5;
/** The shortest time between two purges. Changes in between share the second one. */
const PURGE_PAUSE_MS = 1_000;
/** Purges that a page may have at once, and the time until it may have one more. */
const PAGE_PURGES_MAX = 3;
const PAGE_PURGE_MS = 15_000;

/** D1's clock in unix milliseconds: those of Workers' machines differ. */
const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
/** The account's bucket, in a statement on `purge_turns`. */
const FILLED = `min(${PURGES_MAX}, tokens + max(0, ${NOW} - taken_at) * ${PURGES_PER_MINUTE} / 60000.0)`;
/** A page's bucket, in a statement on `page_purges`. */
const SHARE = `min(${PAGE_PURGES_MAX}, tokens + max(0, ${NOW} - purged_at) / ${PAGE_PURGE_MS}.0)`;

/** Must run in the transaction of the change, after it. */
export function notePageChanged(db: D1Database, page_id: string, now: number): D1PreparedStatement {
  return note(db, page_id, now, 0);
}

/** Notes the change if the save was made. Must run in the transaction of the save, after it. */
export function notePageSaved(
  db: D1Database,
  page_id: string,
  save_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO page_changes (page_id, slug, nonce, changed_at, ended)
       SELECT page_id, slug, ?3, ?4, 0 FROM pages WHERE page_id = ?1 AND save_id = ?2 ${ON_CONFLICT}`,
    )
    .bind(page_id, save_id, crypto.randomUUID(), now);
}

/** Must run in the transaction of the change. */
export function notePagesChangedOf(
  db: D1Database,
  owner_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO page_changes (page_id, slug, nonce, changed_at, ended)
       SELECT page_id, slug, ?3, ?2, 0 FROM pages WHERE owner_id = ?1 ${ON_CONFLICT}`,
    )
    .bind(owner_id, now, crypto.randomUUID());
}

/** Must run in the transaction that deletes the page's row. */
export function notePageEnded(db: D1Database, page_id: string, now: number): D1PreparedStatement {
  return note(db, page_id, now, 1);
}

function note(db: D1Database, page_id: string, now: number, ended: 0 | 1): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO page_changes (page_id, slug, nonce, changed_at, ended)
       VALUES (?1, (SELECT slug FROM pages WHERE page_id = ?1), ?2, ?3, ?4) ${ON_CONFLICT}`,
    )
    .bind(page_id, crypto.randomUUID(), now, ended);
}

type Row = Record<"ended" | "announced", 0 | 1> & Omit<PageChange, "ended" | "announced">;

/**
 * Lists up to `limit` changes to announce and `limit` to purge. The one whose last attempt is
 * oldest comes first, so changes that fail every time do not block others.
 */
export async function listPageChanges(db: D1Database, limit: number): Promise<PageChange[]> {
  const list = (unfinished: string) =>
    `SELECT * FROM (SELECT page_id, slug, nonce, changed_at, ended, told AS announced, purged FROM page_changes
     WHERE ${unfinished} ORDER BY tried_at, changed_at, page_id LIMIT ?1)`;
  const { results } = await db
    .prepare(
      `SELECT *, coalesce((SELECT ${SHARE} FROM page_purges WHERE page_id = changes.page_id),
         ${PAGE_PURGES_MAX}) AS share
       FROM (${list("NOT told")} UNION ${list("purged < 2")}) AS changes
       ORDER BY changed_at, page_id`,
    )
    .bind(limit)
    .all<Row>();
  return results.map(({ ended, announced, ...change }) => ({
    ...change,
    ended: ended === 1,
    announced: announced === 1,
  }));
}

/**
 * Stores the progress of these changes and deletes those that are fully delivered. Returns whether
 * none is left of those that were made until `until`, in unix milliseconds.
 */
export async function settlePageChanges(
  db: D1Database,
  changes: readonly PageChange[],
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const [, , left] = await db.batch<{ n: number }>([
    // A page that was changed again has another nonce, and that change is not delivered yet.
    db
      .prepare(
        `UPDATE page_changes SET told = max(page_changes.told, change.announced),
           purged = max(page_changes.purged, change.purged), tried_at = ?2
         FROM (SELECT value ->> 'page_id' AS page_id, value ->> 'nonce' AS nonce,
                      value ->> 'announced' AS announced, value ->> 'purged' AS purged
               FROM json_each(?1)) AS change
         WHERE page_changes.page_id = change.page_id AND page_changes.nonce = change.nonce`,
      )
      .bind(JSON.stringify(changes), now),
    db.prepare("DELETE FROM page_changes WHERE told AND purged = 2"),
    db.prepare("SELECT count(*) AS n FROM page_changes WHERE changed_at <= ?1").bind(until),
  ]);
  return left?.results[0]?.n === 0;
}

/**
 * Takes a turn to purge these pages from the token bucket that all isolates share: at most one a
 * second, and no more than the platform grants. If the caller has it, each page has one purge less.
 *
 * @param kept purges that must be left for others
 */
export async function takePurgeTurn(
  db: D1Database,
  page_ids: readonly string[],
  kept: number,
): Promise<boolean> {
  const turn = crypto.randomUUID();
  const [taken] = await db.batch([
    db
      .prepare(
        `UPDATE purge_turns SET tokens = ${FILLED} - 1, taken_at = ${NOW}, turn = ?1
         WHERE id = 1 AND ${FILLED} >= 1 + ?2
           AND (${NOW} - taken_at >= ${PURGE_PAUSE_MS} OR ${NOW} < taken_at)
         RETURNING id`,
      )
      .bind(turn, kept),
    // A page that was purged together with others may have had none left.
    db
      .prepare(
        `INSERT INTO page_purges (page_id, purged_at, tokens)
         SELECT page_id, ${NOW}, ${PAGE_PURGES_MAX - 1} FROM pages
         WHERE page_id IN (SELECT value FROM json_each(?2))
           AND EXISTS (SELECT 1 FROM purge_turns WHERE id = 1 AND turn = ?1)
         ON CONFLICT DO UPDATE SET tokens = max(0, ${SHARE} - 1), purged_at = excluded.purged_at`,
      )
      .bind(turn, JSON.stringify(page_ids)),
    // Rows of full buckets, and those from before D1's clock was set back.
    db.prepare(
      `DELETE FROM page_purges
       WHERE purged_at NOT BETWEEN ${NOW} - ${PAGE_PURGES_MAX * PAGE_PURGE_MS} AND ${NOW}`,
    ),
  ]);
  return taken?.results.length === 1;
}
