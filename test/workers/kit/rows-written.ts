/**
 * Written rows, which are billed. Those of an object are counted when they are written: SQL cursors
 * report theirs, a `kv.put` and an alarm are one each. D1 reports its own with each result.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { RateLimiter } from "../../../objects/limiter/rate-limiter.ts";
import type { PageObject } from "../../../objects/page/page-object.ts";

type AnyObject = PageObject | RateLimiter;

/** The rows written to this object's storage while `work` runs; it must not evict the object. */
export async function rowsWritten<O extends AnyObject>(
  stub: DurableObjectStub<O>,
  work: () => Promise<unknown>,
): Promise<number> {
  let rows = 0;
  // All objects of the isolate share the storage classes; only this one's calls are counted.
  const unmeter = await runInDurableObject(stub, (_, { storage }) => {
    const sql: SqlStorage = Object.getPrototypeOf(storage.sql);
    const kv: SyncKvStorage = Object.getPrototypeOf(storage.kv);
    const all: DurableObjectStorage = Object.getPrototypeOf(storage);
    const { exec } = sql;
    const { put, delete: remove } = kv;
    const { setAlarm } = all;
    sql.exec = function (this: SqlStorage, query: string, ...bindings: unknown[]) {
      const cursor = exec.call(this, query, ...bindings);
      // A cursor's writes are done when it is made; its reads are left to the caller.
      if (this === storage.sql && !/^\s*SELECT/i.test(query)) rows += cursor.rowsWritten;
      return cursor;
    } as typeof exec;
    kv.put = function (this: SyncKvStorage, key: string, value: unknown) {
      if (this === storage.kv) rows += 1;
      return put.call(this, key, value);
    };
    kv.delete = function (this: SyncKvStorage, key: string) {
      if (this === storage.kv) rows += 1;
      return remove.call(this, key);
    };
    all.setAlarm = function (this: DurableObjectStorage, ...args) {
      if (this === storage) rows += 1;
      return setAlarm.apply(this, args);
    };
    return () => {
      Object.assign(sql, { exec });
      Object.assign(kv, { put, delete: remove });
      Object.assign(all, { setAlarm });
    };
  });
  try {
    await work();
  } finally {
    unmeter();
  }
  return rows;
}

/** The rows that batches write to D1 while `work` runs. */
export async function rowsWrittenToD1(work: () => Promise<unknown>): Promise<number> {
  const d1: D1Database = Object.getPrototypeOf(env.DB);
  const batch = vi.spyOn(d1, "batch");
  try {
    await work();
    const results = await Promise.all(batch.mock.results.map(({ value }) => value));
    return results.flat().reduce((rows, { meta }: D1Result) => rows + meta.rows_written, 0);
  } finally {
    batch.mockRestore();
  }
}
