/** Reproducible random numbers: a run prints its seed, and the same seed makes the same run. */

/** Numbers in [0, 1). */
export type Random = () => number;

/** mulberry32: small, and the same on every machine. */
export function generator(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

/** A whole number from 0 to `below` - 1. */
export function integer(below: number, random: Random): number {
  return Math.floor(random() * below);
}

export function pick<T>(from: readonly [T, ...T[]], random: Random): T {
  return from[integer(from.length, random)] ?? from[0];
}
