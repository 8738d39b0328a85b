/**
 * RequestTimers: the time-outs of one request by one timer of the platform.
 *
 * A request has five time-outs, of which none fires, and setting and clearing a timer of the
 * platform takes longer than counting an event. So the first time-out starts a timer of `TICK_MS`,
 * which later ones share, and which starts itself again only as long as one of them is left. It is
 * never cleared: the platform ends it with its request.
 */
import { type Clock, systemClock } from "../../objects/platform/ports.ts";

/** A time-out fires at most two ticks too late, and never too early. */
export const TICK_MS = 100;

interface Wait {
  ticks_left: number;
  callback: () => void;
}

export class RequestTimers implements Clock {
  readonly #clock: Clock;
  readonly #waits = new Set<Wait>();
  #isTicking = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  /** A wait shorter than `TICK_MS` has a timer of its own: ticks would make it several times longer. */
  after(ms: number, callback: () => void): () => void {
    if (ms < TICK_MS) return this.#clock.after(ms, callback);
    // One tick more, because the one under way may end at once.
    const wait = { ticks_left: Math.ceil(ms / TICK_MS) + Number(this.#isTicking), callback };
    this.#waits.add(wait);
    if (!this.#isTicking) this.#tick();
    return () => this.#waits.delete(wait);
  }

  #tick(): void {
    this.#isTicking = true;
    this.#clock.after(TICK_MS, () => {
      this.#isTicking = false;
      // A copy, because what a callback adds has not waited yet.
      for (const wait of [...this.#waits]) {
        wait.ticks_left -= 1;
        if (wait.ticks_left > 0) continue;
        this.#waits.delete(wait);
        wait.callback();
      }
      if (this.#waits.size > 0 && !this.#isTicking) this.#tick();
    });
  }
}
