/**
 * KnownPage: what can be counted of a page: its views, its links and its contact card, while it is
 * published.
 *
 * Owns a copy of what D1 has, stored in the object, so that events are acknowledged while D1 is
 * down. The copy is replaced when the router reports a change (`changed`), by every flush, whose
 * transaction reads the page too, by the sweep, and when an event has an unknown link. In case a
 * report was lost, the copy is also read again after a minute, when the next event comes; if D1
 * does not answer at once, the old copy is used.
 */

import type { Place } from "../events/event.ts";
import { SECOND_MS, withTimeout } from "../platform/clock.ts";
import type { Database, Ports, Statement } from "../platform/ports.ts";
import { Transaction } from "../platform/transaction.ts";
import { isOpen } from "./open-link.ts";
import { type PageRow, type PageTargets, parsePageRow, selectPage } from "./page-row.ts";

/** Longest wait for D1 before an unknown id is answered with an error. */
const LOOK_UP_TIMEOUT_MS = 5 * SECOND_MS;
/** An older copy is read again before use: an edit shows within 60 s. */
export const STALE_MS = 55 * SECOND_MS;
/** Longest wait for D1 while there is an old copy. */
const STALE_WAIT_MS = 250;
/** If D1 does not answer in that time, the old copy is used for this long, and events do not wait again. */
const STALE_PAUSE_MS = 10 * SECOND_MS;
/** For this long, an id that D1 did not have is refused without asking D1: made-up ids must not load it. */
export const ABSENT_MS = 5 * SECOND_MS;

const STORED_AS = "known";
/**
 * Older code stored the links alone, and later the page (docs/faults.md F16). Up to 3.1 it stored
 * the next opening or closing too: after a rollback it would look for more in a copy without them.
 */
const STORED_BEFORE = { links: "links", page: "page", boundary: "next_boundary" } as const;

/** A page as older code stored it, with the addresses of its links; `''` stood for the page. */
interface KnownBefore {
  status: "published" | "suspended";
  links: ReadonlyMap<string, string>;
}

const UNKNOWN = { outcome: "unknown_page" } as const;

interface KnownPagePorts extends Pick<Ports, "storage" | "clock" | "abort"> {
  db: Database;
  /** Called in the transaction that stores a copy that differs. */
  onChanged: (tx: Transaction, page: PageTargets | null, before: PageTargets | null) => void;
}

export class KnownPage {
  readonly #ports: KnownPagePorts;
  /** Null if D1 has no such page; undefined until the stored copy is read. */
  #known: PageTargets | null | undefined;
  /** Unix milliseconds at which D1 was asked for the copy in memory. */
  #read_ms = Number.NEGATIVE_INFINITY;
  /** The number of the last read of D1 that began, and of the one that the copy is from. */
  #reads = 0;
  #newest_read = 0;
  #ended = false;
  /** Until then an old copy is used without asking D1, which has just failed. */
  #trusted_until = Number.NEGATIVE_INFINITY;
  /** A read that is queued behind the current one; callers that arrive meanwhile share it. */
  #next: Promise<void> | null = null;
  /** The read that is under way, if any; never rejects. */
  #current: Promise<unknown> = Promise.resolve();

  constructor(ports: KnownPagePorts) {
    this.#ports = ports;
  }

  get targets(): PageTargets | null {
    return this.#ended ? null : this.#load();
  }

  get version(): number {
    return this.#load()?.version ?? 0;
  }

  get time_zone(): string {
    return this.#load()?.time_zone ?? "UTC";
  }

  /** Where an event belongs, or undefined if D1 must be asked. No I/O, for the hot path. */
  place(link_id: string): Place | undefined {
    if (this.#ended) return UNKNOWN;
    const now = this.#ports.clock.now();
    const age_ms = now - this.#read_ms;
    const copy = this.#copy(link_id);
    if ("url" in copy) {
      // A negative age means that the clock was set back: the copy may be of any age.
      return (age_ms >= 0 && age_ms < STALE_MS) || this.#isTrusted(now) ? copy : undefined;
    }
    // Refusals are cached for a moment only: the page or the link may have been added since.
    return age_ms >= 0 && age_ms < ABSENT_MS ? copy : undefined;
  }

  /**
   * A link added a moment ago counts at once. If D1 fails or takes more than 250 ms, the copy is
   * used; rejects if that does not have the id.
   */
  async lookUp(page_id: string, link_id: string): Promise<Place> {
    const copy = this.#copy(link_id);
    const refreshing = this.refresh(page_id);
    if ("url" in copy || copy.outcome === "suspended" || copy.outcome === "link_expired") {
      try {
        await withTimeout(refreshing, STALE_WAIT_MS, this.#ports.clock);
      } catch {
        this.#trusted_until = this.#ports.clock.now() + STALE_PAUSE_MS;
      }
    } else await refreshing;
    return this.#copy(link_id);
  }

  /**
   * One read is under way at most, and one waits, which serves all callers that came meanwhile.
   * Rejects if D1 fails or takes more than 5 s.
   */
  refresh(page_id: string): Promise<void> {
    this.#next ??= this.#current.then(() => {
      const reading = this.#read(page_id);
      this.#next = null;
      this.#current = reading.catch(() => undefined);
      return reading;
    });
    return this.#next;
  }

  /**
   * Answers the statement, and the function that takes the row. A row that arrives after the row of
   * a later read changes nothing, and neither does an older row of a read that was overtaken on its
   * way to D1. An older row of any other read is of a restored D1.
   */
  beginRead(page_id: string): { select: Statement; take: (row: PageRow | undefined) => void } {
    this.#reads += 1;
    const read = this.#reads;
    const read_ms = this.#ports.clock.now();
    const begun_at = this.version;
    const take = (row: PageRow | undefined) => {
      if (this.#ended || read < this.#newest_read) return;
      const before = this.#load();
      const known = row === undefined ? null : parsePageRow(row);
      if (known !== null && known.version < this.version && this.version !== begun_at) return;
      if (!isSame(known, before)) this.#replace(known, before);
      this.#known = known;
      this.#newest_read = read;
      this.#read_ms = read_ms;
    };
    return { select: selectPage(this.#ports.db, page_id), take };
  }

  /**
   * Resolves if the page has ended, too. Rejects if D1 fails, or lacks a page that has not ended,
   * as a D1 that was restored to an older time does: then the caller must report again.
   */
  async whenKnown(page_id: string): Promise<void> {
    if (this.targets === null && !this.#ended) await this.refresh(page_id);
    if (this.targets === null && !this.#ended) throw new Error("D1 does not have the page");
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
  }

  async #read(page_id: string): Promise<void> {
    const { select, take } = this.beginRead(page_id);
    const { results } = await withTimeout(
      select.all<PageRow>(),
      LOOK_UP_TIMEOUT_MS,
      this.#ports.clock,
    );
    take(results[0]);
  }

  /** Judges by the copy, however old it is. */
  #copy(link_id: string): Place {
    const known = this.#load();
    if (this.#ended || !known || known.status === "draft") return UNKNOWN;
    if (known.status === "suspended") return { outcome: "suspended" };
    if (link_id === "") return { url: "" };
    const target = known.links.get(link_id);
    if (target === undefined) return { outcome: "unknown_link" };
    const now_s = Math.floor(this.#ports.clock.now() / SECOND_MS);
    return isOpen(target, now_s) ? { url: target.url } : { outcome: "link_expired" };
  }

  #isTrusted(now: number): boolean {
    return now < this.#trusted_until && this.#trusted_until - now <= STALE_PAUSE_MS;
  }

  #load(): PageTargets | null {
    this.#known ??= this.#ports.storage.kv.get<PageTargets>(STORED_AS) ?? this.#loadBefore();
    return this.#known;
  }

  #loadBefore(): PageTargets | null {
    const { kv } = this.#ports.storage;
    const { links: alone, page } = STORED_BEFORE;
    const links = kv.get<ReadonlyMap<string, string>>(alone);
    const before = kv.get<KnownBefore>(page) ?? (links && { status: "published", links });
    if (before === undefined) return null;
    const addressed = [...before.links].filter(([link_id]) => link_id !== "");
    return {
      status: before.status,
      version: 0,
      locale: "ar",
      time_zone: "UTC",
      links: new Map(addressed.map(([link_id, url]) => [link_id, { url }])),
    };
  }

  #replace(known: PageTargets | null, before: PageTargets | null): void {
    Transaction.run(this.#ports, (tx) => {
      this.#store(known);
      this.#ports.onChanged(tx, known, before);
    });
  }

  /** A request for a page that does not exist leaves nothing stored (docs/security.md S23). */
  #store(known: PageTargets | null): void {
    const { kv } = this.#ports.storage;
    if (known !== null) kv.put(STORED_AS, known);
    else if (kv.get(STORED_AS) !== undefined) kv.delete(STORED_AS);
    for (const key of Object.values(STORED_BEFORE)) if (kv.get(key) !== undefined) kv.delete(key);
  }
}

function isSame(a: PageTargets | null, b: PageTargets | null): boolean {
  if (a === null || b === null) return a === b;
  const text = (known: PageTargets) => JSON.stringify({ ...known, links: [...known.links] });
  return text(a) === text(b);
}
