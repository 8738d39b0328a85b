/**
 * Broken on purpose, to prove that the simulator finds it: requests of one router to the same page share
 * calls, but have no timers of their own while they wait for them. The runtime cancels a request that
 * waits for no I/O of its own.
 */
import type { Receipt } from "../../../objects/tables/event.ts";
import { PACE_MS } from "../../../src/http/batcher.ts";
import { TICK_MS } from "../../../src/http/request-timers.ts";
import * as faulty from "./faulty.ts";

export * from "./faulty.ts";
export { default } from "./faulty.ts";

/** So long that the clients, who all begin at once, meet in the first call of their router. */
const CALL_MS = 500;

const OWN_TIMERS_MS: readonly unknown[] = [PACE_MS, TICK_MS];

const { setTimeout } = globalThis;
globalThis.setTimeout = Object.assign((callback: () => void, ms?: number) => {
  return OWN_TIMERS_MS.includes(ms) ? 0 : setTimeout(callback, ms);
}, setTimeout);

export class PageObject extends faulty.PageObject {
  override async recordBatch(events: Uint8Array<ArrayBuffer>): Promise<Receipt[]> {
    await new Promise<void>((resolve) => setTimeout(resolve, CALL_MS));
    return super.recordBatch(events);
  }
}
