/**
 * A run: sorted 64-bit keys that do not change, as a stored row has them. Nothing is built to read a
 * row; one pass checks that it is sorted.
 *
 * Keys are keyed hashes, evenly spread, so the place of one is known to within the root of their
 * number: a look-up guesses twice, and touches three or four cache lines where a binary search
 * touches ten. Were keys chosen to mislead it, it is a binary search after that.
 */
import { FEW_KEYS, type Halves, hasBetween, isBefore, KeyBuckets } from "./key-buckets.ts";
import { notZero } from "./key-list.ts";

const GUESSES = 2;

export class KeyRun {
  /** Sorted as 64-bit numbers of a little-endian machine: by last halves, then by first. */
  readonly keys: Int32Array<ArrayBuffer>;

  private constructor(keys: Int32Array<ArrayBuffer>) {
    this.keys = keys;
  }

  /** Reads the row in place if it is sorted; older code did not sort. */
  static ofRow(row: ArrayBuffer): KeyRun {
    const keys = new Int32Array(row);
    return isSorted(keys) ? new KeyRun(keys) : KeyRun.of([keys]);
  }

  /** The parts must not share any key. Takes 15 to 30 ns a key. */
  static of(parts: readonly Halves[]): KeyRun {
    return new KeyRun(KeyBuckets.of(parts).sort());
  }

  get size(): number {
    return this.keys.length / 2;
  }

  get bytes(): number {
    return this.keys.byteLength;
  }

  has(high: number, low: number): boolean {
    const { keys, size } = this;
    const last = notZero(low);
    // The key is at `from` or after it, and before `to`, if it is in the run.
    let from = 0;
    let to = size;
    const per_number = size / 2 ** 32;
    let guess = Math.floor((last >>> 0) * per_number);
    for (let i = 0; i < GUESSES && to - from > FEW_KEYS; i += 1) {
      if (isBefore(high, last, keys, guess)) to = guess;
      else from = guess;
      const off = (last >>> 0) - ((keys[2 * guess + 1] ?? 0) >>> 0);
      guess = Math.min(Math.max(guess + Math.floor(off * per_number), from), to - 1);
    }
    const below = guess - FEW_KEYS / 2;
    if (below > from && !isBefore(high, last, keys, below)) from = below;
    const above = guess + FEW_KEYS / 2;
    if (above < to && isBefore(high, last, keys, above)) to = above;
    return hasBetween(keys, from, to, high, last);
  }
}

function isSorted(keys: Halves): boolean {
  let before = 0;
  for (let at = 1; at < keys.length; at += 2) {
    const low = (keys[at] ?? 0) >>> 0;
    if (low < before) return false;
    if (low === before && at > 1 && isBefore(keys[at - 1] ?? 0, low, keys, (at - 3) / 2))
      return false;
    before = low;
  }
  return true;
}
