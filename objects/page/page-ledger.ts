/**
 * PageLedger: implements the flush scheduler's `Ledger` for a page: selects the rows of one flush
 * from `tables/page-tables.ts` and sends them to D1.
 */
import type { FlushResult, Ledger } from "../flush/ledger.ts";
import { DAY_MS, SECOND_MS } from "../platform/clock.ts";
import type { Database, Ports } from "../platform/ports.ts";
import type { PageHome } from "../stats/page-home.ts";
import type { TipRow } from "../tables/conversions.ts";
import type { DayRow } from "../tables/days.ts";
import type { Milestone } from "../tables/milestones.ts";
import type { MonthRow } from "../tables/months.ts";
import type { JournalSums, PageTables } from "../tables/page-tables.ts";
import type { Tally } from "../tables/tallies.ts";
import {
  checkBlocks,
  checkConfirmed,
  FLUSH_DAYS_MAX,
  FLUSH_TALLIES_MAX,
  FLUSH_TIPS_MAX,
  flushApart,
  flushPage,
} from "./flush-page.ts";
import type { KnownPage } from "./known-page.ts";
import type { LinkSchedule } from "./link-schedule.ts";
import { heldOf } from "./page-snapshot.ts";
import { daysIn, talliesIn, tipsIn } from "./read-counts.ts";

/** Where an object that was put back is stored as such: from when on it takes over what D1 has. */
const BEHIND = "behind_since";

/** A page has one shard so far; its number is part of the key of its rows in D1. */
const SHARD = 0;

/**
 * While fewer events wait, and nobody looks at them, D1 may get them after the long interval. A page
 * with more events is as fresh in D1 as its audience expects of a busy one.
 */
export const QUIET_EVENTS_MAX = 100;

export interface PageRows {
  tallies: Tally[];
  days: DayRow[];
  month: MonthRow | null;
  milestones: Milestone[];
  tips: TipRow[];
  /** The tallies and days as sums of tables and journal; null if they are rows of the tables. */
  journal: JournalSums | null;
}

interface LedgerParts {
  tables: PageTables;
  /** Every flush reads the page in D1 too, and `page` is updated with the row. */
  page: KnownPage;
  schedule: Pick<LinkSchedule, "dueAt">;
  /** The database that the tallies and days go to. */
  home: PageHome;
}

interface LedgerPorts extends Pick<Ports, "storage" | "clock" | "abort"> {
  db: Database;
  /** A function, because the platform may not know the object's name until its first call. */
  pageId: () => string;
  /** D1 had so many events that this object has lost, and has again. */
  onAdopted?: (events: number) => Promise<unknown>;
}

export class PageLedger implements Ledger<PageRows> {
  readonly #ports: LedgerPorts;
  readonly #tables: PageTables;
  readonly #page: KnownPage;
  readonly #schedule: LedgerParts["schedule"];
  readonly #home: PageHome;
  /** Whether D1 had no such page when it was last asked; while true, nothing is flushed. */
  #gone = false;
  /**
   * The flush under way brings the journal into D1 as far as this row. It has to end on a page where
   * events arrive all the time.
   */
  #flush_to = 0;
  /** See `#compare`. */
  #hasCompared = false;

  constructor(ports: LedgerPorts, { tables, page, schedule, home }: LedgerParts) {
    this.#ports = ports;
    this.#home = home;
    this.#schedule = schedule;
    this.#tables = tables;
    this.#page = page;
  }

  exists(): boolean {
    return this.#tables.exist;
  }

  prepare(now: number): void {
    this.#home.begin(
      () => heldOf(this.#tables.totals(), this.#tables.watermark(now)),
      () => this.unconfirm(),
    );
    if (!this.exists()) return;
    this.#tables.prepareFlush(now, this.#page.time_zone);
    this.#flush_to = this.#tables.journalSeq;
  }

  // A day changes and a milestone is reached only together with a tally.
  isDirty(): boolean {
    const { tallies, conversions } = this.#tables;
    return (
      !this.#gone &&
      (conversions.isDirty ||
        tallies.unflushedFrom !== Number.POSITIVE_INFINITY ||
        this.#home.isDue)
    );
  }

  isQuiet(): boolean {
    const { tallies, milestones, conversions } = this.#tables;
    return (
      tallies.isTableFlushed &&
      !milestones.isDue &&
      !conversions.isDirty &&
      !this.#home.isDue &&
      tallies.waiting < QUIET_EVENTS_MAX
    );
  }

  unflushed(): PageRows | null {
    if (!this.exists()) return null;
    const tallies = this.#tables.tallies.unflushed(FLUSH_TALLIES_MAX);
    const days = this.#tables.days.unflushed(FLUSH_DAYS_MAX);
    const month = this.#tables.days.months.unflushed;
    const milestones = this.#tables.milestones.unflushed();
    const tips = this.#tables.conversions.unflushed(FLUSH_TIPS_MAX);
    if (tallies.length + days.length + milestones.length > 0) {
      return { tallies, days, month, milestones, tips, journal: null };
    }
    const journal = this.#tables.flushedSeq < this.#flush_to ? this.#tables.journalSums() : null;
    if (journal !== null) {
      return { tallies: journal.tallies, days: journal.days, month, milestones, tips, journal };
    }
    if (month === null && tips.length === 0) return null;
    return { tallies, days, month, milestones, tips, journal };
  }

  async send({ journal: _, month, ...rows }: PageRows, now: number): Promise<FlushResult> {
    const { db, pageId } = this.#ports;
    const months = month === null ? [] : [month];
    const sending = { ...rows, months, page_id: pageId(), shard: SHARD };
    if (!this.#hasCompared) await this.#compare();
    const confirmed = this.#tables.tallies.confirmed();
    const takeRow = this.#page.beginRead();
    const home = this.#home.current;
    const { result, page } = home.isMain
      ? await flushPage(db, sending, confirmed, now, home)
      : await flushApart(db, home, sending, { ...confirmed, ...this.#confirmedBlocks() }, now);
    this.#gone = result === "gone";
    takeRow(page);
    return result;
  }

  confirm({ tallies, days, month, milestones, tips, journal }: PageRows): void {
    this.#tables.conversions.confirm(tips);
    if (month !== null) this.#tables.days.months.confirm(month);
    if (journal !== null) {
      this.#tables.confirmJournal(journal);
      return;
    }
    this.#tables.tallies.confirm(tallies);
    this.#tables.days.confirm(days);
    this.#tables.milestones.confirm(milestones);
  }

  /** Finishes a move of the page to another database; all is confirmed there. */
  settle(now: number): Promise<void> {
    return this.#home.settle(now);
  }

  async holdsConfirmed(): Promise<boolean> {
    if (!this.#hasCompared) await this.#compare();
    const { db, pageId } = this.#ports;
    const home = this.#home.current;
    const confirmed = this.#tables.tallies.confirmed();
    const found = await Promise.all([
      checkConfirmed(db, pageId(), SHARD, confirmed, home),
      home.isMain ? "all" : checkBlocks(db, pageId(), this.#confirmedBlocks()),
    ]);
    this.#gone = found.includes("gone");
    return !found.includes("less");
  }

  /**
   * Before the first flush: D1 has no more events than this object had when it was made, unless the platform
   * has put its storage back. Later D1 may have what this object has sent.
   */
  async #compare(): Promise<void> {
    const { db, pageId, storage } = this.#ports;
    const behind_since = storage.kv.get<number>(BEHIND);
    if (behind_since !== undefined) await this.#adopt(behind_since);
    const held = this.#tables.heldAtFirst;
    const found = await checkConfirmed(db, pageId(), SHARD, held, this.#home.current);
    if (found === "more") await this.#adopt(held.since);
    this.#hasCompared = true;
  }

  /**
   * The object's storage is of an older time than D1: takes over what D1 has in the hours from `since` on
   * (unix second), and ends the object, whose memory is of before.
   */
  async #adopt(since: number): Promise<never> {
    const { storage, clock, abort, pageId, onAdopted } = this.#ports;
    const { db } = this.#home.current;
    const tables = this.#tables;
    // Cut off, it is done again, whatever the object counts meanwhile.
    storage.kv.put(BEHIND, since);
    const before = tables.tallies.countedFrom(since);
    // Of the main database alone.
    for await (const tips of tipsIn(this.#ports.db, pageId(), tables.conversions.confirmed)) {
      tables.adopt({ tips }, clock.now());
    }
    for await (const days of daysIn(db, pageId(), SHARD, since - 2 * (DAY_MS / SECOND_MS))) {
      tables.adopt({ days }, clock.now());
    }
    // Before `rolled_to` D1 may have the hours of a day that the object has as one.
    const from = Math.max(since, tables.tallies.rolled.to);
    for await (const tallies of talliesIn(db, pageId(), SHARD, from)) {
      tables.adopt({ tallies }, clock.now());
    }
    const events = tables.tallies.countedFrom(since) - before;
    storage.kv.delete(BEHIND);
    await storage.sync();
    await onAdopted?.(events).catch(() => {});
    abort(`D1 had ${events} events that this object had lost`);
    // The platform runs nothing of an object that was aborted.
    return new Promise(() => {});
  }

  #confirmedBlocks() {
    const { milestones, conversions } = this.#tables;
    return { milestones: milestones.confirmed, tips: conversions.confirmed };
  }

  unconfirm(): void {
    if (this.exists()) this.#tables.unconfirm();
  }

  /** Visitors are deleted when their day is over, a link opens or closes, and events go out. */
  dueAt(): number | null {
    const { days, webhooks } = this.#tables;
    const due = [days.forgetAt, this.#schedule.dueAt(), webhooks.dueAt].filter((at) => at !== null);
    return due.length === 0 ? null : Math.min(...due);
  }
}
