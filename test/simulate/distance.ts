/**
 * How long calls are on their way, which of their answers get lost, and how that is drawn. Used by the workers
 * (`worker/faulty.ts`) and by the process that stands for D1 (`d1-judge.ts`). Pure.
 */
import type { Random } from "../random.ts";

/** Header of answers to requests whose routers lost answers of objects: the bindings of these, with commas. */
export const DROPPED_HEADER = "x-simulator-dropped";

/** What is at a distance from a router, and D1 from the objects too. */
export type Place = "object" | "d1" | "kv" | "r2" | "hub";

/** Milliseconds there and back; `tail_ms` is the longest of the few slow ones. */
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

/** Of all calls, those in the tail. */
const TAIL_PART = 0.02;
/** Of the answers that get lost, those after which nothing comes; the others break at once. */
const SILENT_PART = 0.2;

export interface Distance {
  /** Of the spans above; 0 takes all distance away. */
  percent: number;
  /** Of 1,000 calls to objects, those that are carried out and whose answers get lost. */
  drop_per_1000: number;
  seed: number;
}

export const NO_DISTANCE: Distance = { percent: 0, drop_per_1000: 0, seed: 0 };

/** Milliseconds there and back, short ones more often than long ones. */
export function drawDelay(place: Place, { percent }: Distance, random: Random): number {
  const { min_ms, max_ms, tail_ms } = SPANS[place];
  const part = random();
  const ms =
    random() < TAIL_PART
      ? max_ms + part * (tail_ms - max_ms)
      : min_ms + part ** 2 * (max_ms - min_ms);
  return (ms * percent) / 100;
}

/** What becomes of an answer of an object. */
export type Loss = "none" | "breaks" | "silence";

export function drawLoss({ drop_per_1000 }: Distance, random: Random): Loss {
  if (random() * 1_000 >= drop_per_1000) return "none";
  return random() < SILENT_PART ? "silence" : "breaks";
}

/** 32 bits of a text, FNV-1a: what is drawn for a call depends on what it says. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
