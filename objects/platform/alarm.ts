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

  /** Sets the alarm, in the same atomic commit as the writes before and after it. */
  arm(at_ms: number): void {
    this.#at_ms = Math.min(at_ms, LATEST_MS);
    void this.#storage.setAlarm(this.#at_ms);
  }
}
