/**
 * Sixteen patterns of requests of one sender, for any limit of N in 60 s.
 *
 * Pure. A trace is a generator: it yields the next arrivals and receives the answers, so that its clients
 * can react to them. Times are milliseconds of true time since a full minute; the limiter's clock differs
 * from it only where a trace makes that clock step.
 */
import { integer, type Random } from "../random.ts";

export const WINDOW_MS = 60_000;

/** Unix milliseconds of a trace's first instant: a full minute, after any alarm could fire. */
export const START_MS = Date.UTC(2030, 0, 1);

/** The limits every trace is run for: those of docs/contract.md section 6. */
export const LIMITS = [10, 20, 30, 60] as const;

export interface Answer {
  admitted: boolean;
  /** `Retry-After` in whole seconds; null if admitted. */
  retry_after_s: number | null;
}

/** Requests that arrive in the same millisecond, at one location. */
export interface Arrivals {
  at_ms: number;
  requests: number;
  location: number;
  /** The limiter has lost its memory since the last arrivals. */
  evicted: boolean;
}

type Course = Generator<Arrivals, void, readonly Answer[]>;

export interface Trace {
  name: string;
  rule: string;
  /** The limiter's clock is `by_ms` ahead from `at_ms` of true time on. */
  clock_step?: { at_ms: number; by_ms: number };
  /** The clock by which decisions are judged: true time, or the limiter's clock. */
  judged_by: "at_ms" | "clock_ms";
  /** Milliseconds by which a request may be admitted later than by a perfect limiter. */
  slack_ms: number;
  course(limit: number, random: Random): Course;
}

export const LOCATIONS = 3;
/** How far the clock steps in either direction, and when: long after N requests were admitted. */
export const STEP_MS = 30_000;
const STEP_AT_MS = 45_000;

function arrivals(at_ms: number, more: Partial<Arrivals> = {}): Arrivals {
  return { at_ms: Math.round(at_ms), requests: 1, location: 0, evicted: false, ...more };
}

/** `count` single requests, evenly from `from_ms` to before `to_ms`. */
function* evenly(count: number, from_ms: number, to_ms: number): Course {
  for (let i = 0; i < count; i += 1) yield arrivals(from_ms + (i * (to_ms - from_ms)) / count);
}

/** Independent requests, `per_window` in 60 s on average. */
function* poisson(
  per_window: number,
  to_ms: number,
  random: Random,
  location: () => number = () => 0,
): Course {
  const mean_ms = WINDOW_MS / per_window;
  let at_ms = 0;
  for (;;) {
    at_ms += -Math.log(1 - random()) * mean_ms;
    if (at_ms >= to_ms) return;
    yield arrivals(at_ms, { location: location() });
  }
}

/** Clients that send one request after another, each `pause_ms` after the answer to its last. */
function* clients(count: number, to_ms: number, pause_ms: (answer: Answer) => number): Course {
  const due = Array.from({ length: count }, (_, i) => i * 90);
  for (;;) {
    const at_ms = Math.min(...due);
    if (at_ms >= to_ms) return;
    const [answer] = yield arrivals(at_ms);
    if (answer !== undefined) due[due.indexOf(at_ms)] = at_ms + pause_ms(answer);
  }
}

function clean(name: string, course: Trace["course"]): Trace {
  const rule = "admits exactly what N in any 60 s allows, and Retry-After is true";
  return { name, rule, judged_by: "at_ms", slack_ms: 0, course };
}

const CLEAN: readonly Trace[] = [
  // Twice N around a full minute that is also 60 s after the first request, where both kinds of fixed
  // window start anew: those of the clock and those of the first request.
  clean("boundary burst", function* (limit) {
    yield arrivals(0);
    yield* evenly(limit - 1, WINDOW_MS - 1_000, WINDOW_MS);
    yield* evenly(limit, WINDOW_MS, WINDOW_MS + 1_000);
    yield* evenly(2 * limit, 2 * WINDOW_MS - 1_000, 2 * WINDOW_MS + 1_000);
  }),
  // Request N + 1 arrives in the millisecond in which the first one is 60 s old.
  clean("steady at the limit", (limit) => evenly(3 * limit, 0, 3 * WINDOW_MS)),
  clean("limit + 1", (limit) => evenly(3 * (limit + 1), 0, 3 * WINDOW_MS)),
  clean("double", (limit) => evenly(6 * limit, 0, 3 * WINDOW_MS)),
  clean("Poisson 0.9", (limit, random) => poisson(0.9 * limit, 8 * WINDOW_MS, random)),
  clean("Poisson 1.5", (limit, random) => poisson(1.5 * limit, 4 * WINDOW_MS, random)),
  // A limiter that assumes an evenly filled last window forgets these too early …
  clean("back-loaded", function* (limit) {
    for (const from_ms of [0, 2 * WINDOW_MS]) {
      yield* evenly(2 * limit, from_ms + WINDOW_MS - 5_000, from_ms + WINDOW_MS);
      yield* evenly(2 * limit, from_ms + WINDOW_MS, from_ms + 2 * WINDOW_MS);
    }
  }),
  // … and these too late.
  clean("front-loaded", function* (limit) {
    for (const from_ms of [0, 2 * WINDOW_MS]) {
      yield* evenly(2 * limit, from_ms, from_ms + 5_000);
      yield* evenly(limit, from_ms + WINDOW_MS, from_ms + 2 * WINDOW_MS);
    }
  }),
  clean("same millisecond", function* (limit) {
    yield arrivals(1_000, { requests: 2 * limit });
    yield arrivals(WINDOW_MS + 999, { requests: limit });
    yield arrivals(WINDOW_MS + 1_000, { requests: 2 * limit });
    yield arrivals(2 * WINDOW_MS + 1_000, { requests: limit + 1 });
  }),
  // As each of N leaves its window, one request comes 1 ms before and one in that millisecond.
  clean("exact edge", function* (limit) {
    yield* evenly(limit, 3_000, 3_000 + 7 * limit);
    for (const round of [1, 2]) {
      for (let i = 0; i < limit; i += 1) {
        const edge_ms = 3_000 + 7 * i + round * WINDOW_MS;
        yield arrivals(edge_ms - 1);
        yield arrivals(edge_ms);
      }
    }
  }),
  clean("retry storm every 250 ms", (_, random) =>
    clients(2, 2.1 * WINDOW_MS, ({ admitted }) => (admitted ? 40 + integer(300, random) : 250)),
  ),
  // One client that sends until it is refused, and then exactly when `Retry-After` has passed.
  clean("polite retry", (_, random) =>
    clients(1, 4 * WINDOW_MS, ({ retry_after_s }) =>
      retry_after_s === null ? 40 + integer(300, random) : retry_after_s * 1_000,
    ),
  ),
];

/**
 * When the clock steps back 30 s, the limiter loses the time since its last admission, at most 30 s, and
 * waits for it once more; a perfect limiter would admit a request that much earlier. In true time no
 * request is admitted early.
 */
export const CLOCK_BACK: Trace = {
  ...clean("clock back 30 s", (limit) => evenly(6 * limit, 0, 3 * WINDOW_MS)),
  rule: "never more than N in any true 60 s; refuses only while N were admitted in the last 90 s",
  clock_step: { at_ms: STEP_AT_MS, by_ms: -STEP_MS },
  slack_ms: STEP_MS,
};

/**
 * A clock that steps forward 30 s looks the same as 30 s without requests, so decisions can be exact on
 * that clock only. In true time: never more than N in any 60 s before the step or after it, nor in any 30
 * s across it, and never more than 2 N in any 60 s.
 */
export const CLOCK_FORWARD: Trace = {
  ...clean("clock forward 30 s", (limit) => evenly(6 * limit, 0, 3 * WINDOW_MS)),
  rule: "admits exactly what N in any 60 s of its clock allows, and N in any true 30 s",
  clock_step: { at_ms: STEP_AT_MS, by_ms: STEP_MS },
  judged_by: "clock_ms",
};

export const THREE_LOCATIONS: Trace = {
  ...clean("three locations", (limit, random) =>
    poisson(3 * limit, 2.5 * WINDOW_MS, random, () => integer(LOCATIONS, random)),
  ),
  rule: "the limit is one over all locations, whatever each remembers of its own refusals",
};

export const IDLE_EVICTED: Trace = {
  ...clean("idle 15 s with eviction", function* (limit) {
    yield* evenly(Math.ceil((2 * limit) / 3), 500, 3_500);
    yield arrivals(18_500, { evicted: true });
    yield* evenly(limit, 18_600, 20_600);
    // Just before the first one is 60 s old, then in that millisecond.
    yield arrivals(WINDOW_MS + 499, { evicted: true });
    yield* evenly(2 * limit, WINDOW_MS + 500, WINDOW_MS + 3_500);
    yield arrivals(WINDOW_MS + 18_599, { evicted: true });
    yield* evenly(limit, WINDOW_MS + 18_600, WINDOW_MS + 20_600);
  }),
  rule: "what was admitted is remembered through eviction, to the millisecond",
};

export const TRACES = [...CLEAN, CLOCK_BACK, CLOCK_FORWARD, THREE_LOCATIONS, IDLE_EVICTED];
