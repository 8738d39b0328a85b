/** Reads `errors`, which the error logs write. Table `error_marks`: this file alone writes it. */
export interface ErrorGroup {
  fingerprint: string;
  first_seen: number;
  last_seen: number;
  n: number;
  severity: string;
  message: string;
  /** Reports counted when an operator last marked it as seen; null: never. */
  seen_n: number | null;
}

export interface ErrorSample extends ErrorGroup {
  stack: string;
  page_id: string;
  url: string;
}

const GROUPS_LISTED_MAX = 100;

const COLUMNS = `errors.fingerprint, errors.first_seen, last_seen, n, severity, message, seen_n`;
const GROUPS = `errors LEFT JOIN error_marks USING (fingerprint, first_seen)`;

export async function listErrors(db: D1Database): Promise<ErrorGroup[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM ${GROUPS}
       ORDER BY n > coalesce(seen_n, 0) DESC, last_seen DESC LIMIT ${GROUPS_LISTED_MAX}`,
    )
    .all<ErrorGroup>();
  return results;
}

export async function findError(db: D1Database, fingerprint: string): Promise<ErrorSample | null> {
  return db
    .prepare(
      `SELECT ${COLUMNS}, stack, page_id, url FROM ${GROUPS}
       WHERE errors.fingerprint = ?1 ORDER BY errors.first_seen DESC LIMIT 1`,
    )
    .bind(fingerprint)
    .first<ErrorSample>();
}

/** Marks `n` reports as seen; a larger mark stays. False for an unknown group. */
export async function markError(
  db: D1Database,
  { fingerprint, n }: { fingerprint: string; n: number },
  now: number,
): Promise<boolean> {
  const { results } = await db
    .prepare(
      `INSERT INTO error_marks (fingerprint, first_seen, seen_n, seen_at)
       SELECT fingerprint, first_seen, min(n, ?2), ?3 FROM errors
       WHERE fingerprint = ?1 ORDER BY first_seen DESC LIMIT 1
       ON CONFLICT DO UPDATE SET seen_n = max(seen_n, excluded.seen_n), seen_at = excluded.seen_at
       RETURNING seen_n`,
    )
    .bind(fingerprint, n, now)
    .all();
  return results.length > 0;
}
