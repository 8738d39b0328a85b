/**
 * The object's only alarm. Its time is kept in memory, so that the hot path need not read storage:
 * arming costs one row, and `firesBy` costs nothing.
 */
import type { Storage } from "./ports.ts";

/**
 * An alarm this late has been lost by the platform, which gives up after about 140 s of retries.
 */
const LOST_AFTER_MS = 180_000;

/**
 * The platform refuses alarms after the year 2189, and a link may open later. An alarm that fires
 * early sets the next one.
 */
const LATEST_MS = Date.UTC(2100, 0);

export class Alarm {
  readonly #storage: Storage;
  #at_ms: number | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Reads the stored alarm; to be awaited before the first call (`blockConcurrencyWhile`). */
  async load(): Promise<void> {
    this.#at_ms = await this.#storage.getAlarm();
  }

  /** When the alarm fires, in unix milliseconds; null if none is set. */
  get at_ms(): number | null {
    return this.#at_ms;
  }

  /** The platform has fired the alarm, which clears it. */
  fired(): void {
    this.#at_ms = null;
  }

  /** Whether an alarm is set that fires at `at_ms` or sooner. A lost one does not count. */
  firesBy(at_ms: number, now: number): boolean {
    return this.#at_ms !== null && this.#at_ms <= at_ms && this.#at_ms > now - LOST_AFTER_MS;
  }

  /**
   * Makes sure that the alarm fires by this time: the one that is set, or else one at `at_ms`. Without an `await` in
   * between it is in the same atomic commit as the writes around it, so no kill leaves them without their alarm.
   *
   * @param by_ms unix milliseconds; `Infinity` where nothing waits, which sets none
   * @param at_ms `by_ms` if absent
   * @returns whether it was set
   */
  armBy(by_ms: number, now: number, at_ms = by_ms): boolean {
    if (at_ms === Number.POSITIVE_INFINITY || this.firesBy(by_ms, now)) return false;
    this.arm(at_ms);
    return true;
  }

  /** Sets the alarm also in the place of an earlier one; otherwise as `armBy`. */
  arm(at_ms: number): void {
    const possible_ms = Math.min(at_ms, LATEST_MS);
    void this.#storage.setAlarm(possible_ms);
    this.#at_ms = possible_ms;
  }
}
