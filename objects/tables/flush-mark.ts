/**
 * FlushMark: up to which row of the journal D1 has confirmed the page's events. One small row, so
 * that the events of a quiet page reach D1 without a checkpoint into five tables.
 *
 * Numbers of journal rows begin anew after each checkpoint, so a checkpoint deletes the mark. One
 * of older code, which does not know the mark, makes it void too, because the mark names the
 * checkpoint before it.
 */
import type { Kv } from "../platform/ports.ts";
import type { Transaction } from "../platform/transaction.ts";

const STORED_AS = "flushed_to";

interface StoredMark {
  /** Number of the newest checkpoint when the mark was written; 0 before the first one. */
  checkpoint: number;
  /** Number of a journal row after it. */
  seq: number;
}

export class FlushMark {
  readonly #kv: Kv;
  #seq = 0;

  constructor(kv: Kv) {
    this.#kv = kv;
  }

  /** Number of the last journal row that D1 has confirmed; 0 if it has confirmed none. */
  get seq(): number {
    return this.#seq;
  }

  load(checkpoint: number): void {
    const mark = this.#kv.get<StoredMark>(STORED_AS);
    this.#seq = mark?.checkpoint === checkpoint ? mark.seq : 0;
  }

  /** D1 has confirmed the rows after this checkpoint up to `seq`. */
  store(checkpoint: number, seq: number): void {
    if (seq <= this.#seq) return;
    this.#kv.put<StoredMark>(STORED_AS, { checkpoint, seq });
    this.#seq = seq;
  }

  /** Deletes the mark, in a checkpoint and after D1 was restored. */
  delete(tx: Transaction): void {
    if (this.#seq === 0) return;
    this.#kv.delete(STORED_AS);
    tx.afterCommit(() => {
      this.#seq = 0;
    });
  }
}
