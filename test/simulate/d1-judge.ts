/**
 * Says, each time the Worker calls D1, what is to become of the call, and how long it is on its way. Lives
 * outside workerd, so that an outage goes on through SIGKILL.
 */
import { setTimeout as pause } from "node:timers/promises";
import { generator, type Random } from "../random.ts";
import { type Distance, drawDelay, NO_DISTANCE } from "./distance.ts";

/** `none`; refused and never run; run, but the reply is lost; no answer for `HANG_MS`, then run late. */
export const D1_FAULTS = ["none", "refuse", "lose reply", "hang"] as const;
export type D1Fault = (typeof D1_FAULTS)[number];

/**
 * Longer than the object's own time-out of 10 s: by the time the call runs after all, the object has given
 * it up and sent newer numbers, so D1 sees two flushes in the wrong order (docs/faults.md F7).
 */
export const HANG_MS = 12_000;

export class D1Judge {
  readonly #distance: Distance;
  readonly #random: Random;
  fault: D1Fault = "none";
  /** Calls that met a fault. */
  failed = 0;

  constructor(distance: Distance = NO_DISTANCE) {
    this.#distance = distance;
    this.#random = generator(distance.seed);
  }

  /** Asked before each call. The answer is the fault; it comes when the call has arrived at D1. */
  async there(): Promise<D1Fault> {
    await this.#travel();
    const { fault } = this;
    if (fault === "none") return fault;
    this.failed += 1;
    if (fault !== "hang") return fault;
    await pause(HANG_MS, undefined, { ref: false });
    return "none";
  }

  /** Asked after each call. The answer comes when D1's answer has arrived at its caller. */
  async back(): Promise<void> {
    await this.#travel();
  }

  /** Half of the way. */
  async #travel(): Promise<void> {
    const ms = drawDelay("d1", this.#distance, this.#random) / 2;
    if (ms >= 1) await pause(ms, undefined, { ref: false });
  }
}
