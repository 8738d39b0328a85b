/**
 * 64-bit keys in buckets that are stored one after the other, at 8.5 bytes a key. Two passes put
 * them there, one that counts and one that writes. The upper bits of a key's last half choose its
 * bucket, so sorted keys are read and written in order, in 10 ns each.
 *
 * Keys are keyed hashes, so a bucket has 8 to 16 of them on average, and a look-up touches two or
 * three cache lines. A bucket with many, which only chosen keys could make, is sorted and searched
 * in log n steps.
 */
import { KEY_BYTES, notZero } from "./key-list.ts";

/** A bucket has at most this many keys on average, and at least half as many. */
const BUCKET_KEYS = 16;
export const FEW_KEYS = 32;

/** First and last half of each key by turns, as an `Int32Array` over a row's bytes reads them. */
export type Halves = Int32Array<ArrayBufferLike>;

export class KeyBuckets {
  readonly #keys: Int32Array<ArrayBuffer>;
  readonly #ends: Uint32Array;
  readonly #shift: number;

  private constructor(keys: Int32Array<ArrayBuffer>, ends: Uint32Array, shift: number) {
    this.#keys = keys;
    this.#ends = ends;
    this.#shift = shift;
  }

  /** The parts must not share any key. */
  static of(parts: readonly Halves[]): KeyBuckets {
    const total = parts.reduce((sum, { length }) => sum + length / 2, 0);
    let bits = 1;
    while (2 ** bits * BUCKET_KEYS < total) bits += 1;
    const shift = 32 - bits;
    // An entry is first the begin of its bucket, then the place of the bucket's next key, and in
    // the end the end of the bucket.
    const ends = new Uint32Array(2 ** bits + 1);
    for (const part of parts) count(part, ends, shift);
    for (let next = 1; next < ends.length; next += 1) {
      ends[next] = (ends[next] ?? 0) + (ends[next - 1] ?? 0);
    }
    const keys = new Int32Array(2 * total);
    for (const part of parts) spread(part, keys, ends, shift);
    const buckets = new KeyBuckets(keys, ends, shift);
    buckets.#sortLarge();
    return buckets;
  }

  get size(): number {
    return this.#keys.length / 2;
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#ends.byteLength;
  }

  get keys(): Int32Array<ArrayBuffer> {
    return this.#keys;
  }

  has(high: number, low: number): boolean {
    const last = notZero(low);
    const bucket = last >>> this.#shift;
    const from = bucket === 0 ? 0 : (this.#ends[bucket - 1] ?? 0);
    return hasBetween(this.#keys, from, this.#ends[bucket] ?? 0, high, last);
  }

  /** Sorts 64-bit numbers with the lowest byte first. Takes 15 ns a key. */
  sort(): Int32Array<ArrayBuffer> {
    let from = 0;
    for (const to of this.#ends) {
      if (to - from <= FEW_KEYS) sortFew(this.#keys, from, to);
      from = to;
    }
    return this.#keys;
  }

  #sortLarge(): void {
    let from = 0;
    for (const to of this.#ends) {
      if (to - from > FEW_KEYS) {
        new BigUint64Array(this.#keys.buffer, KEY_BYTES * from, to - from).sort();
      }
      from = to;
    }
  }
}

/** If more than `FEW_KEYS` keys are between the two indexes, they are sorted. */
export function hasBetween(
  keys: Halves,
  begin: number,
  end: number,
  high: number,
  low: number,
): boolean {
  let from = begin;
  let to = end;
  while (to - from > FEW_KEYS) {
    const middle = (from + to) >>> 1;
    if (isBefore(high, low, keys, middle)) to = middle;
    else from = middle;
  }
  for (let at = 2 * from; at < 2 * to; at += 2) {
    if (keys[at + 1] === low && keys[at] === high) return true;
  }
  return false;
}

/** Compares last halves, then first, both without a sign. */
export function isBefore(high: number, low: number, keys: Halves, index: number): boolean {
  const own = low >>> 0;
  const other = (keys[2 * index + 1] ?? 0) >>> 0;
  return own < other || (own === other && high >>> 0 < (keys[2 * index] ?? 0) >>> 0);
}

function count(part: Halves, counts: Uint32Array, shift: number): void {
  for (let at = 1; at < part.length; at += 2) {
    const bucket = (part[at] ?? 0) >>> shift;
    counts[bucket + 1] = (counts[bucket + 1] ?? 0) + 1;
  }
}

function spread(part: Halves, keys: Halves, places: Uint32Array, shift: number): void {
  for (let at = 0; at < part.length; at += 2) {
    const low = part[at + 1] ?? 0;
    const bucket = low >>> shift;
    const place = places[bucket] ?? 0;
    keys[2 * place] = part[at] ?? 0;
    keys[2 * place + 1] = low;
    places[bucket] = place + 1;
  }
}

function sortFew(keys: Halves, from: number, to: number): void {
  for (let next = from + 1; next < to; next += 1) {
    const high = keys[2 * next] ?? 0;
    const low = keys[2 * next + 1] ?? 0;
    let at = next;
    while (at > from && isBefore(high, low, keys, at - 1)) {
      keys[2 * at] = keys[2 * at - 2] ?? 0;
      keys[2 * at + 1] = keys[2 * at - 1] ?? 0;
      at -= 1;
    }
    keys[2 * at] = high;
    keys[2 * at + 1] = low;
  }
}
