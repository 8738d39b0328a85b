/**
 * Counts what is billed: calls of objects, alarms, and rows that are written. All objects of a Worker
 * share one isolate here, so one meter in memory is enough.
 *
 * - SQL: the cursor's `rowsWritten`, which is what the platform bills: a row and each index of it, and for
 *   a table that is created one or two rows. To drop a table is 0 there. Of several statements in one
 *   call the cursor counts only the last, so they are run one by one.
 * - Key-value storage, both its interfaces: one row for each key that is put or deleted.
 * - `setAlarm`: one row. `deleteAlarm` and `deleteAll` have no price.
 * - D1: `meta.rows_written` and `meta.rows_read`.
 *
 * The meter also owns the clock, so that hours pass in seconds: `Date.now` runs on from where
 * `advance` has moved it, and alarms run at their times.
 */
import { allBy, type Way } from "../../server/worker/distance.ts";
import type { Reading } from "../reading.ts";

export type Kind = "page" | "limiter" | "naive_page" | "naive_limiter";
const LIMITERS: ReadonlySet<Kind> = new Set(["limiter", "naive_limiter"]);

/** The platform may evict an object that was not called for this long. */
const IDLE_MS = 10_000;

interface Metered {
  fireAlarm(): Promise<void>;
  evict(): Promise<void>;
}

interface Owner {
  kind: Kind;
  name: string;
}

type Storage = DurableObjectStorage;

class Meter {
  #reading = zero();
  #on = false;
  readonly #owners = new WeakMap<object, Owner>();
  /** When the alarm of each object is due, in unix milliseconds. */
  readonly #alarms = new Map<string, Owner & { at_ms: number }>();
  /** When each object was called last, in unix milliseconds, if it was not evicted since. */
  readonly #awake = new Map<string, Owner & { at_ms: number }>();
  #offset_ms = 0;

  metered(env: Cloudflare.Env): Cloudflare.Env {
    return {
      ...env,
      PAGE: this.#counted("page", env.PAGE),
      LIMITER: this.#counted("limiter", env.LIMITER),
      NAIVE_PAGE: this.#counted("naive_page", env.NAIVE_PAGE),
      NAIVE_LIMITER: this.#counted("naive_limiter", env.NAIVE_LIMITER),
    };
  }

  /** Must be called in an object's constructor before it writes. */
  watch(kind: Kind, { id, storage }: DurableObjectState, env: Cloudflare.Env): void {
    if (env.METER !== "1") return;
    if (!this.#on) {
      this.#on = true;
      this.#patchClock();
      this.#patchStorage(storage);
      this.#patchDatabase(env.DB);
    }
    const owner = { kind, name: id.name ?? "" };
    for (const part of [storage, storage.sql, storage.kv]) this.#owners.set(part, owner);
  }

  fired({ storage }: DurableObjectState): void {
    const owner = this.#owners.get(storage);
    if (owner === undefined) return;
    this.#reading.alarms += 1;
    this.#alarms.delete(idOf(owner));
  }

  read(): Reading {
    const reading = this.#reading;
    this.#reading = zero();
    return reading;
  }

  /** Alarms on the way run in the order of their times; objects left idle are evicted. Answers the time. */
  async advance(env: Cloudflare.Env, ms: number): Promise<number> {
    const until = Date.now() + ms;
    for (;;) {
      const next = this.#nextAlarm(until);
      if (next === undefined) break;
      this.#setClock(Math.max(next.at_ms, Date.now()));
      await stubOf(env, next).fireAlarm();
    }
    this.#setClock(until);
    for (const [id, owner] of this.#awake) {
      if (until - owner.at_ms < IDLE_MS) continue;
      this.#awake.delete(id);
      // The call rejects, because its object is gone.
      await stubOf(env, owner)
        .evict()
        .catch(() => {});
    }
    return until;
  }

  #nextAlarm(until: number): (Owner & { at_ms: number }) | undefined {
    let next: (Owner & { at_ms: number }) | undefined;
    for (const alarm of this.#alarms.values()) {
      if (alarm.at_ms <= until && alarm.at_ms < (next?.at_ms ?? Number.POSITIVE_INFINITY)) {
        next = alarm;
      }
    }
    return next;
  }

  #counted<T extends Rpc.DurableObjectBranded | undefined>(
    kind: Kind,
    namespace: DurableObjectNamespace<T>,
  ): DurableObjectNamespace<T> {
    const getByName = (name: string) => {
      const owner = { kind, name };
      const count: Way = (call) => {
        this.#reading[LIMITERS.has(kind) ? "limiter_calls" : "page_calls"] += 1;
        this.#awake.set(idOf(owner), { ...owner, at_ms: Date.now() });
        return call();
      };
      return allBy(count, namespace.getByName(name));
    };
    return { getByName } as DurableObjectNamespace<T>;
  }

  #wrote(part: object, rows: number): void {
    const kind = this.#owners.get(part)?.kind;
    // An object that is no part of counting, such as the error log.
    if (kind === undefined) return;
    this.#reading[LIMITERS.has(kind) ? "limiter_rows" : "page_rows"] += rows;
  }

  #armed(storage: Storage, at_ms: number): void {
    const owner = this.#owners.get(storage);
    if (owner === undefined) return;
    this.#wrote(storage, 1);
    this.#alarms.set(idOf(owner), { ...owner, at_ms });
  }

  #disarmed(storage: Storage): void {
    const owner = this.#owners.get(storage);
    if (owner !== undefined) this.#alarms.delete(idOf(owner));
  }

  #patchClock(): void {
    const { now } = Date;
    Date.now = () => now() + this.#offset_ms;
  }

  #setClock(at_ms: number): void {
    this.#offset_ms += at_ms - Date.now();
  }

  #patchStorage(sample: Storage): void {
    const wrote = (part: object, rows: number) => this.#wrote(part, rows);
    const armed = (storage: Storage, at_ms: number) => this.#armed(storage, at_ms);
    const disarmed = (storage: Storage) => this.#disarmed(storage);
    const sql: SqlStorage = Object.getPrototypeOf(sample.sql);
    const kv: SyncKvStorage = Object.getPrototypeOf(sample.kv);
    const all: Storage = Object.getPrototypeOf(sample);
    const { exec } = sql;
    sql.exec = function (this: SqlStorage, query: string, ...bindings: unknown[]) {
      const statements = statementsOf(query);
      const last = statements.pop() ?? query;
      for (const statement of statements) wrote(this, exec.call(this, statement).rowsWritten);
      const cursor = exec.call(this, last, ...bindings);
      // A cursor's writes are done when it is made; its reads are left to the caller.
      wrote(this, cursor.rowsWritten);
      return cursor;
    } as typeof exec;
    const { put: putSync, delete: deleteSync } = kv;
    kv.put = function (this: SyncKvStorage, key: string, value: unknown) {
      wrote(this, 1);
      return putSync.call(this, key, value);
    };
    kv.delete = function (this: SyncKvStorage, key: string) {
      wrote(this, 1);
      return deleteSync.call(this, key);
    };
    const methods: Storage = { ...pick(all) };
    Object.assign(all, {
      put(this: Storage, ...args: unknown[]) {
        wrote(this, typeof args[0] === "object" ? Object.keys(args[0] ?? {}).length : 1);
        return Reflect.apply(methods.put, this, args);
      },
      delete(this: Storage, ...args: unknown[]) {
        wrote(this, Array.isArray(args[0]) ? args[0].length : 1);
        return Reflect.apply(methods.delete, this, args);
      },
      setAlarm(this: Storage, ...args: Parameters<Storage["setAlarm"]>) {
        armed(this, Number(args[0]));
        return methods.setAlarm.apply(this, args);
      },
      deleteAlarm(this: Storage, ...args: Parameters<Storage["deleteAlarm"]>) {
        disarmed(this);
        return methods.deleteAlarm.apply(this, args);
      },
      deleteAll(this: Storage, ...args: Parameters<Storage["deleteAll"]>) {
        disarmed(this);
        return methods.deleteAll.apply(this, args);
      },
    });
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

function pick({ put, delete: remove, setAlarm, deleteAlarm, deleteAll }: Storage): Storage {
  return { put, delete: remove, setAlarm, deleteAlarm, deleteAll } as Storage;
}

/** The statements of a query, at its semicolons; the texts in our queries have none. */
function statementsOf(query: string): string[] {
  return query
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

function idOf({ kind, name }: Owner): string {
  return `${kind}/${name}`;
}

function stubOf(env: Cloudflare.Env, { kind, name }: Owner): Metered {
  const namespaces: Record<Kind, { getByName: (name: string) => unknown }> = {
    page: env.PAGE,
    limiter: env.LIMITER,
    naive_page: env.NAIVE_PAGE,
    naive_limiter: env.NAIVE_LIMITER,
  };
  return namespaces[kind].getByName(name) as Metered;
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
  };
}

export const meter = new Meter();
