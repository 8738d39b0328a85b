/**
 * Changes of pages that are still to reach the page's object and the edge cache: table `page_changes`, which
 * this file alone writes. A change is noted in its own transaction, so none gets lost between the two.
 */

export interface PageChange {
  page_id: string;
  /** Unix milliseconds; another number for every change of a page. */
  changed_at: number;
  ended: boolean;
  told: boolean;
  purged: boolean;
}

const ON_CONFLICT = `ON CONFLICT DO UPDATE SET
  changed_at = max(changed_at + 1, excluded.changed_at), ended = max(ended, excluded.ended),
  told = 0, purged = 0`;

/** A page was changed. Belongs into the transaction of the change. */
export function notePageChanged(db: D1Database, page_id: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO page_changes (page_id, changed_at, ended) VALUES (?1, ?2, 0) ${ON_CONFLICT}`,
    )
    .bind(page_id, now);
}

/** Every page of an owner was changed. Belongs into the transaction of the change. */
export function notePagesChangedOf(
  db: D1Database,
  owner_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO page_changes (page_id, changed_at, ended)
       SELECT page_id, ?2, 0 FROM pages WHERE owner_id = ?1 ${ON_CONFLICT}`,
    )
    .bind(owner_id, now);
}

/** A page has ended for good. Belongs into the transaction that deletes its row. */
export function notePageEnded(db: D1Database, page_id: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO page_changes (page_id, changed_at, ended) VALUES (?1, ?2, 1) ${ON_CONFLICT}`,
    )
    .bind(page_id, now);
}

/** Up to `limit` changes that have not reached everything, the oldest first. */
export async function listPageChanges(db: D1Database, limit: number): Promise<PageChange[]> {
  const { results } = await db
    .prepare(
      `SELECT page_id, changed_at, ended, told, purged FROM page_changes
       ORDER BY changed_at, page_id LIMIT ?1`,
    )
    .bind(limit)
    .all<Record<"ended" | "told" | "purged", 0 | 1> & Pick<PageChange, "page_id" | "changed_at">>();
  return results.map(({ page_id, changed_at, ...flags }) => ({
    page_id,
    changed_at,
    ended: flags.ended === 1,
    told: flags.told === 1,
    purged: flags.purged === 1,
  }));
}

/** Writes down how far these changes have got, and forgets those that have reached everything. */
export async function settlePageChanges(
  db: D1Database,
  changes: readonly PageChange[],
): Promise<void> {
  await db.batch([
    // A page that was changed again meanwhile has another `changed_at`, and everything before it.
    db
      .prepare(
        `UPDATE page_changes SET told = change.told, purged = change.purged
         FROM (SELECT value ->> 'page_id' AS page_id, value ->> 'changed_at' AS changed_at,
                      value ->> 'told' AS told, value ->> 'purged' AS purged
               FROM json_each(?1)) AS change
         WHERE page_changes.page_id = change.page_id
           AND page_changes.changed_at = change.changed_at`,
      )
      .bind(JSON.stringify(changes)),
    db.prepare("DELETE FROM page_changes WHERE told AND purged"),
  ]);
}
