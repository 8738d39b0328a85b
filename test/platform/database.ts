/** A database of the stand-in: SQLite, asked as D1's HTTP interface is. */
import { DatabaseSync } from "node:sqlite";
import { unstable_splitSqlQuery } from "wrangler";

export interface QueryResult {
  results: Record<string, unknown>[];
  success: true;
  meta: { duration: number; changes: number };
}

export class Database {
  readonly uuid: string;
  readonly name: string;
  readonly #sqlite = new DatabaseSync(":memory:");

  constructor(uuid: string, name: string) {
    this.uuid = uuid;
    this.name = name;
  }

  /** Runs a text of one or more statements as one transaction, which D1 does too. @throws SQLite's error */
  query(sql: string, params: readonly string[] = []): QueryResult[] {
    const statements = unstable_splitSqlQuery(sql);
    this.#sqlite.exec("BEGIN");
    try {
      const results = statements.map((statement): QueryResult => {
        const rows = this.#sqlite.prepare(statement).all(...params);
        return { results: rows, success: true, meta: { duration: 0, changes: 0 } };
      });
      this.#sqlite.exec("COMMIT");
      return results;
    } catch (error) {
      this.#sqlite.exec("ROLLBACK");
      throw error;
    }
  }

  /** What tells whether a query wrote: the rows that were changed ever, and the schema's version. */
  fingerprint(): string {
    const changes = this.#sqlite.prepare("SELECT total_changes() AS n").get();
    const schema = this.#sqlite.prepare("PRAGMA schema_version").get();
    return JSON.stringify([changes, schema]);
  }

  tables(): string[] {
    const sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    return this.#sqlite
      .prepare(sql)
      .all()
      .map(({ name }) => String(name));
  }
}
