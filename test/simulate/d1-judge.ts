/**
 * Says, each time the Worker calls D1, what is to become of the call. Lives outside workerd, so that an
 * outage goes on through SIGKILL.
 */
import { setTimeout as pause } from "node:timers/promises";

/** `none`; refused and never run; run, but the reply is lost; no answer for `HANG_MS`, then run late. */
export const D1_FAULTS = ["none", "refuse", "lose reply", "hang"] as const;
export type D1Fault = (typeof D1_FAULTS)[number];

/**
 * Longer than the object's own time-out of 10 s: by the time the call runs after all, the object has given
 * it up and sent newer numbers, so D1 sees two flushes in the wrong order (FAULTS F7).
 */
export const HANG_MS = 12_000;

export class D1Judge {
  fault: D1Fault = "none";
  /** Calls that met a fault. */
  failed = 0;

  /** The answer's body is the fault; one that hangs comes late and then lets the call through. */
  async answer(): Promise<D1Fault> {
    const { fault } = this;
    if (fault === "none") return fault;
    this.failed += 1;
    if (fault !== "hang") return fault;
    await pause(HANG_MS, undefined, { ref: false });
    return "none";
  }
}
