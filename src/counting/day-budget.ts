/**
 * DayBudget: how many events this isolate may still count today, of EVENTS_PER_DAY. Has ports, so that tests can run it.
 *
 *   event ─▶ a share in memory? ─(used up)─▶ the monitor, once for all events that wait ─▶ a share, or none until midnight
 *
 * A share is counted in memory and lost with the isolate. Where the monitor does not answer, everything is counted for ten
 * seconds: the limit is a guard against cost, and no reason to lose what can be counted.
 */
import type { Share, ShareCall } from "../../objects/monitor/day-events.ts";
import { SECOND_MS } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import { Batcher, type BatchPorts } from "../http/batcher.ts";
import { EVENTS_PER_CALL_MAX } from "./limits.ts";

/** Longest wait for the monitor, and how long it is not asked again after that. */
const ASK_TIMEOUT_MS = 2 * SECOND_MS;
export const FAILED_PAUSE_MS = 10 * SECOND_MS;

export interface BudgetPorts
  extends Pick<BatchPorts<never, never>, "waitUntil" | "shares" | "clock"> {
  ask: (call: ShareCall) => Promise<Share>;
}

export class DayBudget {
  readonly #clock: Clock;
  readonly #batcher: Batcher<null, boolean>;
  /** Events left of the shares; below 0 where the day's events are used up. */
  #left = 0;
  #given = 0;
  /** The end of the day by this isolate's clock. */
  #until = 0;
  /** Everything is counted until this time. */
  #free_until = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#batcher = new Batcher(clock, EVENTS_PER_CALL_MAX, ASK_TIMEOUT_MS);
  }

  /** Milliseconds until the next day if the events of this one are known to be used up. */
  usedUpForMs(): number | null {
    const ms = this.#until - this.#clock.now();
    return this.#left < 0 && ms > 0 ? ms : null;
  }

  async take(limit: number, { ask, ...ports }: BudgetPorts): Promise<boolean> {
    const now = this.#clock.now();
    if (now >= this.#until) {
      this.#left = 0;
      this.#given = 0;
    }
    if (this.#left < 0) return false;
    if (this.#left > 0) {
      this.#left -= 1;
      return true;
    }
    if (now < this.#free_until) return true;
    const call = (waiting: readonly null[]) => this.#ask(limit, ask, waiting.length);
    try {
      return await this.#batcher.submit("", null, { ...ports, call });
    } catch (error) {
      logError("day_budget_failed", {}, error);
      this.#free_until = this.#clock.now() + FAILED_PAUSE_MS;
      return true;
    }
  }

  async #ask(limit: number, ask: BudgetPorts["ask"], wanted: number): Promise<boolean[]> {
    const asked_at = this.#clock.now();
    const { n, ends_in_ms } = await ask({ limit, wanted, ahead: this.#given });
    this.#until = asked_at + ends_in_ms;
    this.#given += n;
    // A share may have come in between.
    const has = Math.max(0, this.#left) + n;
    this.#left = Math.max(-1, has - wanted);
    return Array.from({ length: wanted }, (_, i) => i < has);
  }
}
