/**
 * LimitedCounts: events that the limit refused, counted by page and link until they are sent to the
 * page: at most one call per second, page and isolate, however many requests are refused.
 *
 *   refused ─▶ page known to this isolate ─(1 s)─▶ the page's object
 *        └───▶ page not known: waits until it is, or for its turn: one of them at a time
 *
 * In memory only. None of these events was acknowledged, so they may be lost with the isolate
 * (docs/contract.md section 2, promise 3). Those that do not fit are counted as dropped.
 */
import { BoundedMap } from "../../objects/platform/bounded-map.ts";
import type { Clock } from "../../objects/platform/ports.ts";

/** The refused events of this time are one call, however many they are. */
const DELIVERY_DELAY_MS = 1_000;
/** A request that is so late was probably cancelled, and another one sends the page's counts. */
const ABANDONED_MS = 5 * DELIVERY_DELAY_MS;
const PAGES_MAX = 100;
/** A page that is full drops a link with one event for the next link. */
const LINKS_MAX = 200;
/** Pages that wait and are not known to this isolate: their ids may be invented. */
const UNKNOWN_MAX = 100;
/** A page for which this isolate has counted an event exists. */
const KNOWN_MAX = 10_000;

interface LimitedCount {
  link_id: string;
  n: number;
}

type Counts = Map<string, number>;

interface Sending {
  since: number;
  is_known: boolean;
  counts: Counts;
}

export class LimitedCounts {
  readonly #clock: Clock;
  readonly #dropped: (n: number) => void;
  readonly #sending = new Map<string, Sending>();
  readonly #unknown = new Map<string, Counts>();
  readonly #known = new BoundedMap<string, true>(KNOWN_MAX);

  /** @param dropped gets the number of events that will reach no page */
  constructor(clock: Clock, dropped: (n: number) => void) {
    this.#clock = clock;
    this.#dropped = dropped;
  }

  /** An event of the page was counted, so it exists. True if the caller must call `deliver`. */
  addKnownPage(page_id: string): boolean {
    if (!this.#known.has(page_id)) this.#known.set(page_id, true);
    if (!this.#unknown.has(page_id)) return false;
    const now = this.#clock.now();
    return this.#hasRoom(now) && this.#send(page_id, this.#takeUnknown(page_id), now);
  }

  /** Returns the page for which the caller must call `deliver`, or null. */
  add(page_id: string, link_id: string): string | null {
    const now = this.#clock.now();
    const sending = this.#sending.get(page_id);
    if (sending !== undefined) {
      this.#count(sending.counts, link_id);
      if (!isAbandoned(sending, now)) return null;
      sending.since = now;
      return page_id;
    }
    if (!this.#known.has(page_id)) return this.#addUnknown(page_id, link_id, now);
    if (this.#hasRoom(now)) {
      this.#send(page_id, new Map([[link_id, 1]]), now);
      return page_id;
    }
    this.#dropped(1);
    return null;
  }

  /** A refused sender may invent pages, each of which costs a call and a read of D1: one is asked at a time. */
  #addUnknown(page_id: string, link_id: string, now: number): string | null {
    const waiting = this.#unknown.get(page_id);
    if (waiting !== undefined) this.#count(waiting, link_id);
    else if (this.#unknown.size < UNKNOWN_MAX) this.#unknown.set(page_id, new Map([[link_id, 1]]));
    else this.#dropped(1);
    if (!this.#hasRoom(now)) return null;
    if ([...this.#sending.values()].some(({ is_known }) => !is_known)) return null;
    const [oldest] = this.#unknown.keys();
    if (oldest === undefined) return null;
    this.#send(oldest, this.#takeUnknown(oldest), now);
    return oldest;
  }

  #takeUnknown(page_id: string): Counts {
    const counts = this.#unknown.get(page_id) ?? new Map();
    this.#unknown.delete(page_id);
    return counts;
  }

  #send(page_id: string, counts: Counts, now: number): true {
    this.#sending.set(page_id, { since: now, is_known: this.#known.has(page_id), counts });
    return true;
  }

  #hasRoom(now: number): boolean {
    for (const [page_id, sending] of this.#sending) {
      if (!isAbandoned(sending, now)) continue;
      this.#sending.delete(page_id);
      this.#dropped(sumOf(sending.counts));
    }
    return this.#sending.size < PAGES_MAX;
  }

  #count(counts: Counts, link_id: string): void {
    if (!counts.has(link_id) && counts.size >= LINKS_MAX) this.#dropped(makeRoom(counts));
    counts.set(link_id, (counts.get(link_id) ?? 0) + 1);
  }

  /** Sends the page's counts after a second. Drops them and rejects when that fails. */
  async deliver(
    page_id: string,
    send: (counts: readonly LimitedCount[]) => Promise<void>,
  ): Promise<void> {
    await new Promise<void>((resolve) => this.#clock.after(DELIVERY_DELAY_MS, resolve));
    const sending = this.#sending.get(page_id);
    if (sending === undefined) return;
    this.#sending.delete(page_id);
    try {
      await send(Array.from(sending.counts, ([link_id, n]) => ({ link_id, n })));
    } catch (error) {
      this.#dropped(sumOf(sending.counts));
      throw error;
    }
  }
}

function isAbandoned({ since }: Sending, now: number): boolean {
  return now < since || now - since >= ABANDONED_MS;
}

function sumOf(counts: Counts): number {
  return [...counts.values()].reduce((sum, n) => sum + n, 0);
}

/** Drops a link with one event first: invented ids must not displace the page's links. */
function makeRoom(counts: Counts): number {
  const entries = [...counts];
  const [link_id, n] = entries.find(([, n]) => n === 1) ?? entries[0] ?? ["", 0];
  counts.delete(link_id);
  return n;
}
