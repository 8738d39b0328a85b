/** The main database is often that of statistics too: then one batch has all. */
export interface StatsPlaces {
  db: D1Database;
  stats: D1Database;
}

/** SQL, and the values of its parameters from ?3 on. */
export type Asked = readonly [sql: string, ...values: (number | string)[]];

/** SQL: the id of page ?1 if ?2 owns it; else NULL, which no row has. */
export const MINE = "(SELECT page_id FROM pages WHERE page_id = ?1 AND owner_id = ?2)";
/**
 * SQL: the same in a database of statistics, which knows no owners. It names ?2, because D1 refuses
 * more values than a statement has parameters.
 */
export const ANYBODYS = "CASE WHEN ?2 IS NOT NULL THEN ?1 END";

/**
 * One batch, or two at the same time. `counts` gets SQL for the page's id: {@link MINE} or {@link
 * ANYBODYS}. The caller must drop what a database of statistics answers unless the main database
 * answers the page.
 */
export async function readPlaces(
  { db, stats }: StatsPlaces,
  [page_id, owner_id]: readonly [string, string],
  page: readonly Asked[],
  counts: (page: string) => readonly Asked[],
): Promise<[page: D1Result[], counts: D1Result[]]> {
  const ask =
    (db: D1Database) =>
    ([sql, ...values]: Asked) =>
      db.prepare(sql).bind(page_id, owner_id, ...values);
  if (stats !== db) {
    return Promise.all([
      db.batch(page.map(ask(db))),
      stats.batch(counts(ANYBODYS).map(ask(stats))),
    ]);
  }
  const all = await db.batch([...page, ...counts(MINE)].map(ask(db)));
  return [all.slice(0, page.length), all.slice(page.length)];
}
