/**
 * A Durable Object's storage that can lose power. Real SQLite beneath: what was written since the last
 * commit is an open transaction, which a crash rolls back. The commit comes a while after the write, as
 * on the platform, and only then may an answer leave (the output gate).
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { deserialize, serialize } from "node:v8";
import type { Kv, Row, Sql, Storage } from "../../objects/ports.ts";

/** What a disk asks of the world around it. */
export interface DiskWorld {
  /** When the commit of a first write comes, in milliseconds. */
  commitDelay: () => number;
  after: (ms: number, run: () => void) => void;
  /** Whether this write fails, as on a full disk. */
  writeFails: () => boolean;
  /** A commit has failed: the platform ends the object. */
  broken: () => void;
  /** A commit has brought something to disk, an alarm perhaps. */
  committed: () => void;
}

/** Survives its object. `open` gives each incarnation of the object a storage of its own. */
export class Disk {
  readonly #db = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  readonly #world: DiskWorld;
  #dirty = false;
  #synced: (() => void)[] = [];

  constructor(world: DiskWorld) {
    this.#world = world;
    this.#db.exec(
      `CREATE TABLE _kv (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
       CREATE TABLE _alarm (id INTEGER PRIMARY KEY, at INTEGER);`,
    );
  }

  /** Whether something was written that a crash would undo. */
  get dirty(): boolean {
    return this.#dirty;
  }

  /** The alarm as it stands on disk. */
  get alarm(): number | null {
    return Number(this.#run("SELECT at FROM _alarm")[0]?.at ?? Number.NaN) || null;
  }

  /** The platform's own doing, which no full disk prevents. */
  clearAlarm(): void {
    this.#begin();
    this.#run("DELETE FROM _alarm");
  }

  /** Power is gone: what was not committed never happened, and nobody hears of it. */
  crash(): void {
    if (this.#dirty) this.#db.exec("ROLLBACK");
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

  /** The storage of one incarnation; `isAlive` tells whether it still runs. */
  open(isAlive: () => boolean, alarmIsRunning: () => boolean): Storage {
    const whileAlive = () => {
      // A dead object's code cannot be reached by anything: this is a bug of the model.
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
        const row = this.#run("SELECT value FROM _kv WHERE key = ?1", key)[0];
        return row && (deserialize(new Uint8Array(row.value as ArrayBuffer)) as T);
      },
      put: (key, value) => {
        whileAlive();
        this.#write("INSERT OR REPLACE INTO _kv VALUES (?1, ?2)", key, serialize(value));
      },
      delete: (key) => {
        whileAlive();
        this.#write("DELETE FROM _kv WHERE key = ?1", key);
      },
      list: <T>({ prefix = "" } = {}) =>
        this.#run("SELECT key, value FROM _kv ORDER BY key")
          .filter(({ key }) => String(key).startsWith(prefix))
          .map(({ key, value }): [string, T] => [
            String(key),
            deserialize(new Uint8Array(value as ArrayBuffer)),
          ]),
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
        this.#run("INSERT OR REPLACE INTO _alarm VALUES (1, ?1)", at_ms);
      },
      deleteAll: async () => {
        whileAlive();
        this.#begin();
        this.#run("DELETE FROM _kv");
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

  /** What was written so far is on disk now. */
  commit(): void {
    if (!this.#dirty) return;
    if (this.#world.writeFails()) {
      this.#world.broken();
      return;
    }
    this.#db.exec("COMMIT");
    this.#dirty = false;
    for (const resolve of this.#synced.splice(0)) resolve();
    this.#world.committed();
  }

  #run(query: string, ...bindings: unknown[]): Row[] {
    let statement = this.#statements.get(query);
    if (statement === undefined) {
      statement = this.#db.prepare(query);
      this.#statements.set(query, statement);
    }
    const bound = bindings.map((value) =>
      value instanceof ArrayBuffer ? new Uint8Array(value) : value,
    ) as (string | number | null | Uint8Array)[];
    const rows = statement.all(...bound) as Record<string, string | number | null | Uint8Array>[];
    return rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          value instanceof Uint8Array ? Uint8Array.from(value).buffer : value,
        ]),
      ),
    );
  }
}
