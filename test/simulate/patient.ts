/**
 * A visitor with an address of their own, who uses up the limit and then waits exactly as long as the
 * answer says: `Retry-After` must be true (docs/contract.md section 6).
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseSender } from "../../src/http/sender.ts";
import { type Load, perform } from "./clients.ts";
import type { Delivery } from "./plan.ts";
import { isAcknowledged } from "./witness.ts";

/** No other client uses this address. */
export const PATIENT_ADDRESS = "203.0.113.60";
/** Events of this visitor: the limit, one more, and some for requests that a kill breaks. */
export const PATIENT_EVENTS = 64;

/** A wait that was obeyed to the second, and whether the next request was refused all the same. */
export interface ObeyedWait {
  key: string;
  sender: string;
  retry_after_s: number;
  refused: boolean;
}

/** Sends these deliveries by the beacon one after another; returns the obeyed wait, if there was one. */
export async function patientVisitor(
  deliveries: readonly Delivery[],
  load: Load,
): Promise<ObeyedWait | null> {
  let obeyed: ObeyedWait | null = null;
  for (const { event, seed } of deliveries) {
    const { answer, retry_after_s } = await load.witness.send(event, PATIENT_ADDRESS, seed);
    if (isAcknowledged(answer)) continue;
    const wait_ms = Number(retry_after_s) * 1_000;
    if (answer === "refused" && obeyed === null && performance.now() + wait_ms < load.ends_ms) {
      await pause(wait_ms, undefined, { signal: load.signal });
      const after = await load.witness.send(event, PATIENT_ADDRESS, seed + 1);
      if (after.answer === "refused" || isAcknowledged(after.answer)) {
        obeyed = {
          key: event.key,
          sender: parseSender(PATIENT_ADDRESS),
          retry_after_s: Number(retry_after_s),
          refused: after.answer === "refused",
        };
      }
      if (isAcknowledged(after.answer)) continue;
    }
    // After the wait, the other deliveries are sent like those of any client.
    await perform({ event, seed, from: PATIENT_ADDRESS }, load);
  }
  return obeyed;
}
