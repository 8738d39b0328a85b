/**
 * FlushPauses: how long an object waits after D1 did not take a flush. How long depends on why.
 *
 * - D1 failed: the pauses double from one second, because one object's attempts are no burden.
 * - D1 gave no answer: a flush waits for `FLUSH_TIMEOUT_MS`, so its pause is shorter. Both together
 *   are at most 55 s, so that D1 has everything within 60 s of its recovery (docs/faults.md I3).
 * - D1 is overloaded: many objects want the same writes (F30). The first pause is the longest, so
 *   that a page that begins to wait does not overtake those that have waited, and each refusal
 *   makes it shorter: the longer a page has waited, the sooner it tries again.
 * - D1 is full, or a limit of the day is reached: only an operator or midnight can help, so retries
 *   are rare. Each writes rows, of which a free account has as many a day as of D1's.
 *
 * The number of failures is stored, because memory is lost during the longer pauses.
 */
import { MINUTE_MS, SECOND_MS } from "../platform/clock.ts";
import { isDayLimit } from "../platform/day-limit.ts";
import type { Kv } from "../platform/ports.ts";

/**
 * Longest wait for D1 in one flush; a later answer is ignored. D1 itself ends a query after 30 s.
 * With less, D1 would execute each flush from a long queue after its object has given it up, and
 * all of them again and again.
 */
export const FLUSH_TIMEOUT_MS = 30 * SECOND_MS;

const FAILED_MIN_MS = SECOND_MS;
const FAILED_MAX_MS = 45 * SECOND_MS;
const UNANSWERED_MS = 25 * SECOND_MS;
const OVERLOADED_MAX_MS = 45 * SECOND_MS;
const OVERLOADED_MIN_MS = 10 * SECOND_MS;
const FULL_MIN_MS = 45 * SECOND_MS;
/** Also the longest time until D1 has everything after it got space. */
export const FULL_MAX_MS = 10 * MINUTE_MS;
const PAUSE_MAX_MS = Math.max(FAILED_MAX_MS, UNANSWERED_MS, OVERLOADED_MAX_MS);
/** A pause is shortened at random by up to this part, so that pages do not retry all at once. */
const JITTER = 0.5;
/** Every pause has reached its end by then, and to count further failures costs rows. */
const COUNTED_MAX = 7;
const STORED_AS = "flush_failures";
/** Set while D1 is full. Older code reads the number of failures alone, so this has its own key. */
const STORED_FULL_AS = "flush_full";

export type Refusal = "failed" | "unanswered" | "overloaded" | "full";

/** Reads D1's message (docs/scale.md has the source of each). */
export function refusalOf(error: unknown): Refusal {
  const message = String(error);
  if (/exceeded maximum (db size|account stor)|D1_ERROR.*SQLITE_FULL/i.test(message)) return "full";
  if (isDayLimit(error)) return "full";
  if (/D1 DB is overloaded/i.test(message)) return "overloaded";
  return /no answer within/.test(message) ? "unanswered" : "failed";
}

/** In milliseconds, after this many failures in a row. `random` is in [0, 1). */
export function pauseAfter(refusal: Refusal, failures: number, random: number): number {
  return Math.ceil(longest(refusal, failures) * (1 - JITTER * random));
}

export function longestPause(refusal: Refusal): number {
  return refusal === "full" ? FULL_MAX_MS : PAUSE_MAX_MS;
}

function longest(refusal: Refusal, failures: number): number {
  const doubled = 2 ** (failures - 1);
  switch (refusal) {
    case "failed":
      return Math.min(FAILED_MAX_MS, FAILED_MIN_MS * doubled);
    case "unanswered":
      return UNANSWERED_MS;
    case "overloaded":
      return Math.max(OVERLOADED_MIN_MS, OVERLOADED_MAX_MS / failures);
    case "full":
      return Math.min(FULL_MAX_MS, FULL_MIN_MS * doubled);
  }
}

export class FlushPauses {
  readonly #kv: Kv;
  #until_ms = Number.NEGATIVE_INFINITY;

  constructor(kv: Kv) {
    this.#kv = kv;
  }

  /** Until then, in unix milliseconds, D1 is not asked again, except for somebody who looks. */
  get until_ms(): number {
    return this.#until_ms;
  }

  /**
   * Memory was lost: the pause lasts until the alarm. An alarm that is later than any pause is of
   * something else.
   */
  load(alarm_ms: number | null, now: number): void {
    if (alarm_ms === null || this.#failures === 0) return;
    const pause_max_ms = longestPause(this.#isFull ? "full" : "failed");
    if (alarm_ms <= now + pause_max_ms) this.#until_ms = alarm_ms;
  }

  /** Answers when to try again, in unix milliseconds. */
  failed(error: unknown, now: number, random: number): number {
    const failures = Math.min(this.#failures + 1, COUNTED_MAX);
    if (failures !== this.#failures) this.#kv.put(STORED_AS, failures);
    const refusal = refusalOf(error);
    if (refusal === "full" && !this.#isFull) this.#kv.put(STORED_FULL_AS, true);
    if (refusal !== "full" && this.#isFull) this.#kv.delete(STORED_FULL_AS);
    this.#until_ms = now + pauseAfter(refusal, failures, random);
    return this.#until_ms;
  }

  /** Writes nothing if the last flush did not fail. */
  succeeded(): void {
    this.#until_ms = Number.NEGATIVE_INFINITY;
    if (this.#failures > 0) this.#kv.delete(STORED_AS);
    if (this.#isFull) this.#kv.delete(STORED_FULL_AS);
  }

  get #isFull(): boolean {
    return this.#kv.get<true>(STORED_FULL_AS) !== undefined;
  }

  get #failures(): number {
    return this.#kv.get<number>(STORED_AS) ?? 0;
  }
}
