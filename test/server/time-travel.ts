/**
 * D1's Time Travel, which the local D1 does not have: a running database goes back to its rows of before, while the
 * service goes on.
 */

const TABLES = `SELECT t.name, group_concat('"' || c.name || '"') AS columns
  FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
  WHERE t.type = 'table' AND c.hidden = 0 AND t.name NOT GLOB 'sqlite_*' AND t.name NOT GLOB '_cf_*'
    AND t.name NOT GLOB 'kept_*' GROUP BY t.name`;

let points = 0;

/** Notes the point at which the database is; answers a function that puts it back there, in one transaction. */
export async function bookmark(db: D1Database): Promise<() => Promise<void>> {
  points += 1;
  const { results } = await db.prepare(TABLES).all<{ name: string; columns: string }>();
  const tables = results.map((table) => ({ ...table, kept: `kept_${points}_${table.name}` }));
  const batch = (statements: string[]) => db.batch(statements.map((sql) => db.prepare(sql)));
  await batch(
    tables.map(
      ({ name, columns, kept }) => `CREATE TABLE ${kept} AS SELECT ${columns} FROM ${name}`,
    ),
  );
  return async () => {
    // They would write other rows than those of the point.
    const triggers = await db
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      .all<{ name: string; sql: string }>();
    await batch([
      ...triggers.results.map(({ name }) => `DROP TRIGGER ${name}`),
      ...tables.flatMap(({ name, columns, kept }) => [
        `DELETE FROM ${name}`,
        `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${kept}`,
      ]),
      ...triggers.results.map(({ sql }) => sql),
    ]);
  };
}
