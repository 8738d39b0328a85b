/**
 * Counts what is billed: object calls, alarms and written rows. All objects of a Worker share one isolate
 * here, so one meter in memory is enough.
 *
 * Rows are counted by the SQL cursor; `kv.put`, `kv.delete` and `setAlarm` are one each.
 */
import type { Reading } from "../reading.ts";

type Kind = "page" | "limiter" | "naive_page" | "naive_limiter";
const LIMITERS: ReadonlySet<Kind | undefined> = new Set(["limiter", "naive_limiter"]);

/** Longer than any limiter's window and any flush interval, but within a day. */
const HORIZON_MS = 5 * 60_000;

/** What `index.ts` adds to each object, so that alarms run without waiting. */
interface Settling {
  /** When the alarm is due, in unix milliseconds; null if none is set. */
  alarmAt(): Promise<number | null>;
  fireAlarm(): Promise<void>;
}

class Meter {
  #reading = zero();
  #on = false;
  /** The kind of the object that owns a storage. */
  readonly #kinds = new WeakMap<object, Kind>();
  /** Objects called since their alarms were last run. */
  readonly #called: Record<Kind, Set<string>> = {
    page: new Set(),
    limiter: new Set(),
    naive_page: new Set(),
    naive_limiter: new Set(),
  };

  /** One call, however many events or checks it has. */
  called(kind: Kind, { id }: DurableObjectState): void {
    if (!this.#on) return;
    this.#reading[LIMITERS.has(kind) ? "limiter_calls" : "page_calls"] += 1;
    if (id.name !== undefined) this.#called[kind].add(id.name);
  }

  fired(): void {
    this.#reading.alarms += 1;
  }

  /** Must be called in an object's constructor before it writes. */
  watch(kind: Kind, { storage }: DurableObjectState, env: Cloudflare.Env): void {
    if (env.METER !== "1") return;
    if (!this.#on) {
      this.#on = true;
      this.#patchStorage(storage);
      this.#patchDatabase(env.DB);
    }
    for (const part of [storage, storage.sql, storage.kv]) this.#kinds.set(part, kind);
  }

  /** `/read` returns a `Reading`; `/reset` starts a new one; `/settle` runs every alarm that is set. */
  async answer(path: string, env: Cloudflare.Env): Promise<Response> {
    if (path === "/reset") this.#reading = zero();
    if (path === "/settle") await this.#settle(env);
    return Response.json(this.#reading);
  }

  #wrote(storage: object, rows: number): void {
    if (LIMITERS.has(this.#kinds.get(storage))) this.#reading.limiter_rows += rows;
    else this.#reading.page_rows += rows;
  }

  /**
   * Runs the alarms that are set, and those that they set, one after another and each at its time, until
   * `HORIZON_MS` have passed: every flush, and every limiter object until it has deleted itself.
   */
  async #settle(env: Cloudflare.Env): Promise<void> {
    const { now } = Date;
    const until = now() + HORIZON_MS;
    try {
      for (const [kind, namespace] of [
        ["page", env.PAGE],
        ["limiter", env.LIMITER],
        ["naive_page", env.NAIVE_PAGE],
        ["naive_limiter", env.NAIVE_LIMITER],
      ] as const) {
        for (const name of this.#called[kind]) {
          const object = namespace.getByName(name) as unknown as Settling;
          for (let at = await object.alarmAt(); at !== null && at <= until; ) {
            const time = at;
            Date.now = () => time;
            await object.fireAlarm();
            at = await object.alarmAt();
          }
          Date.now = now;
        }
        this.#called[kind].clear();
      }
    } finally {
      Date.now = now;
    }
  }

  #patchStorage(sample: DurableObjectStorage): void {
    const wrote = (storage: object, rows: number) => this.#wrote(storage, rows);
    const reading = () => this.#reading;
    const sql: SqlStorage = Object.getPrototypeOf(sample.sql);
    const kv: SyncKvStorage = Object.getPrototypeOf(sample.kv);
    const all: DurableObjectStorage = Object.getPrototypeOf(sample);
    const { exec } = sql;
    const { put, delete: remove } = kv;
    const { setAlarm, deleteAll } = all;
    sql.exec = function (this: SqlStorage, query: string, ...bindings: unknown[]) {
      const cursor = exec.call(this, query, ...bindings);
      // A cursor's writes are done when it is made; its reads are left to the caller.
      if (!/^\s*SELECT/i.test(query)) wrote(this, cursor.rowsWritten);
      return cursor;
    } as typeof exec;
    kv.put = function (this: SyncKvStorage, key: string, value: unknown) {
      wrote(this, 1);
      return put.call(this, key, value);
    };
    kv.delete = function (this: SyncKvStorage, key: string) {
      wrote(this, 1);
      return remove.call(this, key);
    };
    all.setAlarm = function (this: DurableObjectStorage, ...args) {
      wrote(this, 1);
      return setAlarm.apply(this, args);
    };
    all.deleteAll = function (this: DurableObjectStorage, ...args) {
      reading().cleanups += 1;
      return deleteAll.apply(this, args);
    };
  }

  #patchDatabase(db: D1Database): void {
    const tally = ({ meta }: D1Result) => {
      this.#reading.d1_rows += meta.rows_written;
      this.#reading.d1_rows_read += meta.rows_read;
    };
    const database: D1Database = Object.getPrototypeOf(db);
    const statement: D1PreparedStatement = Object.getPrototypeOf(db.prepare("SELECT 1"));
    const { batch } = database;
    const { all, run } = statement;
    database.batch = async function <T>(this: D1Database, statements: D1PreparedStatement[]) {
      const results = await batch.call(this, statements);
      results.forEach(tally);
      return results as D1Result<T>[];
    };
    statement.all = async function <T>(this: D1PreparedStatement) {
      const result = await all.call(this);
      tally(result);
      return result as D1Result<T>;
    };
    statement.run = async function <T>(this: D1PreparedStatement) {
      const result = await run.call(this);
      tally(result);
      return result as D1Result<T>;
    } as typeof run;
  }
}

function zero(): Reading {
  return {
    limiter_calls: 0,
    page_calls: 0,
    alarms: 0,
    limiter_rows: 0,
    page_rows: 0,
    d1_rows: 0,
    d1_rows_read: 0,
    cleanups: 0,
  };
}

export const meter = new Meter();
