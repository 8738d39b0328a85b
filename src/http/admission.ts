/**
 * Admission: whether a sender may do one more in a scope. The sender's RateLimiter object decides; what is
 * known of its refusals answers in its place until they end, so that a refused sender costs no call.
 *
 * Per isolate, and only a shortcut: each isolate has a memory of its own, and an entry that is missing costs
 * one call. A check is asked once; nothing here repeats a call whose answer was lost, so no request is
 * charged twice (docs/faults.md F22).
 */
import type { Check } from "../../objects/limiter/sender-windows.ts";
import { type Verdict, WINDOW_MS } from "../../objects/limiter/sliding-window.ts";
import { withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import { CEILING, LIMITER_TIMEOUT_MS } from "./limits.ts";

/** Refused senders that are remembered; beyond it the one that was refused first is asked for again. */
const REFUSED_MAX = 10_000;

export interface Decision extends Verdict {
  /** How often this isolate has refused the sender in this scope within a minute, now included. */
  refusals: number;
}

/** When the object decided lies between asking and its answer, so there are two ends. */
interface Refused {
  seen_at: number;
  /** Counted from the asking: before it the object would surely refuse. */
  until: number;
  /** Counted from the answer: at it the object will surely admit. What `Retry-After` promises. */
  retry_at: number;
  /** Refusals since `counted_from`, which moves on every minute. */
  refusals: number;
  counted_from: number;
}

export class Admission {
  readonly #clock: Clock;
  readonly #refused = new Map<string, Refused>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Decides one request. `ask` calls the limiter object. Rejects when that fails or takes over 2 s. */
  async decide(check: Check, ask: (check: Check) => Promise<Verdict>): Promise<Decision> {
    const known = this.recall(check);
    if (known !== null) return known;
    const asked_at = this.#clock.now();
    const verdict = await withTimeout(ask(check), LIMITER_TIMEOUT_MS, this.#clock);
    if (verdict.admitted) return { ...verdict, refusals: 0 };
    const answered_at = this.#clock.now();
    const refused = this.#entry(check, answered_at);
    refused.seen_at = asked_at;
    refused.until = asked_at + verdict.reset_ms;
    refused.retry_at = answered_at + verdict.reset_ms;
    refused.refusals += 1;
    return { ...verdict, refusals: refused.refusals };
  }

  /** The refusal that the object would surely repeat, or null where it must be asked. Counts as one more. */
  recall(check: Check): Decision | null {
    const now = this.#clock.now();
    const refused = this.#refused.get(keyOf(check));
    if (refused === undefined) return null;
    // A clock that stepped back would stretch the refusal: then the object is asked anew. Nor may it bring
    // back one that was over.
    if (now < refused.seen_at || now >= refused.until) {
      refused.until = Number.NEGATIVE_INFINITY;
      return null;
    }
    const { refusals } = this.#entry(check, now);
    refused.seen_at = now;
    refused.refusals = refusals + 1;
    return {
      admitted: false,
      remaining: 0,
      reset_ms: refused.retry_at - now,
      refusals: refused.refusals,
    };
  }

  /** The sender's entry, new or with its count begun anew where that is over a minute old. */
  #entry(check: Check, now: number): Refused {
    const key = keyOf(check);
    let refused = this.#refused.get(key);
    if (refused === undefined) {
      const oldest = this.#refused.keys().next().value;
      if (this.#refused.size >= REFUSED_MAX && oldest !== undefined) this.#refused.delete(oldest);
      refused = { seen_at: now, until: now, retry_at: now, refusals: 0, counted_from: now };
      this.#refused.set(key, refused);
    }
    const age_ms = now - refused.counted_from;
    if (age_ms < 0 || age_ms >= WINDOW_MS) {
      refused.refusals = 0;
      refused.counted_from = now;
    }
    return refused;
  }
}

/** Whether a sender has gone so far past its limit that its requests may cost no object call any more. */
export function isPastCeiling(decision: Decision | null | undefined, limit: number): boolean {
  // What the limit itself admitted counts too.
  return (decision?.refusals ?? 0) > (CEILING - 1) * limit;
}

function keyOf({ sender, scope }: Check): string {
  return `${sender}/${scope}`;
}
