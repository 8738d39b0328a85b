/**
 * When something about a user last changed at the hub: table `accounts`, which this file alone writes.
 * What is remembered of a session is worth only what was asked of the hub after that.
 *
 * All times are D1's own clock, in unix milliseconds: the machines a Worker runs on need not agree.
 */

const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

export interface AccountTimes {
  /** 0 where nothing is known to have changed. */
  changed_at: number;
  /** What D1's clock says now. */
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
  if (times === null) throw new Error("D1 did not say what time it is");
  return times;
}

/** From the moment this is written, nobody trusts what was remembered of the user's sessions. */
export function noteAccountChanged(db: D1Database, user_id: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO accounts (user_id, changed_at) VALUES (?1, ${NOW})
       ON CONFLICT DO UPDATE SET changed_at = max(changed_at, excluded.changed_at)`,
    )
    .bind(user_id);
}

/** Forgets changes older than `keep_ms`, which must be longer than a session is remembered. */
export function forgetAccounts(db: D1Database, keep_ms: number): D1PreparedStatement {
  return db.prepare(`DELETE FROM accounts WHERE changed_at < ${NOW} - ?1`).bind(keep_ms);
}
