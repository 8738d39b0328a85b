/**
 * Admission: whether a sender may make one more request in a scope. The sender's RateLimiter object
 * decides. Each isolate caches refusals until they end, so that requests of a refused sender cost
 * no call.
 *
 * A check is never sent again when its answer is lost, so no request is charged twice
 * (docs/faults.md F22).
 */
import type { Check } from "../../objects/limiter/sender-windows.ts";
import { type Verdict, WINDOW_MS } from "../../objects/limiter/sliding-window.ts";
import { BoundedMap } from "../../objects/platform/bounded-map.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import { CEILING } from "./limits.ts";

const REFUSED_MAX = 10_000;

export interface Decision extends Verdict {
  /** This isolate's refusals of the sender in this scope within a minute, including this one. */
  refusals: number;
}

/** The object decided at some time between the call and its answer, so a refusal has two ends. */
interface Refused {
  seen_at: number;
  /** The end counted from the call: until then the object would certainly refuse. */
  until: number;
  /** The end counted from the answer, for `Retry-After`: from then on it will certainly admit. */
  retry_at: number;
  refusals: number;
  counted_from: number;
}

export class Admission {
  readonly #clock: Clock;
  readonly #refused = new BoundedMap<string, Refused>(REFUSED_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async decide(check: Check, ask: (check: Check) => Promise<Verdict>): Promise<Decision> {
    const known = this.recall(check);
    if (known !== null) return known;
    const asked_at = this.#clock.now();
    const verdict = await ask(check);
    if (verdict.admitted) return { ...verdict, refusals: 0 };
    const answered_at = this.#clock.now();
    const refused = this.#entry(check, answered_at);
    refused.seen_at = asked_at;
    refused.until = asked_at + verdict.reset_ms;
    refused.retry_at = answered_at + verdict.reset_ms;
    refused.refusals += 1;
    return { ...verdict, refusals: refused.refusals };
  }

  /** Counts the refusal. Null where the object must be called. */
  recall(check: Check): Decision | null {
    const now = this.#clock.now();
    const refused = this.#refused.get(keyOf(check));
    if (refused === undefined) return null;
    // A clock that steps back must neither extend a refusal nor renew an expired one.
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

  #entry(check: Check, now: number): Refused {
    const key = keyOf(check);
    let refused = this.#refused.get(key);
    if (refused === undefined) {
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

/** True past ten times the limit: such a sender's requests may cost no object call. */
export function isPastCeiling(decision: Decision | null | undefined, limit: number): boolean {
  // The limit admitted that many requests before it refused one.
  return (decision?.refusals ?? 0) > (CEILING - 1) * limit;
}

function keyOf({ sender, scope }: Check): string {
  return `${sender}/${scope}`;
}
