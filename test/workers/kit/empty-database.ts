/** Drops all tables and views of a database; returns how many there were. */
export async function emptyDatabase(db: D1Database): Promise<number> {
  const { results } = await db
    .prepare(
      `SELECT type, name FROM sqlite_schema
       WHERE type IN ('table', 'view') AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'
       ORDER BY type = 'table'`,
    )
    .all<{ type: string; name: string }>();
  if (results.length > 0) {
    await db.batch(results.map(({ type, name }) => db.prepare(`DROP ${type} "${name}"`)));
  }
  return results.length;
}
