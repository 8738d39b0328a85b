/**
 * Retries: how long to wait before what failed is tried again, by the number of failures in a row. Retries never end
 * here; who gives up says so.
 *
 * Whatever waits for a receiver has its failures in its row: what is in an outbox, mails, deliveries of webhooks and of
 * alerts. Changes of pages are tried by one request. For an object's alarm there is {@link AlarmPauses}. Only flushes
 * have others (`flush/flush-pauses.ts`): theirs depend on why D1 failed.
 */
import { SECOND_MS } from "./clock.ts";
import type { Kv } from "./ports.ts";

export interface RetrySchedule {
  /** The pauses after the first failures, in milliseconds. */
  pauses_ms: readonly [number, ...number[]];
  /** By how much each later pause is longer than the one before; as long if absent. */
  growth?: number;
  /** No pause is longer. */
  longest_ms: number;
  /** A pause is shortened at random by up to this part, so that not all retry at once. */
  jitter?: number;
}

/**
 * The pause after this many failures in a row, in milliseconds.
 *
 * @param failures at least 1
 * @param random in [0, 1)
 */
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

/**
 * Of work that has to reach D1 within 60 s of its recovery, however long it was down (docs/faults.md I3), and of all that
 * waits for another object.
 */
export const NEAR_RETRIES: RetrySchedule = {
  pauses_ms: [SECOND_MS],
  growth: 2,
  longest_ms: 45 * SECOND_MS,
  jitter: 0.5,
};

/**
 * Not `flush_failures`, as up to 3.1: that is the key of `FlushPauses`. An object that has stored it keeps it; nothing
 * but a rollback reads it, and waits once for 45 s at most.
 */
const STORED_AS = "alarm_failures";

/**
 * The pauses of an object's alarm while its work fails. The number of failures is stored, because memory is lost during
 * the longer pauses.
 */
export class AlarmPauses {
  readonly #kv: Kv;

  constructor(kv: Kv) {
    this.#kv = kv;
  }

  /** Counts a failure and answers how long to pause, in milliseconds. `random` is in [0, 1). */
  failed(random: number): number {
    const failures = (this.#kv.get<number>(STORED_AS) ?? 0) + 1;
    this.#kv.put(STORED_AS, failures);
    return pauseAfter(NEAR_RETRIES, failures, random);
  }

  /** Starts again from the shortest pause; writes nothing if the work did not fail before. */
  succeeded(): void {
    if (this.#kv.get<number>(STORED_AS) !== undefined) this.#kv.delete(STORED_AS);
  }
}
