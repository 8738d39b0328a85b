/** The object's only alarm. Memory has its time: arming costs one row, and `firesBy` nothing. */
import type { Storage } from "./ports.ts";

/** A later alarm has been lost by the platform, which gives up after about 140 s of retries. */
const LOST_AFTER_MS = 180_000;

export class Alarm {
  readonly #storage: Storage;
  #at_ms: number | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Await it before the first call. */
  async load(): Promise<void> {
    this.#at_ms = await this.#storage.getAlarm();
  }

  /** Unix milliseconds; null if no alarm is set. */
  get at_ms(): number | null {
    return this.#at_ms;
  }

  fired(): void {
    this.#at_ms = null;
  }

  /** A lost alarm does not count. */
  firesBy(at_ms: number, now: number): boolean {
    return this.#at_ms !== null && this.#at_ms <= at_ms && this.#at_ms > now - LOST_AFTER_MS;
  }

  /**
   * Keeps an alarm that fires by `by_ms`, or sets one at `at_ms` (`Infinity`: none). Without an
   * `await` in between it is in the same atomic commit as the writes around it, so no kill leaves
   * them without their alarm. Answers whether it was set.
   */
  armBy(by_ms: number, now: number, at_ms = by_ms): boolean {
    if (at_ms === Number.POSITIVE_INFINITY || this.firesBy(by_ms, now)) return false;
    this.arm(at_ms);
    return true;
  }

  /** Replaces an earlier alarm too. */
  arm(at_ms: number): void {
    void this.#storage.setAlarm(at_ms);
    this.#at_ms = at_ms;
  }
}
