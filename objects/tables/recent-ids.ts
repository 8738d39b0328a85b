/**
 * The event keys a page has accepted in the last hour, so that an event sent again is recognised
 * (docs/contract.md section 2, promise 2). Kept by generations of ten minutes: forgetting drops a whole
 * generation instead of hunting for single keys.
 *
 * The index is memory; what it is rebuilt from lives in the `journal` and `checkpoints` tables.
 */
import { HOUR_MS, MINUTE_MS } from "../platform/clock.ts";
import { KeySet } from "./key-set.ts";

/** Contract: one hour. Five minutes more, so that a clock that jumps forward breaks no promise. */
export const REMEMBER_MS = HOUR_MS + 5 * MINUTE_MS;
const GENERATION_MS = 10 * MINUTE_MS;

export class RecentIds {
  /** Oldest first: the clock of an object never makes an older generation after a newer one. */
  readonly #generations = new Map<number, KeySet>();
  #newest = 0;

  has(key: string): boolean {
    for (const keys of this.#generations.values()) if (keys.has(key)) return true;
    return false;
  }

  /** Remembers a key accepted at `at_ms`. A clock that steps back adds to the newest generation. */
  add(key: string, at_ms: number): void {
    this.#generation(at_ms).add(key);
  }

  /** Remembers a packed row of keys, the newest of which was accepted at `at_ms`. */
  addPacked(keys: ArrayBuffer, at_ms: number): void {
    this.#generation(at_ms).addPacked(keys);
  }

  /** Forgets the generations in which every key is older than the promise. */
  forget(now: number): void {
    for (const generation of this.#generations.keys()) {
      if ((generation + 1) * GENERATION_MS > now - REMEMBER_MS) break;
      this.#generations.delete(generation);
    }
  }

  /** Keys remembered, and the bytes of memory they take. */
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
