/**
 * The object's one alarm, with its time kept in memory so that a hot path need not ask storage.
 * Arming costs one row; asking costs nothing after `load`.
 */
import type { Storage } from "./ports.ts";

/** An alarm this late has been lost by the platform, which gives up after about 140 s of retries. */
const LOST_AFTER_MS = 180_000;

export class Alarm {
  readonly #storage: Storage;
  #at_ms: number | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Reads the stored alarm; to be awaited before the first request (blockConcurrencyWhile). */
  async load(): Promise<void> {
    this.#at_ms = await this.#storage.getAlarm();
  }

  /** The platform has just fired the alarm, and by that cleared it. */
  fired(): void {
    this.#at_ms = null;
  }

  /** Whether an alarm is on its way that fires at `at_ms` or sooner. A lost one is not. */
  firesBy(at_ms: number, now: number): boolean {
    return this.#at_ms !== null && this.#at_ms <= at_ms && this.#at_ms > now - LOST_AFTER_MS;
  }

  /** Sets the alarm, in the same atomic commit as the writes around it. */
  arm(at_ms: number): void {
    this.#at_ms = at_ms;
    void this.#storage.setAlarm(at_ms);
  }
}
