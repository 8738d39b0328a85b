/**
 * Retries: how long to wait before what failed is tried again, by the number of failures in a row.
 * Retries never end here; who gives up says so.
 *
 * What waits for a receiver has its failures in its row: in an outbox, mails, deliveries of
 * webhooks and of alerts. One request tries changes of pages. An object's alarm has {@link
 * AlarmPauses}. Only the pauses of flushes (`flush/flush-pauses.ts`) depend on why D1 failed.
 */
import { SECOND_MS } from "./clock.ts";
import type { Kv } from "./ports.ts";

export interface RetrySchedule {
  pauses_ms: readonly [number, ...number[]];
  /** The factor of each later pause; 1 if absent. */
  growth?: number;
  longest_ms: number;
  /** A pause is shortened at random by up to this part, so that not all retry at once. */
  jitter?: number;
}

/** Milliseconds after this many failures in a row, at least 1. `random` is in [0, 1). */
export function pauseAfter(
  { pauses_ms, growth = 1, longest_ms, jitter = 0 }: RetrySchedule,
  failures: number,
  random = 0,
): number {
  const listed = Math.min(failures, pauses_ms.length);
  const [pause_ms = longest_ms] = pauses_ms.slice(listed - 1);
  const grown_ms = Math.min(longest_ms, pause_ms * growth ** (failures - listed));
  return Math.ceil(grown_ms * (1 - jitter * random));
}

/** D1 gets all work within 60 s of its recovery, however long it was down (docs/faults.md I3). */
export const NEAR_RETRIES: RetrySchedule = {
  pauses_ms: [SECOND_MS],
  growth: 2,
  longest_ms: 45 * SECOND_MS,
  jitter: 0.5,
};

/** Not `flush_failures`, as up to 3.1: that is the key of `FlushPauses`. */
const STORED_AS = "alarm_failures";

/** The number of failures is stored, because memory is lost during the longer pauses. */
export class AlarmPauses {
  readonly #kv: Kv;

  constructor(kv: Kv) {
    this.#kv = kv;
  }

  /** Answers how long to pause, in milliseconds. `random` is in [0, 1). */
  failed(random: number): number {
    const failures = (this.#kv.get<number>(STORED_AS) ?? 0) + 1;
    this.#kv.put(STORED_AS, failures);
    return pauseAfter(NEAR_RETRIES, failures, random);
  }

  /** Writes nothing if the work did not fail before. */
  succeeded(): void {
    if (this.#kv.get<number>(STORED_AS) !== undefined) this.#kv.delete(STORED_AS);
  }
}
