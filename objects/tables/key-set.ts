/**
 * A set of 64-bit keys (16 hex digits) that holds millions: a page with 1,000 events a second has
 * 3.6 million event ids in an hour, which as strings in a `Set` would not fit into an object's
 * memory.
 *
 * Most keys are settled: grouped into buckets that are stored one after the other, at 8.5 bytes a
 * key. Two passes put them there, one that counts and one that writes, in 20 ns a key. That is a
 * third of the time of inserting them into a hash table one by one when an object wakes. New keys
 * go into a small hash table beside the settled ones; when it is full, all keys are settled again.
 *
 * The place of a key depends on a random seed of the set, so that nobody can choose keys that
 * collide.
 */

/** Bytes of one key. */
export const KEY_BYTES = 8;

/** The number whose last byte in memory is 1. */
const ONE = 0x01_00_00_00;

/** Upper bound of the average number of settled keys in a bucket; the lower bound is half of it. */
const BUCKET_KEYS = 16;
/** Room for new keys, as a part of the settled ones, and its minimum. */
const RECENT_PART = 0.25;
const RECENT_MIN = 64;
/**
 * Highest load of the hash table of new keys. With `RECENT_PART` it bounds memory to 11.5 bytes a
 * key.
 */
const MAX_LOAD = 0.7;

/**
 * Keys as numbers: first and second half of the first key, then of the second key and so on. A
 * packed row has the same bytes, so that a row of a megabyte is read through a view. A second half
 * is never 0.
 */
type Halves = Int32Array;

export class KeySet {
  readonly #seed: number;
  readonly #factor: number;
  /** Rows whose keys are not settled yet; the first look-up settles them. */
  #rows: ArrayBuffer[] = [];
  /** The settled keys, bucket by bucket. */
  #settled: Halves = new Int32Array(0);
  /** The end of each bucket, as a number of keys. */
  #ends = new Uint32Array(2);
  /** A hash shifted right by this is the number of its bucket. */
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

  /**
   * Most keys that a look-up compares: those of the fullest bucket and of the longest run of new
   * keys.
   */
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

  /**
   * Adds the keys of a packed row; the set must have none of them. The work is done by the next
   * look-up.
   */
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
   * The upper bits choose the place. Keys that differ in only one half stay different until the
   * last step, a multiplication by a random odd number. After it, two keys share their upper bits
   * at most twice as often as random numbers do (multiply-shift: Dietzfelbinger et al. 1997, "A
   * reliable randomized algorithm for the closest-pair problem").
   */
  #hash(high: number, low: number): number {
    let hash = Math.imul(high ^ this.#seed, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15) ^ low, 0xc2b2ae35);
    return Math.imul(hash ^ (hash >>> 13), this.#factor) >>> 0;
  }

  /** The settled keys, after settling those of all rows. */
  #kept(): Halves {
    if (this.#rows.length > 0) {
      const rows = this.#rows.map((row) => new Int32Array(row));
      this.#rows = [];
      this.#build([this.#settled, ...rows]);
    }
    return this.#settled;
  }

  /** Settles the new keys and makes an empty table for further ones. */
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
    // First the begin of each bucket, then, while keys are written to it, the place of its next
    // key.
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

/** Packs keys into one row, 8 bytes each, in the order of their digits. */
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
 * Eight hex digits as a number with the first digits in its lowest byte, which is the first in
 * memory on every machine that V8 supports. A second half of 0 would mean a free place, so callers
 * replace it by `ONE`: the chance that two keys become equal by that is one in 2^63.
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
