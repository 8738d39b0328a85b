/**
 * LimitedNumbers: what the limit refused, by page and link, on its way to the page as numbers: each page gets
 * at most one call a second from an isolate, however many requests are refused.
 *
 * Memory alone, as well as a moment's memory allows: nothing here was acknowledged, and what the isolate
 * loses with its memory is lost (CONTRACT section 2, promise 3).
 */
import type { Clock } from "../../objects/ports.ts";

/** Time between a page's first refused event and its call, in milliseconds. */
export const HAND_OVER_MS = 1_000;
/** A page whose call should long have been made: its request is gone, and the next one takes over. */
const ABANDONED_MS = 5 * HAND_OVER_MS;
/** Pages that wait at once, and links of one page; what is beyond is dropped. */
const PAGES_MAX = 100;
const LINKS_MAX = 200;

export interface LimitedNumber {
  /** `''` for views. */
  link_id: string;
  n: number;
}

interface Waiting {
  since: number;
  numbers: Map<string, number>;
}

export class LimitedNumbers {
  readonly #clock: Clock;
  readonly #pages = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one refused event; answers whether the caller has to hand the page's numbers over. */
  add(page_id: string, link_id: string): boolean {
    const now = this.#clock.now();
    const waiting = this.#pages.get(page_id);
    if (waiting === undefined) {
      if (this.#pages.size >= PAGES_MAX) return false;
      this.#pages.set(page_id, { since: now, numbers: new Map([[link_id, 1]]) });
      return true;
    }
    const { numbers } = waiting;
    if (numbers.has(link_id) || numbers.size < LINKS_MAX) {
      numbers.set(link_id, (numbers.get(link_id) ?? 0) + 1);
    }
    const age_ms = now - waiting.since;
    if (age_ms >= 0 && age_ms < ABANDONED_MS) return false;
    waiting.since = now;
    return true;
  }

  /** Waits a second and hands the page's numbers to `send`. Rejects when that fails: they are lost. */
  async handOver(
    page_id: string,
    send: (numbers: readonly LimitedNumber[]) => Promise<void>,
  ): Promise<void> {
    await new Promise<void>((resolve) => this.#clock.after(HAND_OVER_MS, resolve));
    const waiting = this.#pages.get(page_id);
    if (waiting === undefined) return;
    this.#pages.delete(page_id);
    await send(Array.from(waiting.numbers, ([link_id, n]) => ({ link_id, n })));
  }
}
