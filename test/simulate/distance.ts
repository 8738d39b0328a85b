/**
 * Random delays of calls and lost answers. Used by the workers (`worker/faulty.ts`) and by the process
 * that stands in for D1 (`d1-judge.ts`). Pure.
 */
import type { Random } from "../random.ts";

/**
 * Response header with the bindings of the objects whose answers were lost on the way to the router,
 * separated by commas.
 */
export const DROPPED_HEADER = "x-simulator-dropped";

/** The callees with a delay. D1 has one for the objects too. */
export type Place = "object" | "d1" | "kv" | "r2" | "hub";

/** Round trip in milliseconds; `tail_ms` is the longest of the few slow ones. */
interface Span {
  min_ms: number;
  max_ms: number;
  tail_ms: number;
}

const SPANS: Record<Place, Span> = {
  object: { min_ms: 5, max_ms: 80, tail_ms: 500 },
  d1: { min_ms: 2, max_ms: 50, tail_ms: 300 },
  kv: { min_ms: 2, max_ms: 50, tail_ms: 300 },
  r2: { min_ms: 5, max_ms: 80, tail_ms: 500 },
  hub: { min_ms: 20, max_ms: 200, tail_ms: 1_000 },
};

/** The part of the calls that is in the tail. */
const TAIL_PART = 0.02;
/** The part of the lost answers that never arrive; for the others the connection breaks at once. */
const SILENT_PART = 0.2;

export interface Distance {
  /** Percent of the spans above; 0 is no delay. */
  percent: number;
  /** Of 1,000 calls to objects, how many are carried out and then lose their answers. */
  drop_per_1000: number;
  seed: number;
}

export const NO_DISTANCE: Distance = { percent: 0, drop_per_1000: 0, seed: 0 };

/** Round trip in milliseconds; short ones are more frequent than long ones. */
export function drawDelay(place: Place, { percent }: Distance, random: Random): number {
  const { min_ms, max_ms, tail_ms } = SPANS[place];
  const part = random();
  const ms =
    random() < TAIL_PART
      ? max_ms + part * (tail_ms - max_ms)
      : min_ms + part ** 2 * (max_ms - min_ms);
  return (ms * percent) / 100;
}

/** What happens to an object's answer. */
export type Loss = "none" | "breaks" | "silence";

export function drawLoss({ drop_per_1000 }: Distance, random: Random): Loss {
  if (random() * 1_000 >= drop_per_1000) return "none";
  return random() < SILENT_PART ? "silence" : "breaks";
}

/** 32-bit FNV-1a. Seeds a call's random numbers with its content. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
