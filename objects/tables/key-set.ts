/**
 * A set of 64-bit keys (16 hex digits) for what must be remembered by the million: a page with 1,000 events
 * a second holds 3.6 million event ids, which as strings in a `Set` would not fit into an object's memory.
 *
 * Most keys are settled: grouped into buckets that lie one after the other, at 8.5 bytes a key. They are
 * put there in two passes, one that counts and one that writes, which takes 20 ns a key: a third of the time
 * of inserting them into a hash table one by one, which is what an object's waking would cost. New keys
 * go into a small hash table beside them, and when it is full all are settled anew.
 *
 * Where a key lies depends on a random seed of the set's own, so that nobody can choose keys that collide.
 */

/** Bytes of one key. */
export const KEY_BYTES = 8;

/** The number whose last byte in memory is 1. */
const ONE = 0x01_00_00_00;

/** Settled keys of one bucket, at most on average; at least half as many. */
const BUCKET_KEYS = 16;
/** New keys that are kept beside the settled ones: a part of these, and never fewer than the minimum. */
const RECENT_PART = 0.25;
const RECENT_MIN = 64;
/** The hash table of the new keys is never fuller. With `RECENT_PART` it bounds the memory to 11.5 bytes a key. */
const MAX_LOAD = 0.7;

/**
 * Keys as numbers: first and second half of the first key, of the second and so on. They are the bytes of a
 * packed row as they are, so that a row of a megabyte is read by a view on it. A second half is never 0.
 */
type Halves = Int32Array;

export class KeySet {
  readonly #seed: number;
  readonly #factor: number;
  /** Rows whose keys are not settled yet, because nobody has asked for one. */
  #rows: ArrayBuffer[] = [];
  /** The settled keys, bucket by bucket. */
  #settled: Halves = new Int32Array(0);
  /** The place behind each bucket's last key. */
  #ends = new Uint32Array(2);
  /** What is left of a hash when it is shifted by this is the bucket. */
  #shift = 31;
  /** The new keys, a hash table with linear probing; a lower half of 0 marks a free place. */
  #recent: Halves = new Int32Array(2);
  #recents = 0;

  constructor() {
    const [seed = 0, factor = 0] = crypto.getRandomValues(new Int32Array(2));
    this.#seed = seed;
    this.#factor = factor | 1;
  }

  /** Keys in the set. */
  get size(): number {
    return this.#kept().length / 2 + this.#recents;
  }

  /** Bytes of memory the set takes. */
  get bytes(): number {
    return this.#kept().byteLength + this.#ends.byteLength + this.#recent.byteLength;
  }

  /** Keys that the longest look-up compares: at most those of the fullest bucket and the longest run of new ones. */
  get steps(): number {
    this.#kept();
    const buckets = this.#ends.map((end, i) => end - (this.#ends[i - 1] ?? 0));
    let run = 0;
    let longest = 0;
    for (let at = 0; at < this.#recent.length; at += 2) {
      run = this.#recent[at + 1] === 0 ? 0 : run + 1;
      longest = Math.max(longest, run);
    }
    return buckets.reduce((most, keys) => Math.max(most, keys), 0) + longest;
  }

  has(key: string): boolean {
    const high = half(key, 0);
    const low = half(key, 8) || ONE;
    const hash = this.#hash(high, low);
    return (
      this.#isSettled(high, low, hash) ||
      (this.#recents > 0 && this.#recent[this.#find(high, low, hash) + 1] !== 0)
    );
  }

  /** Adds a key; answers whether it was new. */
  add(key: string): boolean {
    const high = half(key, 0);
    const low = half(key, 8) || ONE;
    const hash = this.#hash(high, low);
    if (this.#isSettled(high, low, hash)) return false;
    let at = this.#find(high, low, hash);
    if (this.#recent[at + 1] !== 0) return false;
    if (this.#recents + 1 > (this.#recent.length / 2) * MAX_LOAD) {
      this.#settle();
      at = this.#find(high, low, hash);
    }
    this.#recent[at] = high;
    this.#recent[at + 1] = low;
    this.#recents += 1;
    return true;
  }

  /** Adds every key of a packed row, none of which it has. Costs nothing until the set is asked. */
  addPacked(packed: ArrayBuffer): void {
    this.#rows.push(packed);
  }

  #isSettled(high: number, low: number, hash: number): boolean {
    const keys = this.#kept();
    const bucket = hash >>> this.#shift;
    const end = 2 * (this.#ends[bucket] ?? 0);
    for (let at = bucket === 0 ? 0 : 2 * (this.#ends[bucket - 1] ?? 0); at < end; at += 2) {
      if (keys[at + 1] === low && keys[at] === high) return true;
    }
    return false;
  }

  /** Index of the new key's place, or of the free one where it belongs. */
  #find(high: number, low: number, hash: number): number {
    const recent = this.#recent;
    let at = 2 * Math.floor((hash / 2 ** 32) * (recent.length / 2));
    while (recent[at + 1] !== 0 && !(recent[at + 1] === low && recent[at] === high)) {
      at = at + 2 === recent.length ? 0 : at + 2;
    }
    return at;
  }

  /**
   * Its upper bits choose the place. Keys that differ in one half only are different until the last step, a
   * multiplication by a random odd number, after which two of them share their upper bits no more often than
   * twice what chance would have it (multiply-shift: Dietzfelbinger et al. 1997, "A reliable randomized
   * algorithm for the closest-pair problem").
   */
  #hash(high: number, low: number): number {
    let hash = Math.imul(high ^ this.#seed, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15) ^ low, 0xc2b2ae35);
    return Math.imul(hash ^ (hash >>> 13), this.#factor) >>> 0;
  }

  /** The settled keys, with those of all rows among them. */
  #kept(): Halves {
    if (this.#rows.length > 0) {
      const rows = this.#rows.map((row) => new Int32Array(row));
      this.#rows = [];
      this.#build([this.#settled, ...rows]);
    }
    return this.#settled;
  }

  /** Settles the new keys and makes room for as many as a part of them all. */
  #settle(): void {
    if (this.#recents > 0) this.#build([this.#kept(), withoutFree(this.#recent, this.#recents)]);
    const room = Math.max(RECENT_MIN, this.#settled.length * 0.5 * RECENT_PART);
    this.#recent = new Int32Array(2 * Math.ceil((room + 1) / MAX_LOAD));
    this.#recents = 0;
  }

  #build(parts: readonly Halves[]): void {
    const total = parts.reduce((sum, { length }) => sum + length / 2, 0);
    let bits = 1;
    while (2 ** bits * BUCKET_KEYS < total) bits += 1;
    const shift = 32 - bits;
    // First where each bucket begins, then, while keys are written to it, where the next one goes.
    const ends = new Uint32Array(2 ** bits + 1);
    for (const part of parts) {
      for (let at = 0; at < part.length; at += 2) {
        const bucket = this.#hash(part[at] ?? 0, part[at + 1] ?? 0) >>> shift;
        ends[bucket + 1] = (ends[bucket + 1] ?? 0) + 1;
      }
    }
    for (let next = 1; next < ends.length; next += 1) {
      ends[next] = (ends[next] ?? 0) + (ends[next - 1] ?? 0);
    }
    const settled = new Int32Array(2 * total);
    for (const part of parts) {
      for (let at = 0; at < part.length; at += 2) {
        const high = part[at] ?? 0;
        const low = part[at + 1] ?? 0;
        const bucket = this.#hash(high, low) >>> shift;
        const place = ends[bucket] ?? 0;
        settled[2 * place] = high;
        settled[2 * place + 1] = low;
        ends[bucket] = place + 1;
      }
    }
    this.#settled = settled;
    this.#ends = ends;
    this.#shift = shift;
  }
}

/** Packs keys into one row, 8 bytes each, as their digits say. */
export function pack(keys: readonly string[]): ArrayBuffer {
  const halves = new Int32Array((keys.length * KEY_BYTES) / 4);
  keys.forEach((key, i) => {
    halves[2 * i] = half(key, 0);
    halves[2 * i + 1] = half(key, 8) || ONE;
  });
  return halves.buffer;
}

function withoutFree(table: Halves, keys: number): Halves {
  const kept = new Int32Array(2 * keys);
  let to = 0;
  for (let at = 0; at < table.length; at += 2) {
    if (table[at + 1] === 0) continue;
    kept[to] = table[at] ?? 0;
    kept[to + 1] = table[at + 1] ?? 0;
    to += 2;
  }
  return kept;
}

/**
 * Eight hex digits as a number whose lowest byte comes first in memory, as everywhere V8 runs. A second half
 * of 0 would read as a free place, so callers take it for 1: one more chance in 2^63 that two keys are one.
 */
function half(key: string, from: number): number {
  let n = 0;
  for (let i = from + 6; i >= from; i -= 2) {
    n = (n << 8) | (digit(key.charCodeAt(i)) << 4) | digit(key.charCodeAt(i + 1));
  }
  return n;
}

function digit(code: number): number {
  return (code & 15) + (code >> 6) * 9;
}
