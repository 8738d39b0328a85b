/**
 * The event keys that a page has accepted in the last hour, so that a retried event is recognised
 * (docs/contract.md section 2, promise 2).
 *
 * Memory has them as they are stored: a sorted run for each row of `checkpoints`, and a hash table
 * with the keys of the journal. So waking builds nothing, and keys are forgotten a row at a time. A
 * checkpoint continues the last row for ten minutes and up to a size, so 3.6 million keys are in 24
 * runs.
 *
 * Nearly every key that is looked up is new, and a filter says so without a look at the runs. After
 * waking it takes one run after the other, while keys are looked up.
 */

import { KeyFilter } from "../../keys/key-filter.ts";
import { KeyRun } from "../../keys/key-run.ts";
import { KeyTable } from "../../keys/key-table.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/transaction.ts";

/** One hour is promised; five minutes more keep the promise when a clock steps forward. */
export const REMEMBER_MS = HOUR_MS + 5 * MINUTE_MS;
/** A key may be remembered for this much longer, with later ones of its row. */
const ROW_MS = 10 * MINUTE_MS;
/** Keys in one row: 1.5 MB of the 2 MB that a row holds. */
const ROW_KEYS_MAX = 196_608;
/** Each time that this many keys were looked up, the filter takes a run: a millisecond at most. */
const FILTER_EVERY = 100;
/** The filter lasts until a fifth of its keys is new. */
const FILTER_ROOM = 1.25;

/** `at_ms` is the time of the newest key. */
interface Settled {
  at_ms: number;
  run: KeyRun;
}

export interface IdsRow {
  keys: ArrayBuffer;
  at_ms: number;
  /** Whether it replaces the last row, whose keys it has too. */
  continues: boolean;
}

export class RecentIds {
  readonly #settled: Settled[] = [];
  #recent = new KeyTable();
  /** Has the keys of the first `#filtered` runs, and of some that were forgotten. */
  #filter = new KeyFilter(0);
  #filtered = 0;
  #looked_up = 0;

  has(high: number, low: number): boolean {
    if (this.#recent.has(high, low)) return true;
    this.#looked_up += 1;
    if (this.#looked_up % FILTER_EVERY === 0) this.#filterNext();
    const from = this.#filter.mayHave(high, low) ? 0 : this.#filtered;
    for (let i = from; i < this.#settled.length; i += 1) {
      if (this.#settled[i]?.run.has(high, low)) return true;
    }
    return false;
  }

  add(high: number, low: number): void {
    this.#recent.add(high, low);
  }

  addPacked(keys: ArrayBuffer, at_ms: number): void {
    this.#settled.push({ at_ms, run: KeyRun.ofRow(keys) });
  }

  /** Takes the keys of the journal, of which there must be some. */
  checkpoint(tx: Transaction, now: number): IdsRow[] {
    const last = this.#settled.at(-1);
    const added = this.#recent.keys();
    const continues =
      last !== undefined &&
      Math.floor(last.at_ms / ROW_MS) === Math.floor(now / ROW_MS) &&
      last.run.size + this.#recent.size <= ROW_KEYS_MAX;
    const runs = continues ? [KeyRun.of([last.run.keys, added])] : runsOf(added);
    const at_ms = continues ? Math.max(last.at_ms, now) : now;
    tx.afterCommit(() => {
      if (continues) this.#replaceLast(added);
      for (const run of runs) this.#settled.push({ at_ms, run });
      this.#recent = new KeyTable(this.#recent.size);
    });
    return runs.map(({ keys }) => ({ keys: keys.buffer, at_ms, continues }));
  }

  forget(now: number): void {
    while ((this.#settled[0]?.at_ms ?? now) <= now - REMEMBER_MS) {
      this.#settled.shift();
      this.#filtered = Math.max(0, this.#filtered - 1);
    }
  }

  get size(): number {
    return this.#settledSize() + this.#recent.size;
  }
  get bytes(): number {
    const others = this.#recent.bytes + this.#filter.bytes;
    return this.#settled.reduce((sum, { run }) => sum + run.bytes, others);
  }

  #settledSize(): number {
    return this.#settled.reduce((sum, { run }) => sum + run.size, 0);
  }

  /** The run that follows has its keys too. */
  #replaceLast(added: Int32Array): void {
    const is_filtered = this.#filtered === this.#settled.length;
    this.#settled.pop();
    this.#filtered = Math.min(this.#filtered, this.#settled.length);
    if (is_filtered && this.#filter.room >= added.length / 2) {
      this.#filter.add(added);
      this.#filtered += 1;
    }
  }

  #filterNext(): void {
    const next = this.#settled[this.#filtered];
    if (next === undefined) return;
    if (this.#filter.room < next.run.size) {
      this.#filter = new KeyFilter(Math.ceil(this.#settledSize() * FILTER_ROOM));
      this.#filtered = 0;
    } else {
      this.#filter.add(next.run.keys);
      this.#filtered += 1;
    }
  }
}

function runsOf(keys: Int32Array): KeyRun[] {
  const runs: KeyRun[] = [];
  for (let from = 0; from < keys.length; from += 2 * ROW_KEYS_MAX) {
    runs.push(KeyRun.of([keys.subarray(from, from + 2 * ROW_KEYS_MAX)]));
  }
  return runs;
}
