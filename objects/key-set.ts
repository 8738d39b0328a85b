/**
 * A set of 64-bit keys (16 hex digits) in 8 bytes each, for what must be remembered by the million:
 * a page with 1,000 events a second holds 3.6 million event ids, which as strings in a `Set` would
 * not fit into an object's memory.
 *
 * Open addressing with linear probing. The keys are hashes already, so their upper half chooses
 * the place.
 */

/** Bytes of one key. */
export const KEY_BYTES = 8;

/** Places in an empty set. */
const INITIAL_PLACES = 16;
/** Fuller than this, a set grows by half; the two numbers bound the memory to 15 bytes a key. */
const MAX_LOAD = 0.8;
const GROWTH = 1.5;

export class KeySet {
  #size = 0;
  #places = INITIAL_PLACES;
  /** Upper and lower halves of the keys, two numbers a place; (0, 0) marks a free one. */
  #slots = new Uint32Array(2 * INITIAL_PLACES);

  get size(): number {
    return this.#size;
  }

  /** Bytes of memory the table takes. */
  get bytes(): number {
    return this.#slots.byteLength;
  }

  has(key: string): boolean {
    const [high, low] = halves(key);
    return this.#slots[this.#find(high, low) + 1] !== 0;
  }

  /** Adds a key; answers whether it was new. */
  add(key: string): boolean {
    const [high, low] = halves(key);
    return this.#add(high, low);
  }

  /** Adds every key of a packed row. */
  addPacked(packed: ArrayBuffer): void {
    const view = new DataView(packed);
    for (let at = 0; at < packed.byteLength; at += KEY_BYTES) {
      this.#add(view.getUint32(at), view.getUint32(at + 4));
    }
  }

  #add(high: number, low: number): boolean {
    if (this.#size + 1 > this.#places * MAX_LOAD) this.#grow();
    const at = this.#find(high, low);
    if (this.#slots[at + 1] !== 0) return false;
    this.#slots[at] = high;
    this.#slots[at + 1] = low;
    this.#size += 1;
    return true;
  }

  /** Index of the key's slot, or of the free one where it belongs. */
  #find(high: number, low: number): number {
    let place = Math.floor((high / 2 ** 32) * this.#places);
    for (;;) {
      const at = 2 * place;
      if (this.#slots[at + 1] === 0) return at;
      if (this.#slots[at + 1] === low && this.#slots[at] === high) return at;
      place = place + 1 === this.#places ? 0 : place + 1;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#places = Math.ceil(this.#places * GROWTH);
    this.#slots = new Uint32Array(2 * this.#places);
    this.#size = 0;
    for (let at = 0; at < old.length; at += 2) {
      const low = old[at + 1] ?? 0;
      if (low !== 0) this.#add(old[at] ?? 0, low);
    }
  }
}

/** Packs keys into one row, 8 bytes each, big-endian. */
export function pack(keys: readonly string[]): ArrayBuffer {
  const packed = new ArrayBuffer(keys.length * KEY_BYTES);
  const view = new DataView(packed);
  keys.forEach((key, i) => {
    const [high, low] = halves(key);
    view.setUint32(i * KEY_BYTES, high);
    view.setUint32(i * KEY_BYTES + 4, low);
  });
  return packed;
}

/** A lower half of 0 would read as a free slot, so it counts as 1: one more chance in 2^63. */
function halves(key: string): [high: number, low: number] {
  return [Number.parseInt(key.slice(0, 8), 16), Number.parseInt(key.slice(8, 16), 16) || 1];
}
