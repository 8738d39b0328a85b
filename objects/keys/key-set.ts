/**
 * A set of 64-bit keys that holds millions: the visitors of a day. Most of them are settled in
 * buckets, at 8.5 bytes a key, and new ones go into a hash table beside them. When the table has a
 * quarter as many keys as the buckets, all are settled again: 50 ns for each key that came.
 */
import { KeyBuckets } from "./key-buckets.ts";
import { KeyTable } from "./key-table.ts";

/** A part of the settled keys. With the load of a table: 11.5 bytes of memory a key. */
const RECENT_PART = 0.25;
const RECENT_MIN = 64;

export class KeySet {
  /** The first look-up settles the keys of these rows. */
  #rows: Int32Array[] = [];
  #settled = KeyBuckets.of([]);
  #recent = new KeyTable(RECENT_MIN);

  get size(): number {
    return this.#kept().size + this.#recent.size;
  }

  get bytes(): number {
    return this.#kept().bytes + this.#recent.bytes;
  }

  has(high: number, low: number): boolean {
    return this.#kept().has(high, low) || this.#recent.has(high, low);
  }

  add(high: number, low: number): boolean {
    if (this.#kept().has(high, low) || !this.#recent.add(high, low)) return false;
    const room = Math.max(RECENT_MIN, this.#settled.size * RECENT_PART);
    if (this.#recent.size >= room) {
      this.#settled = KeyBuckets.of([this.#settled.keys, this.#recent.keys()]);
      this.#recent = new KeyTable(Math.max(RECENT_MIN, this.#settled.size * RECENT_PART));
    }
    return true;
  }

  /** The set must have none of the row's keys. The next look-up does the work: 10 ns a key. */
  addPacked(packed: ArrayBuffer): void {
    this.#rows.push(new Int32Array(packed));
  }

  #kept(): KeyBuckets {
    if (this.#rows.length > 0) {
      this.#settled = KeyBuckets.of([this.#settled.keys, ...this.#rows]);
      this.#rows = [];
    }
    return this.#settled;
  }
}
