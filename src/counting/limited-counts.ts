/**
 * LimitedCounts: what the limit refused, by page and link, on its way to the page as numbers: each page gets
 * at most one call a second from an isolate, however many requests are refused.
 *
 * Memory alone, as well as a moment's memory allows: nothing here was acknowledged, and what the isolate
 * loses with its memory is lost (docs/contract.md section 2, promise 3).
 */
import type { Clock } from "../../objects/platform/ports.ts";

/** Time between a page's first refused event and its call, in milliseconds. */
export const DELIVERY_DELAY_MS = 1_000;
/** A page whose call should long have been made: its request is gone, and the next one takes over. */
const ABANDONED_MS = 5 * DELIVERY_DELAY_MS;
/** Pages that wait at once, and links of one page; of what is beyond, the rarest is dropped. */
const PAGES_MAX = 100;
const LINKS_MAX = 200;
/** Of these pages, how many may be ones that this isolate never counted for: they need not exist. */
export const UNKNOWN_PAGES_MAX = 1;
/** Pages that this isolate counted for lately. */
const KNOWN_MAX = 10_000;

export interface LimitedCount {
  /** `''` for views. */
  link_id: string;
  n: number;
}

interface Waiting {
  since: number;
  is_known: boolean;
  numbers: Map<string, number>;
}

export class LimitedCounts {
  readonly #clock: Clock;
  readonly #pages = new Map<string, Waiting>();
  readonly #known = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An event of this page was counted, so the page exists. */
  know(page_id: string): void {
    if (this.#known.has(page_id)) return;
    const oldest = this.#known.values().next().value;
    if (this.#known.size >= KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(page_id);
  }

  /** Counts one refused event; answers whether the caller has to hand the page's numbers over. */
  add(page_id: string, link_id: string): boolean {
    const now = this.#clock.now();
    const waiting = this.#pages.get(page_id);
    if (waiting === undefined) {
      const is_known = this.#known.has(page_id);
      if (!this.#hasRoom(is_known, now)) return false;
      this.#pages.set(page_id, { since: now, is_known, numbers: new Map([[link_id, 1]]) });
      return true;
    }
    const { numbers } = waiting;
    if (!numbers.has(link_id) && numbers.size >= LINKS_MAX) makeRoom(numbers);
    numbers.set(link_id, (numbers.get(link_id) ?? 0) + 1);
    if (!isAbandoned(waiting, now)) return false;
    waiting.since = now;
    return true;
  }

  #hasRoom(is_known: boolean, now: number): boolean {
    for (const [page_id, waiting] of this.#pages) {
      if (isAbandoned(waiting, now)) this.#pages.delete(page_id);
    }
    // A refused sender may name pages without end, and each would cost a call and a read of D1.
    const unknown = [...this.#pages.values()].filter((waiting) => !waiting.is_known).length;
    return this.#pages.size < PAGES_MAX && (is_known || unknown < UNKNOWN_PAGES_MAX);
  }

  /** Waits a second and hands the page's numbers to `send`. Rejects when that fails: they are lost. */
  async deliver(
    page_id: string,
    send: (numbers: readonly LimitedCount[]) => Promise<void>,
  ): Promise<void> {
    await new Promise<void>((resolve) => this.#clock.after(DELIVERY_DELAY_MS, resolve));
    const waiting = this.#pages.get(page_id);
    if (waiting === undefined) return;
    this.#pages.delete(page_id);
    await send(Array.from(waiting.numbers, ([link_id, n]) => ({ link_id, n })));
  }
}

/** The request that was to hand it over is gone. */
function isAbandoned({ since }: Waiting, now: number): boolean {
  return now < since || now - since >= ABANDONED_MS;
}

/** Drops a link that was refused once: made-up ids must not take the room of the page's own links. */
function makeRoom(numbers: Map<string, number>): void {
  for (const [link_id, n] of numbers) {
    if (n === 1) {
      numbers.delete(link_id);
      return;
    }
  }
  const oldest = numbers.keys().next().value;
  if (oldest !== undefined) numbers.delete(oldest);
}
