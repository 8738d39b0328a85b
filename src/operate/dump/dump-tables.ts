/**
 * A database's tables for a dump, as D1 itself lists them, so that no new one is forgotten. A load is the one
 * exception to the rule that each table has one writer: it writes into all, but only what is missing.
 */

export interface DumpedTable {
  name: string;
  /** Columns of the primary key, the order of reading. */
  key: string[];
  columns: string[];
}

export type Value = string | number | null;

export interface Rows {
  rows: Value[][];
  next: Value[] | null;
}

/**
 * Tables of this deployment alone: of its cron, its purges, and backups of older versions; also sessions and mailed
 * codes, because what ended here after the dump would be valid there.
 */
const LEFT_OUT = new Set([
  ...["cron_runs", "purge_turns", "page_purges", "backups", "backup_parts"],
  ...["auth_sessions", "auth_mail_codes"],
]);

/** Columns with most of a row's bytes: a document has up to 256 KiB, the stack of a reported error 24 KB. */
const LARGE = new Set(["document", "breakdowns", "stack"]);
/** Rows of one query; with a large column also their bytes, without the last row. */
const ROWS = 1_000;
const LARGE_ROWS = 100;
const QUERY_BYTES = 4_194_304;
/** Characters of the JSON of one statement: a bound value has 2 MB, and a UTF-16 unit up to 3 bytes. */
const STATEMENT_CHARS = 400_000;

export async function listTables(db: D1Database): Promise<DumpedTable[]> {
  const { results } = await db
    .prepare(
      `SELECT t.name AS name, c.name AS column_name, c.pk AS pk
       FROM sqlite_master AS t, pragma_table_xinfo(t.name) AS c
       WHERE t.type = 'table' AND c.hidden = 0 AND t.name <> 'd1_migrations'
         AND substr(t.name, 1, 7) <> 'sqlite_' AND substr(t.name, 1, 4) <> '_cf_'
       ORDER BY t.name, c.cid`,
    )
    .all<{ name: string; column_name: string; pk: number }>();
  const tables: DumpedTable[] = [];
  for (const [name, columns] of Map.groupBy(results, (row) => row.name)) {
    if (LEFT_OUT.has(name)) continue;
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    tables.push({
      name,
      key: key.map((column) => column.column_name),
      columns: columns.map((column) => column.column_name),
    });
  }
  return tables;
}

export async function readSchema(db: D1Database): Promise<string> {
  const last = db.prepare(
    "SELECT name FROM d1_migrations WHERE id = (SELECT max(id) FROM d1_migrations)",
  );
  return (await last.first<string>("name")) ?? "";
}

/** @param after a key; null for the first rows */
export async function readRows(
  db: D1Database,
  { name, key, columns }: DumpedTable,
  after: readonly Value[] | null,
): Promise<Rows> {
  const keys = key.join();
  const range =
    after === null ? "" : ` WHERE (${keys}) > (${key.map((_, i) => `?${i + 1}`).join()})`;
  const large = columns.find((column) => LARGE.has(column));
  const limit = large === undefined ? ROWS : LARGE_ROWS;
  const wanted = `SELECT ${columns.join()} FROM ${name}${range} ORDER BY ${keys} LIMIT ${limit}`;
  const bytes = `length(CAST(${large} AS BLOB))`;
  const { results } = await db
    .prepare(
      large === undefined
        ? wanted
        : `SELECT *, sum(${bytes}) OVER (ORDER BY ${keys} ROWS UNBOUNDED PRECEDING) AS bytes_so_far
           FROM (${wanted})`,
    )
    .bind(...(after ?? []))
    .all<Record<string, Value>>();
  // Not by SQL, which would read each row once more. Rows without a large column stay as they are.
  results.sort((a, b) => Number(a.bytes_so_far ?? 0) - Number(b.bytes_so_far ?? 0));
  const cut = results.findIndex(({ bytes_so_far }) => Number(bytes_so_far ?? 0) > QUERY_BYTES);
  const kept = cut === -1 ? results : results.slice(0, Math.max(1, cut));
  const last = kept.at(-1);
  const is_all = results.length < limit && kept.length === results.length;
  return {
    rows: kept.map((row) => columns.map((column) => row[column] ?? null)),
    next: last === undefined || is_all ? null : key.map((column) => last[column] ?? null),
  };
}

/** Writes the missing ones of these rows; returns their number. May be repeated. */
export async function writeRows(
  db: D1Database,
  { name, columns }: Pick<DumpedTable, "name" | "columns">,
  rows: readonly Value[][],
): Promise<number> {
  const values = columns.map((_, i) => `value ->> ${i}`).join();
  const insert = db.prepare(
    `INSERT INTO ${name} (${columns.join()}) SELECT ${values} FROM json_each(?1) WHERE true
     ON CONFLICT DO NOTHING`,
  );
  let written = 0;
  for (let at = 0; at < rows.length; ) {
    const some: string[] = [];
    for (let chars = 0; at < rows.length && chars < STATEMENT_CHARS; at += 1) {
      const json = JSON.stringify(rows[at]);
      chars += json.length;
      some.push(json);
    }
    const { meta } = await insert.bind(`[${some.join()}]`).run();
    written += meta.changes;
  }
  return written;
}
