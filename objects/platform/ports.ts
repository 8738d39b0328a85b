/**
 * What counting and limiting need from outside. In a Durable Object it is the platform's own; the
 * model in `test/model` replaces it with storage, a D1, clocks and random numbers that lose power,
 * fail and answer late. The types have only the parts of the platform's that are used.
 */

type Value = string | number | null | ArrayBuffer;
export type Row = Record<string, Value>;

export interface Sql {
  exec<R extends Row>(query: string, ...bindings: unknown[]): Iterable<R> & { toArray(): R[] };
}

export interface Kv {
  get<T>(key: string): T | undefined;
  put<T>(key: string, value: T): void;
  delete(key: string): unknown;
  list<T>(options?: { prefix?: string }): Iterable<[string, T]>;
}

/** Writes without an `await` between them are one atomic commit (`DurableObjectStorage`). */
export interface Storage {
  sql: Sql;
  kv: Kv;
  /** Rolls back what `work` wrote if it throws. */
  transactionSync<T>(work: () => T): T;
  sync(): Promise<void>;
  getAlarm(): Promise<number | null>;
  setAlarm(at_ms: number): Promise<void>;
  deleteAll(): Promise<void>;
}

export interface Statement {
  bind(...values: unknown[]): Statement;
  all<R>(): Promise<{ results: R[] }>;
}

/** A batch is one transaction; one that rejects may have been committed all the same. */
export interface Database {
  prepare(query: string): Statement;
  batch<R>(statements: Statement[]): Promise<{ results: R[] }[]>;
}

export interface Clock {
  /** Unix milliseconds; may step back or forward. */
  now(): number;
  /** Answers a function that cancels the call. */
  after(ms: number, callback: () => void): () => void;
}

export interface Ports {
  storage: Storage;
  clock: Clock;
  random: () => number;
  /** Ends the object at once; the next call finds a new one, made from what is stored. */
  abort: (reason: string) => void;
}

/** A Durable Object, as the platform makes it; `DurableObjectState`. */
export interface ObjectState {
  id: { name?: string | undefined };
  storage: Storage;
  abort(reason: string): void;
}

export function portsOf(state: ObjectState): Ports {
  const { storage } = state;
  const abort = (reason: string) => state.abort(reason);
  return { storage, clock: systemClock, random: Math.random, abort };
}

/** The `page_id` that names the object; throws for an object without a name. */
export function pageIdOf({ id }: ObjectState): string {
  if (id.name === undefined) throw new Error("the object has no page");
  return id.name;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
