/**
 * The pauses between failed flushes. They double, from one second to `MAX_MS`, and retries never
 * end. The number of failures is stored, because memory is lost during the longer pauses.
 */
import { SECOND_MS } from "./clock.ts";
import type { Kv } from "./ports.ts";

const MIN_MS = SECOND_MS;
/**
 * So that D1 has everything within 60 s of its recovery, however long it was down (docs/faults.md
 * I3).
 */
const MAX_MS = 45 * SECOND_MS;
/** A pause is shortened at random by up to this part, so that pages do not retry all at once. */
const JITTER = 0.5;
const STORED_AS = "flush_failures";

export class Backoff {
  readonly #kv: Kv;

  constructor(kv: Kv) {
    this.#kv = kv;
  }

  /** Counts a failure and answers how long to pause, in milliseconds. `random` is in [0, 1). */
  failed(random: number): number {
    const failures = this.#kv.get<number>(STORED_AS) ?? 0;
    this.#kv.put(STORED_AS, failures + 1);
    return Math.min(MAX_MS, MIN_MS * 2 ** failures) * (1 - JITTER * random);
  }

  /** Starts again from the shortest pause; writes nothing if the last flush did not fail. */
  succeeded(): void {
    if (this.#kv.get<number>(STORED_AS) !== undefined) this.#kv.delete(STORED_AS);
  }
}
