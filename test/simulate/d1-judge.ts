/**
 * Decides for each of the Worker's calls to D1 whether it fails and how long it takes. Runs outside
 * workerd, so that an outage continues through SIGKILL.
 */
import { setTimeout as pause } from "node:timers/promises";
import { generator, type Random } from "../random.ts";
import { type Distance, drawDelay, NO_DISTANCE } from "./distance.ts";

/**
 * In this order: no fault; refused without running; run, but the reply is lost; not answered for
 * `HANG_MS` and run late.
 */
export type D1Fault = "none" | "refuse" | "lose reply" | "hang";

/**
 * Longer than the object's own time-out of 10 s. When the call runs at last, the object has given it up
 * and sent newer numbers, so D1 gets two flushes in the wrong order (docs/faults.md F7).
 */
export const HANG_MS = 12_000;

export class D1Judge {
  readonly #distance: Distance;
  readonly #random: Random;
  fault: D1Fault = "none";
  failed = 0;

  constructor(distance: Distance = NO_DISTANCE) {
    this.#distance = distance;
    this.#random = generator(distance.seed);
  }

  /** Called before each call. Resolves with the fault when the call would have arrived at D1. */
  async there(): Promise<D1Fault> {
    await this.#travel();
    const { fault } = this;
    if (fault === "none") return fault;
    this.failed += 1;
    if (fault !== "hang") return fault;
    await pause(HANG_MS, undefined, { ref: false });
    return "none";
  }

  /** Called after each call. Resolves when D1's answer would have arrived at the caller. */
  async back(): Promise<void> {
    await this.#travel();
  }

  async #travel(): Promise<void> {
    const ms = drawDelay("d1", this.#distance, this.#random) / 2;
    if (ms >= 1) await pause(ms, undefined, { ref: false });
  }
}
