/**
 * A Durable Object's storage that can lose power. It is real SQLite: the writes since the last
 * commit are an open transaction, which a crash rolls back. The commit comes some time after the
 * write, as on the platform, and only then may an answer leave (the output gate).
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { deserialize, serialize } from "node:v8";
import type { Kv, Row, Sql, Storage } from "../../objects/platform/ports.ts";

export interface DiskWorld {
  commitDelay: () => number;
  after: (ms: number, run: () => void) => void;
  /** Whether this write fails, as on a full disk. */
  writeFails: () => boolean;
  /** A commit has failed: the platform ends the object. */
  broken: () => void;
  /** A commit has succeeded; it may have changed the alarm. */
  committed: () => void;
}

/** Survives its object. `open` gives each incarnation of the object a storage of its own. */
export class Disk {
  readonly #db = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  readonly #world: DiskWorld;
  /** Cache of the values by key; cleared by every rollback. */
  readonly #kv = new Map<string, Uint8Array | null>();
  /** The current alarm, and the one that a crash would restore. */
  #alarm: number | null = null;
  #committed_alarm: number | null = null;
  #dirty = false;
  #synced: (() => void)[] = [];

  constructor(world: DiskWorld) {
    this.#world = world;
    this.#db.exec("CREATE TABLE _kv (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
  }

  /** Whether something was written that a crash would undo. */
  get dirty(): boolean {
    return this.#dirty;
  }

  get alarm(): number | null {
    return this.#alarm;
  }

  /** Done by the platform, so it works on a full disk too. */
  clearAlarm(): void {
    this.#begin();
    this.#alarm = null;
  }

  /** Power is lost: everything that was not committed is rolled back, and `sync` never resolves. */
  crash(): void {
    if (this.#dirty) this.#db.exec("ROLLBACK");
    this.#kv.clear();
    this.#alarm = this.#committed_alarm;
    this.#dirty = false;
    this.#synced = [];
  }

  /** Resolves once everything written so far is on disk. */
  sync(): Promise<void> {
    return this.#dirty ? new Promise((resolve) => this.#synced.push(resolve)) : Promise.resolve();
  }

  close(): void {
    this.#db.close();
  }

  /**
   * What is stored and committed at this moment; the answer puts it back, as the platform does on demand. The
   * object must have ended by then.
   */
  savePoint(): () => void {
    const alarm = this.#alarm;
    const tables = this.#run(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    ).map(({ name, sql }) => ({
      name,
      sql: String(sql),
      rows: this.#run(`SELECT * FROM ${name}`),
    }));
    return () => {
      this.#begin();
      for (const name of [...this.#tables(), "_kv"]) this.#run(`DROP TABLE ${name}`);
      for (const { name, sql, rows } of tables) {
        this.#run(sql);
        for (const row of rows) {
          const values = Object.values(row);
          const marks = values.map(() => "?").join();
          this.#run(
            `INSERT INTO ${name} (${Object.keys(row).join()}) VALUES (${marks})`,
            ...values,
          );
        }
      }
      this.#kv.clear();
      this.#alarm = alarm;
      this.commit();
    };
  }

  /** The names of everything stored: tables, keys and the alarm. For the judge. */
  contents(): string[] {
    const keys = this.#run("SELECT key FROM _kv ORDER BY key").map(({ key }) => String(key));
    return [...this.#tables(), ...keys, ...(this.alarm === null ? [] : ["alarm"])];
  }

  #tables(): string[] {
    return this.#run(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
    ).map(({ name }) => String(name));
  }

  /** The storage for one instance of the object; `isAlive` answers whether it still runs. */
  open(isAlive: () => boolean, alarmIsRunning: () => boolean): Storage {
    const whileAlive = () => {
      // On the platform nothing calls the code of an ended object: this is a bug of the model.
      if (!isAlive()) throw new Error("a dead object touched its storage");
    };
    const sql: Sql = {
      exec: <R extends Row>(query: string, ...bindings: unknown[]) => {
        whileAlive();
        const isRead = /^\s*SELECT/.test(query);
        const rows = (
          isRead ? this.#run(query, ...bindings) : this.#write(query, ...bindings)
        ) as R[];
        return Object.assign(rows, { toArray: () => rows });
      },
    };
    const kv: Kv = {
      get: <T>(key: string) => {
        const value = this.#value(key);
        return value === null ? undefined : (deserialize(value) as T);
      },
      put: (key, value) => {
        whileAlive();
        const bytes = serialize(value);
        this.#write("INSERT OR REPLACE INTO _kv VALUES (?1, ?2)", key, bytes);
        this.#kv.set(key, bytes);
      },
      delete: (key) => {
        whileAlive();
        this.#write("DELETE FROM _kv WHERE key = ?1", key);
        this.#kv.set(key, null);
      },
      list: <T>({ prefix = "" } = {}) =>
        this.#run("SELECT key FROM _kv WHERE key >= ?1 ORDER BY key", prefix)
          .map(({ key }) => String(key))
          .filter((key) => key.startsWith(prefix))
          .map((key): [string, T] => [key, deserialize(this.#value(key) ?? new Uint8Array())]),
    };
    return {
      sql,
      kv,
      transactionSync: (work) => this.#transaction(work),
      sync: () => this.sync(),
      getAlarm: async () => (alarmIsRunning() ? null : this.alarm),
      setAlarm: async (at_ms) => {
        whileAlive();
        this.#begin();
        this.#alarm = at_ms;
      },
      deleteAll: async () => {
        whileAlive();
        this.#begin();
        for (const table of this.#tables()) this.#run(`DROP TABLE ${table}`);
        this.#run("DELETE FROM _kv");
        this.#kv.clear();
        this.#alarm = null;
      },
    };
  }

  #transaction<T>(work: () => T): T {
    this.#begin();
    this.#db.exec("SAVEPOINT work");
    try {
      const result = work();
      this.#db.exec("RELEASE work");
      return result;
    } catch (error) {
      this.#db.exec("ROLLBACK TO work; RELEASE work");
      this.#kv.clear();
      throw error;
    }
  }

  #write(query: string, ...bindings: unknown[]): Row[] {
    if (this.#world.writeFails()) throw new Error("database or disk is full");
    this.#begin();
    return this.#run(query, ...bindings);
  }

  #begin(): void {
    if (this.#dirty) return;
    this.#dirty = true;
    this.#db.exec("BEGIN");
    this.#world.after(this.#world.commitDelay(), () => this.commit());
  }

  commit(): void {
    if (!this.#dirty) return;
    if (this.#world.writeFails()) {
      this.#world.broken();
      return;
    }
    this.#db.exec("COMMIT");
    this.#committed_alarm = this.#alarm;
    this.#dirty = false;
    for (const resolve of this.#synced.splice(0)) resolve();
    this.#world.committed();
  }

  #value(key: string): Uint8Array | null {
    let value = this.#kv.get(key);
    if (value === undefined) {
      const row = this.#run("SELECT value FROM _kv WHERE key = ?1", key)[0];
      value = row === undefined ? null : new Uint8Array(row.value as ArrayBuffer);
      this.#kv.set(key, value);
    }
    return value;
  }

  #run(query: string, ...bindings: unknown[]): Row[] {
    const statement = this.#statements.get(query) ?? this.#db.prepare(query);
    this.#statements.set(query, statement);
    const bound = bindings.map((value) =>
      value instanceof ArrayBuffer ? new Uint8Array(value) : value,
    ) as (string | number | null | Uint8Array)[];
    const rows = statement.all(...bound) as Record<string, string | number | null | Uint8Array>[];
    for (const row of rows) {
      for (const column of Object.keys(row)) {
        const value = row[column];
        // SQLite's buffer is overwritten by the next run of the statement.
        if (value instanceof Uint8Array) Object.assign(row, { [column]: value.slice().buffer });
      }
    }
    return rows as Row[];
  }
}
