/**
 * The faults of docs/faults.md that the model has, and which of them one run gets. Every run draws
 * its own mixture, so that over many seeds the faults meet in every combination.
 */
import { integer, type Random } from "../random.ts";
import type { Mood } from "./d1.ts";

/** The faults of the model. F18 (the limiter is down) and F19 (a stale edge cache) are tested over HTTP. */
export const FAULTS = [
  ...["F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12"],
  ...["F13", "F14", "F15", "F16", "F17", "F20", "F21", "F22", "F23", "F24", "F25", "F33", "F36"],
] as const;
export type Fault = (typeof FAULTS)[number];

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * A pause after which the next sweep rolls older hours into days. Nothing fails during the pause,
 * because a D1 that is down for so long would be called once a minute.
 */
export const SEASON_MS = 100 * 24 * HOUR_MS;

/** The result of a router's call to an object. The call is executed at most once, whatever the caller sees. */
export type Fate = "well" | "lost on the way there" | "lost on the way back" | "answered twice";

/** The faults of one run. Chances are per occasion, in [0, 1]. */
export interface Plan {
  fullDisk: number;
  alarmTwice: number;
  /** Of a call that an overloaded object turns away. */
  overload: number;
  /** Of each way in which a call to D1 may end badly, outages aside. */
  d1: Record<Exclude<Mood, "well">, number>;
  /** D1 refuses everything from … to …, in milliseconds of the run. */
  outage: { from_ms: number; to_ms: number } | null;
  /** How often in a burst the whole process is killed, a single object ended, an idle one evicted. */
  kills: number;
  aborts: number;
  evictions: number;
  lostAlarms: number;
  /** The objects' clock, and that of the routers, step by so much, once in a burst. Milliseconds. */
  clockSteps_ms: readonly number[];
  routerSteps_ms: readonly number[];
  /** Calls cross continents. */
  far: boolean;
  /** Of each way in which a router's call to an object may end badly. */
  calls: Record<Exclude<Fate, "well">, number>;
  /** Requests that meet in a router share calls. */
  shares: boolean;
  hangUps: number;
  /** How often in a burst a router is replaced by a new one. */
  replacements: number;
  /** How many pages are changed in a burst, and the chance that one of them then ends for good. */
  changes: number;
  ends: number;
  /** Of a burst with a sender far past its limit. */
  floods: number;
  /** How often in a burst people meet in one router within a few milliseconds. */
  meetings: number;
  /** D1 is restored to how it was a while before. */
  restore: boolean;
  /** The page's object was last written to by the first version of the code. */
  oldState: boolean;
  /** How often in a burst the cron sweep runs, which rolls old hours. Not a fault, but it meets all of them. */
  sweeps: number;
  looks: number;
}

/** Databases of statistics that come and go; drawn apart, so that other runs stay as they are. */
export interface StatsPlan {
  /** How many there are. Pages may live in none of them at first. */
  databases: number;
  /** How often in a burst other ones become the homes of pages, by a deployment. */
  deploys: number;
}

export function drawStats(random: Random): StatsPlan {
  if (random() < 0.6) return { databases: 0, deploys: 0 };
  return { databases: 2, deploys: 1 + integer(3, random) };
}

/** Whether the storage of the pages' objects is put back in the end; drawn apart, too. */
export function drawPutBack(random: Random): boolean {
  return random() < 0.3;
}

const GAPS_MS = [
  0,
  5 * SECOND_MS,
  15 * SECOND_MS,
  3 * MINUTE_MS,
  40 * MINUTE_MS,
  26 * HOUR_MS,
  SEASON_MS,
];

export function drawPlan(random: Random): Plan {
  const sometimes = (chance: number, value: number) => (random() < chance ? value : 0);
  const step = () => (random() < 0.5 ? -30 * SECOND_MS : 30 * SECOND_MS);
  return {
    fullDisk: sometimes(0.25, 0.05),
    alarmTwice: sometimes(0.4, 0.5),
    overload: sometimes(0.3, 0.2),
    d1: {
      refuses: sometimes(0.3, 0.3),
      "loses-reply": sometimes(0.4, 0.5),
      hangs: sometimes(0.3, 0.3),
    },
    outage: drawOutage(random),
    kills: sometimes(0.5, 1 + integer(4, random)),
    aborts: sometimes(0.4, 1 + integer(4, random)),
    evictions: sometimes(0.5, 1 + integer(6, random)),
    lostAlarms: sometimes(0.25, 1 + integer(2, random)),
    clockSteps_ms: random() < 0.25 ? [step()] : [],
    routerSteps_ms: random() < 0.25 ? [step()] : [],
    far: random() < 0.6,
    calls: {
      "lost on the way there": sometimes(0.3, 0.2),
      "lost on the way back": sometimes(0.3, 0.2),
      "answered twice": sometimes(0.3, 0.1),
    },
    shares: random() < 0.85,
    hangUps: sometimes(0.5, 0.15),
    replacements: sometimes(0.5, 1 + integer(4, random)),
    changes: sometimes(0.5, 1 + integer(2, random)),
    ends: sometimes(0.6, 0.7),
    floods: sometimes(0.4, 0.7),
    meetings: sometimes(0.7, 1 + integer(3, random)),
    restore: random() < 0.4,
    oldState: random() < 0.2,
    sweeps: sometimes(0.5, 1 + integer(4, random)),
    looks: sometimes(0.5, 1 + integer(6, random)),
  };
}

function drawOutage(random: Random): Plan["outage"] {
  const chance = random();
  const from_ms = random() * MINUTE_MS;
  if (chance < 0.04) return { from_ms, to_ms: from_ms + HOUR_MS + random() * 2 * HOUR_MS };
  if (chance < 0.2) return { from_ms, to_ms: from_ms + random() * 3 * MINUTE_MS };
  return null;
}

/** How the next call ends: badly in one of these ways, each with its chance, or well. */
export function drawEnd<Way extends string>(
  chances: Record<Way, number>,
  random: Random,
): Way | "well" {
  let left = random();
  for (const [way, chance] of Object.entries<number>(chances)) {
    if (left < chance) return way as Way;
    left -= chance;
  }
  return "well";
}

export function drawGaps(random: Random): number[] {
  const bursts = 1 + integer(3, random);
  return Array.from({ length: bursts }, (_, i) =>
    i === 0 ? 0 : (GAPS_MS[integer(GAPS_MS.length, random)] ?? 0),
  );
}
