/**
 * What counting and limiting need from outside: storage, D1, a clock and random numbers. In a
 * Durable Object they are the platform's own; the model in `test/model` replaces them with ones
 * that lose power, fail and answer late. The types have only the parts of the platform's that are
 * used.
 */

type Value = string | number | null | ArrayBuffer;
export type Row = Record<string, Value>;

/** A Durable Object's SQLite; `SqlStorage`. */
export interface Sql {
  exec<R extends Row>(query: string, ...bindings: unknown[]): Iterable<R> & { toArray(): R[] };
}

/** A Durable Object's synchronous key-value storage; `SyncKvStorage`. */
export interface Kv {
  get<T>(key: string): T | undefined;
  put<T>(key: string, value: T): void;
  delete(key: string): unknown;
  list<T>(options?: { prefix?: string }): Iterable<[string, T]>;
}

/** Writes without an `await` between them are one atomic commit; `DurableObjectStorage`. */
export interface Storage {
  sql: Sql;
  kv: Kv;
  /** Rolls back what `work` wrote if it throws. */
  transactionSync<T>(work: () => T): T;
  /** Resolves when all that was written is on disk. */
  sync(): Promise<void>;
  getAlarm(): Promise<number | null>;
  setAlarm(at_ms: number): Promise<void>;
  deleteAll(): Promise<void>;
}

export interface Statement {
  bind(...values: unknown[]): Statement;
  all<R>(): Promise<{ results: R[] }>;
}

/**
 * `D1Database`. A batch is one transaction; one that rejects may have been committed all the same.
 */
export interface Database {
  prepare(query: string): Statement;
  batch<R>(statements: Statement[]): Promise<{ results: R[] }[]>;
}

export interface Clock {
  /** Unix milliseconds; may step back or forward. */
  now(): number;
  /** Calls back once, after `ms` milliseconds; answers a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** What every object gets from the platform. */
export interface Ports {
  storage: Storage;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  /** Ends the object at once; the next call finds a new one, made from what is stored. */
  abort: (reason: string) => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
