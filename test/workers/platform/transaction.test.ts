/** A write and the change of memory that follows it: both, or neither. */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { Transaction } from "../../../objects/platform/transaction.ts";
import { freshPage, pageObject } from "../kit/kit.ts";

/** Runs `work` with the storage of a fresh object. */
async function inObject(work: (storage: DurableObjectStorage) => void): Promise<void> {
  const { page_id } = await freshPage();
  await runInDurableObject(pageObject(page_id), (_, { storage }) => work(storage));
}

describe("a transaction", () => {
  test("changes memory after all that it writes holds, in the order of registration", async () => {
    await inObject((storage) => {
      const memory: unknown[] = [];
      const answer = Transaction.run({ storage, abort: vi.fn() }, (tx) => {
        storage.kv.put("a", 1);
        tx.afterCommit(() => memory.push(storage.kv.get("a"), storage.kv.get("b")));
        tx.afterCommit(() => memory.push("second"));
        storage.kv.put("b", 2);
        expect(memory).toEqual([]);
        return "answer";
      });
      expect(answer).toBe("answer");
      expect(memory).toEqual([1, 2, "second"]);
    });
  });

  test("F17: that fails leaves storage and memory as they were", async () => {
    await inObject((storage) => {
      const abort = vi.fn();
      const change = vi.fn();
      const run = () =>
        Transaction.run({ storage, abort }, (tx) => {
          storage.kv.put("a", 1);
          tx.afterCommit(change);
          throw new Error("disk full");
        });
      expect(run).toThrow("disk full");
      expect(storage.kv.get("a")).toBeUndefined();
      expect(change).not.toHaveBeenCalled();
      expect(abort).not.toHaveBeenCalled();
    });
  });

  test("F17: ends the object where memory fails to follow what holds", async () => {
    await inObject((storage) => {
      const abort = vi.fn();
      const run = () =>
        Transaction.run({ storage, abort }, (tx) => {
          storage.kv.put("a", 1);
          tx.afterCommit(() => {
            throw new Error("half done");
          });
        });
      expect(run).toThrow("half done");
      expect(abort).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("half done"));
      expect(storage.kv.get("a")).toBe(1);
    });
  });
});
