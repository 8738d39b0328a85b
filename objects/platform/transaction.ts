/**
 * A write to an object's storage, together with the changes of memory that follow it.
 *
 * Memory is a cache of what is stored, so it may change only after the write holds. A method that
 * writes and has a change of memory to make takes a `Transaction` and registers the change on it.
 * Only `Transaction.run` makes one, so no caller can do the first half and forget the second.
 */
import type { Ports } from "./ports.ts";

export class Transaction {
  readonly #changes: (() => void)[] = [];

  private constructor() {}

  /** `change` runs once everything that this transaction wrote holds, and never if it does not. */
  afterCommit(change: () => void): void {
    this.#changes.push(change);
  }

  /**
   * Runs `work`, which writes all or nothing, and then the registered changes in their order, all
   * in one synchronous step. Costs a savepoint, and a commit even if nothing is written.
   */
  static run<T>(
    { storage, abort }: Pick<Ports, "storage" | "abort">,
    work: (tx: Transaction) => T,
  ): T {
    const tx = new Transaction();
    const result = storage.transactionSync(() => work(tx));
    try {
      for (const change of tx.#changes) change();
    } catch (error) {
      // Memory may hold half of what was written. The object starts again from storage, which has
      // all of it or none. The callers get an error and retry, and each event still counts once.
      abort(`a change of memory failed after its write: ${error}`);
      throw error;
    }
    return result;
  }
}
