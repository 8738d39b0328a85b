/**
 * The event keys that a page has accepted in the last hour, so that a retried event is recognised
 * (docs/contract.md section 2, promise 2). They are kept in generations of ten minutes, and
 * forgotten a whole generation at a time.
 *
 * Only in memory; rebuilt from the `journal` and `checkpoints` tables.
 */
import { HOUR_MS, MINUTE_MS } from "../platform/clock.ts";
import { KeySet } from "./key-set.ts";

/** One hour is promised; five minutes more keep the promise when a clock steps forward. */
export const REMEMBER_MS = HOUR_MS + 5 * MINUTE_MS;
const GENERATION_MS = 10 * MINUTE_MS;

export class RecentIds {
  /** Oldest first: after a step back of the clock, keys go into the newest generation. */
  readonly #generations = new Map<number, KeySet>();
  #newest = 0;

  has(key: string): boolean {
    for (const keys of this.#generations.values()) if (keys.has(key)) return true;
    return false;
  }

  /** Adds a key that was accepted at `at_ms`. */
  add(key: string, at_ms: number): void {
    this.#generation(at_ms).add(key);
  }

  /** Adds a packed row of keys, the newest of which was accepted at `at_ms`. */
  addPacked(keys: ArrayBuffer, at_ms: number): void {
    this.#generation(at_ms).addPacked(keys);
  }

  /** Drops the generations in which every key is older than `REMEMBER_MS`. */
  forget(now: number): void {
    for (const generation of this.#generations.keys()) {
      if ((generation + 1) * GENERATION_MS > now - REMEMBER_MS) break;
      this.#generations.delete(generation);
    }
  }

  /** Number of keys, and the bytes of memory that they take. */
  get size(): number {
    return this.#sum((keys) => keys.size);
  }
  get bytes(): number {
    return this.#sum((keys) => keys.bytes);
  }

  #sum(of: (keys: KeySet) => number): number {
    let sum = 0;
    for (const keys of this.#generations.values()) sum += of(keys);
    return sum;
  }

  #generation(at_ms: number): KeySet {
    this.#newest = Math.max(this.#newest, Math.floor(at_ms / GENERATION_MS));
    let keys = this.#generations.get(this.#newest);
    if (keys === undefined) {
      keys = new KeySet();
      this.#generations.set(this.#newest, keys);
    }
    return keys;
  }
}
