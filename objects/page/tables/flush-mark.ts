/**
 * FlushMark: up to which row of the journal D1 has confirmed the page's events. It is one small
 * row, so that the events of a quiet page reach D1 without a checkpoint into five tables.
 *
 * Numbers of journal rows begin anew after each checkpoint, so a checkpoint deletes the mark.
 */
import type { Kv } from "../../platform/ports.ts";
import type { Transaction } from "../../platform/transaction.ts";

const STORED_AS = "flushed_to";

export class FlushMark {
  readonly #kv: Kv;
  #seq = 0;

  constructor(kv: Kv) {
    this.#kv = kv;
  }

  get seq(): number {
    return this.#seq;
  }

  load(): void {
    this.#seq = this.#kv.get<number>(STORED_AS) ?? 0;
  }

  store(seq: number): void {
    if (seq <= this.#seq) return;
    this.#kv.put<number>(STORED_AS, seq);
    this.#seq = seq;
  }

  delete(tx: Transaction): void {
    if (this.#seq === 0) return;
    this.#kv.delete(STORED_AS);
    tx.afterCommit(() => {
      this.#seq = 0;
    });
  }
}
