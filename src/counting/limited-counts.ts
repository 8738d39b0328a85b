/**
 * LimitedCounts: events that the limit refused, counted by page and link until they are sent to the
 * page: at most one call per second, page and isolate, however many requests are refused.
 *
 * In memory only. None of these events was acknowledged, so they may be lost with the isolate
 * (docs/contract.md section 2, promise 3).
 */
import { BoundedMap } from "../../objects/platform/bounded-map.ts";
import type { Clock } from "../../objects/platform/ports.ts";

/** Time between a page's first refused event and the call, in milliseconds. */
const DELIVERY_DELAY_MS = 1_000;
/** After this, the request that was to send a page's counts is assumed to have been cancelled. */
const ABANDONED_MS = 5 * DELIVERY_DELAY_MS;
/** Pages with undelivered counts. When full, events of further pages are not counted. */
const PAGES_MAX = 100;
/** Links of one page. When full, a link with one event is dropped. */
const LINKS_MAX = 200;
/** Of these pages, how many may be without an event counted by this isolate: their ids may be invented. */
const UNKNOWN_PAGES_MAX = 1;
/** Pages for which this isolate has counted an event. */
const KNOWN_MAX = 10_000;

interface LimitedCount {
  /** `''` for views. */
  link_id: string;
  n: number;
}

interface Waiting {
  since: number;
  is_known: boolean;
  counts: Map<string, number>;
}

export class LimitedCounts {
  readonly #clock: Clock;
  readonly #pages = new Map<string, Waiting>();
  readonly #known = new BoundedMap<string, true>(KNOWN_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The page exists: an event of it was counted. */
  addKnownPage(page_id: string): void {
    if (!this.#known.has(page_id)) this.#known.set(page_id, true);
  }

  /** Counts one refused event. Returns whether the caller must call `deliver` for the page. */
  add(page_id: string, link_id: string): boolean {
    const now = this.#clock.now();
    const waiting = this.#pages.get(page_id);
    if (waiting === undefined) {
      const is_known = this.#known.has(page_id);
      if (!this.#hasRoom(is_known, now)) return false;
      this.#pages.set(page_id, { since: now, is_known, counts: new Map([[link_id, 1]]) });
      return true;
    }
    const { counts } = waiting;
    if (!counts.has(link_id) && counts.size >= LINKS_MAX) makeRoom(counts);
    counts.set(link_id, (counts.get(link_id) ?? 0) + 1);
    if (!isAbandoned(waiting, now)) return false;
    waiting.since = now;
    return true;
  }

  #hasRoom(is_known: boolean, now: number): boolean {
    for (const [page_id, waiting] of this.#pages) {
      if (isAbandoned(waiting, now)) this.#pages.delete(page_id);
    }
    // A refused sender may invent pages, each of which would cost a call and a read of D1.
    const unknown = [...this.#pages.values()].filter((waiting) => !waiting.is_known).length;
    return this.#pages.size < PAGES_MAX && (is_known || unknown < UNKNOWN_PAGES_MAX);
  }

  /**
   * Waits a second and passes the page's counts to `send`. Rejects when that fails; the counts are
   * lost then.
   */
  async deliver(
    page_id: string,
    send: (counts: readonly LimitedCount[]) => Promise<void>,
  ): Promise<void> {
    await new Promise<void>((resolve) => this.#clock.after(DELIVERY_DELAY_MS, resolve));
    const waiting = this.#pages.get(page_id);
    if (waiting === undefined) return;
    this.#pages.delete(page_id);
    await send(Array.from(waiting.counts, ([link_id, n]) => ({ link_id, n })));
  }
}

function isAbandoned({ since }: Waiting, now: number): boolean {
  return now < since || now - since >= ABANDONED_MS;
}

/** Drops a link with one event, if there is one: invented ids must not displace the page's links. */
function makeRoom(counts: Map<string, number>): void {
  for (const [link_id, n] of counts) {
    if (n === 1) {
      counts.delete(link_id);
      return;
    }
  }
  const oldest = counts.keys().next().value;
  if (oldest !== undefined) counts.delete(oldest);
}
