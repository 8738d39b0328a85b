/**
 * 64-bit keys as numbers: keyed hashes of events and of visitors, by which they are recognised. Read
 * from bytes that hold millions of them, a key is two numbers of 32 bits and never a string.
 */

export const KEY_BYTES = 8;

/** Halves of a key, as an `Int32Array` over its bytes reads them. `low` is never 0. */
export interface Key {
  readonly high: number;
  readonly low: number;
}

/** The number whose last byte in memory is 1. */
const ONE = 0x01_00_00_00;
const ROOM_MIN = 16;

/** 0 marks a free place of a hash table. Two keys become equal by this once in 2^63. */
export function notZero(low: number): number {
  return low || ONE;
}

export function keyOf(hex: string): Key {
  return { high: half(hex, 0), low: notZero(half(hex, 8)) };
}

export function hexOf({ high, low }: Key): string {
  return digitsOf(high) + digitsOf(low);
}

export class KeyList {
  #halves = new Int32Array(2 * ROOM_MIN);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(high: number, low: number): void {
    const at = 2 * this.#length;
    if (at === this.#halves.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.#halves);
      this.#halves = larger;
    }
    this.#halves[at] = high;
    this.#halves[at + 1] = notZero(low);
    this.#length += 1;
  }

  high(index: number): number {
    return this.#halves[2 * index] ?? 0;
  }

  low(index: number): number {
    return this.#halves[2 * index + 1] ?? 0;
  }

  /** Not a copy: the list still grows. A key has two numbers. */
  halves(from = 0, to = this.#length): Int32Array {
    return this.#halves.subarray(2 * from, 2 * Math.min(to, this.#length));
  }

  clear(): void {
    this.#halves = new Int32Array(2 * ROOM_MIN);
    this.#length = 0;
  }
}

/** The first digits are in the lowest byte of the number, which is first in memory. */
function half(hex: string, from: number): number {
  let n = 0;
  for (let i = from + 6; i >= from; i -= 2) {
    n = (n << 8) | (digit(hex.charCodeAt(i)) << 4) | digit(hex.charCodeAt(i + 1));
  }
  return n;
}

function digit(code: number): number {
  return (code & 15) + (code >> 6) * 9;
}

function digitsOf(half: number): string {
  const swapped = ((half & 0xff) << 24) | ((half & 0xff00) << 8) | ((half >> 8) & 0xff00);
  return ((swapped | (half >>> 24)) >>> 0).toString(16).padStart(8, "0");
}
