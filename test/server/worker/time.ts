/**
 * Time as a test wants it, so that it compares no times: the clock stands where the test sets it, and
 * timers of chosen lengths wait, or end at once. Whoever imports this gets it in its whole isolate; until
 * `setTime` is called nothing differs from the real time.
 */
import type { Time, TimerCounts } from "./setting.ts";

const POLL_MS = 1;

const { now } = Date;
/** As workerd has them; the types are Node's. */
const { setTimeout: setReal, clearTimeout: clearReal } = globalThis as unknown as {
  setTimeout: (callback: () => void, ms: number) => number;
  clearTimeout: (id: number) => void;
};

let time: Time = { at: null, timers: {} };
const counts = new Map<number, TimerCounts>();
/** The real timer that a timer waits for at the moment, by the number that its owner has. */
const waiting = new Map<number, { real: number; length_ms: number }>();

/** Replaces what was set before, and leaves out what is as it was. */
export function setTime(next: Partial<Time>): void {
  time = { ...time, ...next };
}

/** By length in milliseconds. */
export function timerCounts(): Record<number, TimerCounts> {
  return Object.fromEntries(counts);
}

function countsOf(length_ms: number): TimerCounts {
  const known = counts.get(length_ms) ?? { set: 0, ended: 0, cleared: 0 };
  counts.set(length_ms, known);
  return known;
}

function setTimer(callback: () => void, length_ms = 0): number {
  countsOf(length_ms).set += 1;
  const end = () => {
    waiting.delete(id);
    countsOf(length_ms).ended += 1;
    callback();
  };
  // A real timer in the same request each time: another request must not continue this one, and a request
  // without I/O under way would be cancelled.
  const wait = (ms: number) => setReal(step, ms);
  const step = () => {
    if (time.timers[length_ms] === "held") {
      waiting.set(id, { real: wait(POLL_MS), length_ms });
    } else end();
  };
  const id: number = wait(time.timers[length_ms] === undefined ? length_ms : POLL_MS);
  waiting.set(id, { real: id, length_ms });
  return id;
}

function clearTimer(id: number): void {
  const timer = waiting.get(id);
  if (timer === undefined) return;
  waiting.delete(id);
  countsOf(timer.length_ms).cleared += 1;
  clearReal(timer.real);
}

Date.now = () => time.at ?? now();
Reflect.set(globalThis, "setTimeout", setTimer);
Reflect.set(globalThis, "clearTimeout", clearTimer);
