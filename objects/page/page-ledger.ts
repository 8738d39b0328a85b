/** PageLedger: a page's tallies, days and milestones, as the flusher sees them. */
import type { FlushResult, Ledger } from "../flush/flush-scheduler.ts";
import type { Database, Storage } from "../platform/ports.ts";
import { hasTables } from "../platform/schema.ts";
import type { Day, Days } from "../tables/days.ts";
import type { Milestone, Milestones } from "../tables/milestones.ts";
import { rollableTo } from "../tables/retention.ts";
import type { Tallies, Tally } from "../tables/tallies.ts";
import { checkConfirmed, FLUSH_DAYS_MAX, FLUSH_TALLIES_MAX, flushPage } from "./flush-page.ts";
import type { KnownPage } from "./known-page.ts";

/** A page has one shard so far; its number is part of the key of its rows in D1. */
const SHARD = 0;

export interface PageRows {
  tallies: Tally[];
  days: Day[];
  milestones: Milestone[];
}

/** The tables inside the object that D1 gets a copy of. */
export interface PageTables {
  tallies: Tallies;
  days: Days;
  milestones: Milestones;
}

export interface PageLedgerPorts {
  storage: Storage;
  db: Database;
  /** A function, because the platform may not know the object's name until its first call. */
  pageId: () => string;
  /** Learns from every flush what D1 says of the page. */
  page: KnownPage;
}

export class PageLedger implements Ledger<PageRows> {
  readonly #ports: PageLedgerPorts;
  readonly #tallies: Tallies;
  readonly #days: Days;
  readonly #milestones: Milestones;
  readonly #checkpoint: () => void;
  /** Whether D1 had no such page when it was last asked; its numbers wait until it has. */
  #gone = false;

  /** @param checkpoint brings the tables up to what was acknowledged */
  constructor(ports: PageLedgerPorts, tables: PageTables, checkpoint: () => void) {
    this.#ports = ports;
    this.#tallies = tables.tallies;
    this.#days = tables.days;
    this.#milestones = tables.milestones;
    this.#checkpoint = checkpoint;
  }

  exists(): boolean {
    return hasTables(this.#ports.storage);
  }

  prepare(now: number): void {
    this.#checkpoint();
    // Visitors die with their day, whether or not D1 is there to hear how many they were.
    this.#days.forget(now);
  }

  // A day changes and a milestone is reached only together with a tally.
  isDirty(): boolean {
    return !this.#gone && this.#tallies.unflushedFrom !== Number.POSITIVE_INFINITY;
  }

  unflushed(): PageRows | null {
    const tallies = this.#tallies.unflushed(FLUSH_TALLIES_MAX);
    const days = this.#days.unflushed(FLUSH_DAYS_MAX);
    const milestones = this.#milestones.unflushed();
    return tallies.length + days.length + milestones.length === 0
      ? null
      : { tallies, days, milestones };
  }

  async send(rows: PageRows, now: number): Promise<FlushResult> {
    const { db, page, pageId } = this.#ports;
    const asked = page.startRead();
    const sending = { ...rows, page_id: pageId(), shard: SHARD };
    const { sent, page: row } = await flushPage(db, sending, this.#tallies.confirmed(), now);
    this.#gone = sent === "gone";
    page.finishRead(row, asked);
    return sent;
  }

  confirm({ tallies, days, milestones }: PageRows): void {
    this.#tallies.confirm(tallies);
    this.#days.confirm(days);
    this.#milestones.confirm(milestones);
  }

  async holdsConfirmed(): Promise<boolean> {
    const { db, pageId } = this.#ports;
    const held = await checkConfirmed(db, pageId(), SHARD, this.#tallies.confirmed());
    this.#gone = held === "gone";
    return held !== "less";
  }

  unconfirm(): void {
    this.#ports.storage.transactionSync(() => {
      this.#tallies.unconfirm();
      this.#days.unconfirm();
      this.#milestones.unconfirm();
    });
    this.#tallies.unflushedSince(0);
  }

  /**
   * Rolls hours that have had their time into days (`retention.ts`), of which D1 hears like of any other
   * change. Not while a flush is under way, whose reply would be about hours that are gone.
   */
  roll(now: number): void {
    if (!this.exists()) return;
    const { rolled } = this.#tallies;
    const to = rolled.next(rollableTo(now, this.#tallies.confirmed().since));
    if (to === null) return;
    // What is in memory alone may be of these days too.
    this.#checkpoint();
    const first = this.#ports.storage.transactionSync(() => {
      const first = rolled.fold(to);
      if (first !== null) this.#tallies.noteUnflushedSince(first);
      return first;
    });
    rolled.folded(to);
    if (first !== null) this.#tallies.unflushedSince(first);
  }

  forgetAt(): number | null {
    return this.#days.forgetAt;
  }
}
