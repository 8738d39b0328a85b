/**
 * The pauses between failed flushes: they double from a second on, and never end. The number of
 * failures is stored, because memory is lost during the longer pauses.
 */
import { SECOND_MS } from "./clock.ts";
import type { Kv } from "./ports.ts";

const MIN_MS = SECOND_MS;
/** Keeps D1 equal to the object within 60 s of D1's recovery, however long it was gone (docs/faults.md I3). */
const MAX_MS = 45 * SECOND_MS;
/** A pause is shortened at random by up to this part, so that pages do not come back all at once. */
const JITTER = 0.5;
const STORED_AS = "flush_failures";

export class Backoff {
  readonly #kv: Kv;

  constructor(kv: Kv) {
    this.#kv = kv;
  }

  /** Notes a failure and answers how long to pause, in milliseconds. `random` is in [0, 1). */
  failed(random: number): number {
    const failures = this.#kv.get<number>(STORED_AS) ?? 0;
    this.#kv.put(STORED_AS, failures + 1);
    return Math.min(MAX_MS, MIN_MS * 2 ** failures) * (1 - JITTER * random);
  }

  /** Begins anew; costs nothing where nothing had failed. */
  succeeded(): void {
    if (this.#kv.get<number>(STORED_AS) !== undefined) this.#kv.delete(STORED_AS);
  }
}
