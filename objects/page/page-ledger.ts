/** PageLedger: selects the rows of one flush from `tables/page-tables.ts` and sends them to D1. */
import type { FlushResult, Ledger, Sendings } from "../flush/flush-scheduler.ts";
import { DAY_MS, SECOND_MS } from "../platform/clock.ts";
import type { Ports } from "../platform/ports.ts";
import {
  checkConfirmed,
  checkCounts,
  FLUSH_DAYS_MAX,
  FLUSH_TALLIES_MAX,
  FLUSH_TIPS_MAX,
  flushPage,
} from "./flush-page.ts";
import type { PageHome } from "./home/page-home.ts";
import type { KnownPage } from "./known-page.ts";
import { heldOf } from "./page-snapshot.ts";
import { daysIn, talliesIn, tipsIn } from "./read-counts.ts";
import type { TipRow } from "./tables/conversions.ts";
import type { DayRow } from "./tables/days.ts";
import type { Milestone } from "./tables/milestones.ts";
import type { MonthRow } from "./tables/months.ts";
import type { JournalSums, PageTables } from "./tables/page-tables.ts";
import type { Tally } from "./tables/tallies.ts";

/** Stores that an object was put back: the unix second from when on it takes what D1 has. */
const BEHIND = "behind_since";

/** While fewer events wait, and nobody looks, D1 may get them after the long interval. */
export const QUIET_EVENTS_MAX = 100;

interface PageRows {
  tallies: Tally[];
  days: DayRow[];
  month: MonthRow | null;
  milestones: Milestone[];
  tips: TipRow[];
  /** If given, the tallies and days are sums of tables and journal. */
  journal: JournalSums | null;
}

interface LedgerParts {
  tables: PageTables;
  /** Gets the page's row, which every flush reads in D1 too. */
  page: KnownPage;
  home: PageHome;
}

interface LedgerPorts extends Pick<Ports, "storage" | "clock" | "abort"> {
  onAdopted?: (events: number) => Promise<unknown>;
}

export class PageLedger implements Ledger {
  readonly #ports: LedgerPorts;
  readonly #tables: PageTables;
  readonly #page: KnownPage;
  readonly #home: PageHome;
  /** Whether D1 had no such page when it was last asked; nothing is flushed then. */
  #gone = false;
  /** The flush under way ends at this row of the journal, although events go on arriving. */
  #flush_to = 0;
  #hasCompared = false;

  constructor(ports: LedgerPorts, { tables, page, home }: LedgerParts) {
    this.#ports = ports;
    this.#home = home;
    this.#tables = tables;
    this.#page = page;
  }

  exists(): boolean {
    return this.#tables.exist;
  }

  prepare(now: number): void {
    if (this.#home.isDue) {
      this.#home.begin(
        () => heldOf(this.#tables.totals(), this.#tables.watermark(now)),
        () => this.unconfirm(),
      );
    }
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

  async *flush(now: number): Sendings {
    this.prepare(now);
    for (let next = this.#unflushed(); next !== null; next = this.#unflushed()) {
      const rows = next;
      const result = yield () => this.#send(rows, this.#ports.clock.now());
      // The numbers stay in the object, in case the page comes back with a restored D1 (F20).
      if (result === "gone") return;
      if (result === "written") this.#confirm(rows);
      // D1 was restored to an older point (F20). The lost rows may be of any time, and absolute
      // numbers repair each row that they reach, so everything is sent again.
      else this.unconfirm();
    }
    // Finishes a move of the page to another database; all is confirmed there.
    await this.#home.settle(this.#ports.clock.now());
  }

  #unflushed(): PageRows | null {
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

  async #send({ journal: _, month, ...rows }: PageRows, now: number): Promise<FlushResult> {
    const months = month === null ? [] : [month];
    const sending = { ...rows, months };
    if (!this.#hasCompared) await this.#compare();
    const home = this.#home.current;
    const { select, take } = this.#page.beginRead(home.page_id);
    const { result, page } = await flushPage(home, sending, this.#confirmed(), now, select);
    this.#gone = result === "gone";
    take(page);
    return result;
  }

  #confirm({ tallies, days, month, milestones, tips, journal }: PageRows): void {
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

  async holdsConfirmed(): Promise<boolean> {
    if (!this.#hasCompared) await this.#compare();
    const found = await checkConfirmed(this.#home.current, this.#confirmed());
    this.#gone = found.includes("gone");
    return !found.includes("less");
  }

  /** The first flush finds more in D1 than here only if this object's storage was put back. */
  async #compare(): Promise<void> {
    const behind_since = this.#ports.storage.kv.get<number>(BEHIND);
    if (behind_since !== undefined) await this.#adopt(behind_since);
    const held = this.#tables.heldAtFirst;
    const found = await checkCounts(this.#home.current, held);
    if (found === "more") await this.#adopt(held.since);
    this.#hasCompared = true;
  }

  /**
   * The object's storage is of an older time than D1: takes what D1 has in the hours from `since`
   * on (unix second), and ends the object, whose memory is outdated.
   */
  async #adopt(since: number): Promise<never> {
    const { storage, clock, abort, onAdopted } = this.#ports;
    const home = this.#home.current;
    const tables = this.#tables;
    // If cut off, it is done again, whatever the object counts meanwhile.
    storage.kv.put(BEHIND, since);
    const before = tables.tallies.countedFrom(since);
    for await (const tips of tipsIn(home, tables.conversions.confirmed)) {
      tables.adopt({ tips }, clock.now());
    }
    for await (const days of daysIn(home, since - 2 * (DAY_MS / SECOND_MS))) {
      tables.adopt({ days }, clock.now());
    }
    // Before `rolled_to` D1 may have the hours of a day that the object has as one.
    const from = Math.max(since, tables.tallies.rolled.to);
    for await (const tallies of talliesIn(home, from)) {
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

  #confirmed() {
    const { tallies, milestones, conversions } = this.#tables;
    const counts = tallies.confirmed();
    return { ...counts, milestones: milestones.confirmed, tips: conversions.confirmed };
  }

  unconfirm(): void {
    if (this.exists()) this.#tables.unconfirm();
  }

  /** Visitors are deleted when their day is over, and events go out. */
  dueAt(): number | null {
    const { days, webhooks } = this.#tables;
    const due = [days.forgetAt, webhooks.dueAt].filter((at) => at !== null);
    return due.length === 0 ? null : Math.min(...due);
  }
}
