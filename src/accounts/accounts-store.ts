/**
 * When an account last changed at the hub, and which ones it deleted: tables `accounts` and
 * `deleted_users`, which this file alone writes. A cached session is valid only if the hub was asked after
 * the last change.
 *
 * All times are by D1's clock, in unix milliseconds, because the clocks of Workers' machines differ.
 */

const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

export interface AccountTimes {
  /** 0 without a stored change. */
  changed_at: number;
  now: number;
}

export async function readAccountTimes(db: D1Database, user_id: string): Promise<AccountTimes> {
  const times = await db
    .prepare(
      `SELECT COALESCE((SELECT changed_at FROM accounts WHERE user_id = ?1), 0) AS changed_at,
              ${NOW} AS now`,
    )
    .bind(user_id)
    .first<AccountTimes>();
  if (times === null) throw new Error("D1 returned no row with its time");
  return times;
}

export function noteAccountChanged(db: D1Database, user_id: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO accounts (user_id, changed_at) VALUES (?1, ${NOW})
       ON CONFLICT DO UPDATE SET changed_at = max(changed_at, excluded.changed_at)`,
    )
    .bind(user_id);
}

/** @param keep_ms must be longer than a session is cached */
export function deleteOldAccountChanges(db: D1Database, keep_ms: number): D1PreparedStatement {
  return db.prepare(`DELETE FROM accounts WHERE changed_at < ${NOW} - ?1`).bind(keep_ms);
}

/** Notes that the hub deleted the user: no page of theirs can be made or saved any more. */
export function noteUserDeleted(db: D1Database, user_id: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO deleted_users (user_id, deleted_at) VALUES (?1, ${NOW}) ON CONFLICT DO NOTHING`,
    )
    .bind(user_id);
}

export async function whichNotDeleted(
  db: D1Database,
  user_ids: readonly string[],
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT value AS user_id FROM json_each(?1)
       WHERE NOT EXISTS (SELECT 1 FROM deleted_users WHERE user_id = value)`,
    )
    .bind(JSON.stringify(user_ids))
    .all<{ user_id: string }>();
  return results.map(({ user_id }) => user_id);
}

/** @param keep_ms must be longer than any request or restored D1 */
export function deleteOldDeletedUsers(db: D1Database, keep_ms: number): D1PreparedStatement {
  return db.prepare(`DELETE FROM deleted_users WHERE deleted_at < ${NOW} - ?1`).bind(keep_ms);
}
