/**
 * Whether a migration only adds (docs/faults.md F16). Between a migration and the new code, and after a rollback, the
 * older code runs on the newer tables: it must find everything that it reads, and its INSERTs must still be complete.
 * SQLite itself says what a migration does, and what the tables are before and after.
 */
import { constants, DatabaseSync } from "node:sqlite";

interface Schema {
  /** Columns by `table.name`: all that SQLite tells of each. */
  columns: Map<string, string>;
  required: Set<string>;
  /** Views and triggers by name, and the unique indexes of each table by their columns. */
  others: Set<string>;
  /** Triggers that refuse a write, by their table and name. */
  guards: Set<string>;
}

/** What the migration does to code that knows the tables of the ones before it. Empty: it only adds. */
export function notAdditive(before: readonly string[], migration: string): string[] {
  const database = new DatabaseSync(":memory:");
  for (const sql of before) database.exec(sql);
  const old = schemaOf(database);
  const faults: string[] = [];
  database.setAuthorizer((action, name, detail) => {
    const column = `${name}.${detail}`;
    const isKnown = [...old.columns.keys()].some((one) => one.startsWith(`${name}.`));
    if (action === constants.SQLITE_UPDATE && old.columns.has(column))
      faults.push(`changes ${column}`);
    if (action === constants.SQLITE_DELETE && isKnown) faults.push(`deletes rows of ${name}`);
    const isForeign = action === constants.SQLITE_ATTACH || action === constants.SQLITE_PRAGMA;
    if (isForeign) faults.push("does something else than add");
    return constants.SQLITE_OK;
  });
  try {
    database.exec(migration);
  } catch (error) {
    return [String(error)];
  }
  database.setAuthorizer(null);
  // The authorizer sees no row that this deletes.
  if (/\bREPLACE\s+INTO\b/i.test(migration)) faults.push("replaces rows");
  const now = schemaOf(database);
  for (const [name, column] of old.columns) {
    if (now.columns.get(name) !== column) faults.push(`drops or changes ${name}`);
  }
  const tables = new Set([...old.columns.keys()].map((name) => name.split(".")[0]));
  for (const name of now.required) {
    const isNew = !old.columns.has(name);
    if (isNew && tables.has(name.split(".")[0])) faults.push(`requires ${name}`);
  }
  for (const one of old.others) if (!now.others.has(one)) faults.push(`drops ${one}`);
  for (const one of [...now.others, ...now.guards]) {
    const [kind = "", table = ""] = one.split(" ");
    const isNew = !old.others.has(one) && !old.guards.has(one);
    if (isNew && (kind === "unique" || kind === "guard") && tables.has(table)) {
      faults.push(`refuses rows: ${one}`);
    }
  }
  return faults;
}

function schemaOf(database: DatabaseSync): Schema {
  const all = (sql: string, ...values: string[]) =>
    database.prepare(sql).all(...values) as Record<string, string | number | null>[];
  const schema: Schema = {
    columns: new Map(),
    required: new Set(),
    others: new Set(),
    guards: new Set(),
  };
  for (const { type, name, tbl_name, sql } of all("SELECT * FROM sqlite_master")) {
    if (type === "view" || type === "trigger") schema.others.add(`${type} ${name}`);
    if (type === "trigger" && /\bRAISE\s*\(/i.test(String(sql))) {
      schema.guards.add(`guard ${tbl_name} ${name}`);
    }
    if (type !== "table") continue;
    for (const { cid: _, ...column } of all("SELECT * FROM pragma_table_xinfo(?)", String(name))) {
      const key = `${name}.${column.name}`;
      schema.columns.set(key, JSON.stringify(column));
      const hasDefault =
        column.dflt_value !== null && !/^\(*NULL\)*$/i.test(String(column.dflt_value));
      if (column.notnull === 1 && !hasDefault) schema.required.add(key);
    }
    const indexes = all('SELECT * FROM pragma_index_list(?) WHERE "unique" = 1', String(name));
    for (const index of indexes) {
      const columns = all("SELECT name FROM pragma_index_info(?)", String(index.name));
      const of = columns.map((column) => column.name).join(",");
      schema.others.add(`unique ${name} ${of}${index.partial === 1 ? ` ${index.name}` : ""}`);
    }
  }
  return schema;
}
