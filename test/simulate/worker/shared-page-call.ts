/**
 * Broken on purpose, to prove that the simulator finds it: requests of one router to the same page share
 * calls, but have no timers of their own while they wait for them. The runtime cancels a request that
 * waits for no I/O of its own.
 */
import { PACE_MS } from "../../../src/http/batcher.ts";
import { TICK_MS } from "../../../src/http/request-timers.ts";

export * from "./faulty.ts";
export { default } from "./faulty.ts";

const OWN_TIMERS_MS: readonly unknown[] = [PACE_MS, TICK_MS];

const { setTimeout } = globalThis;
globalThis.setTimeout = Object.assign((callback: () => void, ms?: number) => {
  return OWN_TIMERS_MS.includes(ms) ? 0 : setTimeout(callback, ms);
}, setTimeout);
