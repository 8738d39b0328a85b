/** Faults of D1, storage and the clock, which tests turn on and off. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { pageObject } from "./kit.ts";

const d1: D1Database = Object.getPrototypeOf(env.DB);

/** Makes every batch to D1 fail: `before` it is written, or `after`, with the reply lost. */
export function breakD1(when: "before" | "after"): { calls: () => number; mend: () => void } {
  const real = d1.batch;
  const spy = vi.spyOn(d1, "batch").mockImplementation(async function (
    this: D1Database,
    statements,
  ) {
    if (when === "after") await real.call(this, statements);
    throw new Error("D1 refuses");
  });
  return { calls: () => spy.mock.calls.length, mend: () => spy.mockRestore() };
}

/** Makes this call of D1 or R2, and all after it, fail: the one `before` it is done, or `after`. */
export function dieAt(call: number, when: "before" | "after") {
  let left = call;
  type Calls = Record<string, (...given: unknown[]) => Promise<unknown>>;
  const spies = [
    ...[d1, Object.getPrototypeOf(env.DB.prepare("SELECT 1")), Object.getPrototypeOf(env.MEDIA)],
  ].flatMap((calls: Calls) =>
    ["batch", "first", "run", "all", "head", "put", "delete"]
      .filter((name) => name in calls)
      .map((name) => {
        const real = calls[name];
        return vi.spyOn(calls, name).mockImplementation(async function (this: unknown, ...given) {
          left -= 1;
          const answer = left > 0 || (left === 0 && when === "after");
          const result = answer ? await real?.apply(this, given) : undefined;
          if (left <= 0) throw new Error("the service is dead");
          return result;
        });
      }),
  );
  return {
    /** Answers whether it has died. */
    mend: () => {
      for (const spy of spies) spy.mockRestore();
      return left <= 0;
    },
  };
}

/** Makes every statement to D1 fail until `vi.restoreAllMocks()`, and keeps the errors out of the output. */
export function breakReads(): void {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(d1, "prepare").mockImplementation(() => {
    throw new Error("D1 refuses");
  });
}

/** Makes every save of a page be written and its reply lost; reading it back fails too. */
export function loseSaves(): { mend: () => void } {
  const batches = breakD1("after");
  const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
  const real = statement.all;
  const reads = vi.spyOn(statement, "all").mockImplementation(function (
    this: D1PreparedStatement & { statement?: string },
  ) {
    if (this.statement?.endsWith("save_id = ?2")) return Promise.reject(new Error("D1 refuses"));
    return real.call(this);
  } as typeof real);
  return {
    mend: () => {
      batches.mend();
      reads.mockRestore();
    },
  };
}

const COUNTS = ["tallies", "days", "months", "rolled_days"] as const;

/** D1's counts of one page; answers a function that restores D1 to them. */
export async function backUpCounts(page_id: string): Promise<() => Promise<unknown>> {
  const of = (sql: string) => env.DB.prepare(`${sql} WHERE page_id = ?1`).bind(page_id);
  const saved = await Promise.all(COUNTS.map((table) => of(`SELECT * FROM ${table}`).raw()));
  const restored = COUNTS.flatMap((table, i) =>
    (saved[i] ?? []).map((row) =>
      env.DB.prepare(`INSERT INTO ${table} VALUES (${row.map(() => "?").join()})`).bind(...row),
    ),
  );
  return () => env.DB.batch([...COUNTS.map((table) => of(`DELETE FROM ${table}`)), ...restored]);
}

export function hangD1(): { mend: () => void } {
  const spy = vi.spyOn(d1, "batch").mockImplementation(() => new Promise(() => {}));
  return { mend: () => spy.mockRestore() };
}

/** Makes statements with this prefix fail in the page's own storage. */
export async function breakStorage(page_id: string, statement: string) {
  const prototype = await runInDurableObject(
    pageObject(page_id),
    (_, state): SqlStorage => Object.getPrototypeOf(state.storage.sql),
  );
  const real = prototype.exec;
  prototype.exec = function (this: SqlStorage, query: string, ...bindings: unknown[]) {
    if (query.startsWith(statement)) throw new Error("database or disk is full");
    return real.call(this, query, ...bindings);
  } as typeof real;
  return {
    mend: () => {
      prototype.exec = real;
    },
  };
}

export async function breakAlarm(page_id: string) {
  const prototype = await runInDurableObject(
    pageObject(page_id),
    (_, state): DurableObjectStorage => Object.getPrototypeOf(state.storage),
  );
  const real = prototype.setAlarm;
  prototype.setAlarm = () => {
    throw new Error("database or disk is full");
  };
  return {
    mend: () => {
      prototype.setAlarm = real;
    },
  };
}

const ROWS_USED_UP = "Exceeded allowed rows written in Durable Objects free tier.";

/** A free account has written its rows of the day: no object writes one, nor sets an alarm. */
export async function useUpRows(page_id: string) {
  const [sql, kv, all] = await runInDurableObject(pageObject(page_id), (_, { storage }) => [
    Object.getPrototypeOf(storage.sql) as SqlStorage,
    Object.getPrototypeOf(storage.kv) as SyncKvStorage,
    Object.getPrototypeOf(storage) as DurableObjectStorage,
  ]);
  const refuse = () => {
    throw new Error(ROWS_USED_UP);
  };
  const real = { exec: sql.exec, put: kv.put, delete: kv.delete, setAlarm: all.setAlarm };
  sql.exec = function (this: SqlStorage, query: string, ...bindings: unknown[]) {
    if (!/^\s*(?:SELECT|PRAGMA|WITH)/.test(query)) refuse();
    return real.exec.call(this, query, ...bindings);
  } as typeof real.exec;
  Object.assign(kv, { put: refuse, delete: refuse });
  Object.assign(all, { setAlarm: refuse });
  return {
    /** Midnight. */
    mend: () => {
      Object.assign(sql, { exec: real.exec });
      Object.assign(kv, { put: real.put, delete: real.delete });
      Object.assign(all, { setAlarm: real.setAlarm });
    },
  };
}

/** A free account has used up what D1 reads or writes in a day. */
export function useUpD1(what: "read" | "write"): { calls: () => number; mend: () => void } {
  const refuse = async () => {
    throw new Error(
      `D1_ERROR: Your account has exceeded D1's free tier daily row ${what} limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC) to continue.`,
    );
  };
  const batches = vi.spyOn(d1, "batch").mockImplementation(refuse);
  const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
  const reads =
    what === "write"
      ? []
      : (["all", "first", "raw", "run"] as const).map((name) =>
          vi.spyOn(statement, name).mockImplementation(refuse as never),
        );
  const spies = [batches, ...reads];
  return {
    calls: () => spies.reduce((n, { mock }) => n + mock.calls.length, 0),
    mend: () => {
      for (const spy of spies) spy.mockRestore();
    },
  };
}

/** Stops the clock of objects and router; `advance` moves it, also backwards. */
export function stopClock() {
  vi.useFakeTimers({ toFake: ["Date"] });
  return {
    advance: (ms: number) => vi.setSystemTime(Date.now() + ms),
    set: (at_ms: number) => vi.setSystemTime(at_ms),
    restart: () => vi.useRealTimers(),
  };
}

/**
 * Keeps all timers of a tenth of a second or more from firing until `vi.restoreAllMocks()`, and for ever then: what is
 * answered meanwhile has not waited for a time-out.
 */
export function holdTimers(): void {
  const wait = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, ms = 0) =>
    wait(ms < 100 ? callback : () => {}, ms)) as never);
}

/** How many times faster timers run after `speedUpTimers`. */
export const SPEED_UP = 10;

/**
 * Makes all timers and time-outs of this isolate ten times faster until `vi.restoreAllMocks()`, so that a
 * test of a hanging dependency takes half a second instead of five. Their order stays the same and the
 * clock does not change. The hub runs in another isolate with normal timers.
 */
export function speedUpTimers(): void {
  const wait = globalThis.setTimeout;
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, ms = 0) =>
    wait(callback, ms / SPEED_UP)) as never);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms: number) => timeout(ms / SPEED_UP));
}
