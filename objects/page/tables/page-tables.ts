/**
 * PageTables: what one page has counted, in its storage and in memory.
 *
 * Owns the page's journal, tallies, days, milestones, revisions, checkpoints and recent event keys. Events are
 * written to the journal alone, one row for a group. A flush brings the sums of tables and journal
 * into D1. A checkpoint folds the journal into the tables: when it is long, when a day is over, and
 * when a milestone is reached. Forgets event keys after an hour and visitors when their day is over.
 */

import type { Conversion } from "../../events/conversion.ts";
import type { JournalEvent } from "../../events/event.ts";
import type { PackedEvents } from "../../events/packed-events.ts";
import { DAY_MS } from "../../platform/clock.ts";
import type { Ports, Storage } from "../../platform/ports.ts";
import { hasTables, migrate } from "../../platform/schema.ts";
import { Transaction } from "../../platform/transaction.ts";
import { Checkpoints } from "./checkpoints.ts";
import { Conversions, type TipRow } from "./conversions.ts";
import { type DayRow, Days, type DayVisitors } from "./days.ts";
import { FlushMark } from "./flush-mark.ts";
import { Journal } from "./journal.ts";
import { Milestones } from "./milestones.ts";
import { PAGE_STEPS } from "./page-schema.ts";
import { noSteps } from "./present.ts";
import { REMEMBER_MS, RecentIds } from "./recent-ids.ts";
import { rollableTo } from "./retention.ts";
import { nothingCounted, Revisions, type RevisionTotals } from "./revisions.ts";
import { type Confirmed, Tallies, type Tally, type Total } from "./tallies.ts";
import { type PageNewsPorts, WebhookOutbox } from "./webhook-outbox.ts";

/**
 * A journal of at most this many events stays when it is flushed. An object that wakes reads them
 * all: 256 take less than a millisecond, and a row is read for a thousandth of the price of a
 * written one.
 */
export const JOURNAL_KEPT_MAX = 256;
/** Nor longer than this, in milliseconds: only what is in the tables can be rolled into days. */
const JOURNAL_KEPT_MS = DAY_MS;

/** Absolute numbers that have grown with the journal, and its last row. */
export interface JournalSums {
  tallies: Tally[];
  days: DayRow[];
  seq: number;
}

/** What D1 has confirmed, and the most that it may have. */
type Held = Confirmed & { most: number };

type TablePorts = Pick<Ports, "storage" | "abort"> & PageNewsPorts;

/** What the tables need of the page's copy (`page/known-page.ts`). */
interface PageNow {
  version: number;
  time_zone: string;
}

export class PageTables {
  readonly tallies: Tallies;
  readonly days: Days;
  readonly milestones: Milestones;
  readonly conversions: Conversions;
  readonly webhooks: WebhookOutbox;
  readonly #ports: TablePorts;
  readonly #storage: Storage;
  readonly #journal: Journal;
  readonly #checkpoints: Checkpoints;
  readonly #mark: FlushMark;
  readonly #revisions: Revisions;
  readonly #ids = new RecentIds();
  /** When the object was made. */
  #held: Held = { since: 0, n: 0, most: 0, rolled_to: Number.MAX_SAFE_INTEGER };
  /** Whether the tables are up to date; saves the hot path a read of storage. */
  #migrated = false;

  constructor(ports: TablePorts) {
    const { storage } = ports;
    this.#ports = ports;
    this.#storage = storage;
    this.#checkpoints = new Checkpoints(storage.sql);
    this.tallies = new Tallies(storage, this.#checkpoints);
    this.days = new Days(storage);
    this.webhooks = new WebhookOutbox(ports);
    this.milestones = new Milestones(storage, (milestone) => this.webhooks.reached(milestone));
    this.conversions = new Conversions(storage);
    this.#journal = new Journal(storage.sql);
    this.#mark = new FlushMark(storage.kv);
    this.#revisions = new Revisions(storage.sql);
  }

  /** Whether the page has ever counted anything. One that has not stores nothing. */
  get exist(): boolean {
    return hasTables(this.#storage);
  }

  /** Reads back what memory held before the object was ended. */
  load(now: number): void {
    if (!this.exist) return;
    migrate(this.#storage, PAGE_STEPS);
    this.#migrated = true;
    const last = this.#checkpoints.last();
    this.tallies.load(last);
    this.milestones.load(last);
    this.conversions.load();
    this.days.load();
    this.#mark.load();
    for (const { at, keys } of this.#checkpoints.keysSince(now - REMEMBER_MS)) {
      this.#ids.addPacked(keys, at);
    }
    this.#journal.load((event, at_ms, seq) => this.#apply(event, at_ms, seq <= this.#mark.seq));
    const confirmed = this.tallies.confirmed();
    this.#held = { ...confirmed, most: this.tallies.countedFrom(confirmed.since) };
  }

  /**
   * What D1 had confirmed when the object was made, and how many events the object had: D1 may have some of them
   * that it has not confirmed, and never more.
   */
  get heldAtFirst(): Held {
    return this.#held;
  }

  /** Whether an event with this key was accepted within the last hour. */
  has(high: number, low: number): boolean {
    return this.#ids.has(high, low);
  }

  /**
   * Writes a group of new events that arrived at `at_ms`; answers what the journal holds of them.
   */
  append(
    tx: Transaction,
    batches: readonly PackedEvents[],
    at_ms: number,
    { version, time_zone }: PageNow,
  ): JournalEvent[] {
    this.#prepare(version, at_ms);
    this.days.prepare(tx, batches, at_ms, time_zone);
    const events = this.#journal.append(tx, batches, at_ms);
    tx.afterCommit(() => {
      this.#migrated = true;
      for (const event of events) this.#apply(event, at_ms);
    });
    return events;
  }

  /**
   * Stores conversions that arrived at `at_ms`. The new ones among them become events by
   * `toEvents`; answers what the journal holds of them.
   */
  convert(
    tx: Transaction,
    conversions: readonly Conversion[],
    toEvents: (fresh: readonly Conversion[]) => PackedEvents,
    at_ms: number,
    page: PageNow,
  ): JournalEvent[] {
    this.#prepare(page.version, at_ms);
    const fresh = this.conversions.add(tx, conversions);
    this.webhooks.converted(fresh, at_ms);
    return fresh.length === 0 ? [] : this.append(tx, [toEvents(fresh)], at_ms, page);
  }

  /** Makes the tables before the page's first event. */
  #prepare(version: number, at_ms: number): void {
    if (this.#migrated || this.exist) return;
    migrate(this.#storage, PAGE_STEPS);
    this.#revisions.note(version, at_ms, []);
  }

  /** Whether a checkpoint should clear the journal at once. */
  get isJournalFull(): boolean {
    return this.#journal.isFull;
  }

  /** Number of the newest row of the journal; 0 while it is empty. */
  get journalSeq(): number {
    return this.#journal.seq;
  }

  /** Number of the last row of the journal that D1 has confirmed. */
  get flushedSeq(): number {
    return this.#mark.seq;
  }

  /** Runs a checkpoint if one is needed, forgets what is past its time, and closes a month. */
  prepareFlush(now: number, time_zone: string): void {
    this.#ids.forget(now);
    if (this.#needsCheckpoint(now)) this.checkpoint(now);
    // Visitors are deleted after their day, even if D1 does not have their number yet.
    this.days.forget(now);
    this.days.months.prepare(now, time_zone);
  }

  #needsCheckpoint(now: number): boolean {
    const { forgetAt } = this.days;
    return (
      this.#journal.length > JOURNAL_KEPT_MAX ||
      // By bytes: rows have the records of events that did not count, too.
      this.#journal.isFull ||
      this.#isJournalOld(now) ||
      this.milestones.isDue ||
      // What waits in the tables goes with the rest in one flush.
      !this.tallies.isTableFlushed ||
      (forgetAt !== null && forgetAt <= now)
    );
  }

  #isJournalOld(now: number): boolean {
    const since = this.#journal.sinceAfter(0);
    return since !== null && since <= now - JOURNAL_KEPT_MS;
  }

  /** What D1 has not confirmed of the journal; null if it has all. */
  journalSums(): JournalSums | null {
    const tallies = this.tallies.unflushedSinceCheckpoint();
    if (tallies.length === 0) return null;
    const { seq } = this.#journal;
    return { tallies, days: this.days.unflushedSinceCheckpoint(), seq };
  }

  /** D1 has confirmed these sums. No checkpoint may have run since they were made. */
  confirmJournal({ tallies, days, seq }: JournalSums): void {
    this.#mark.store(seq);
    this.tallies.confirmSinceCheckpoint(tallies);
    this.days.confirmSinceCheckpoint(days);
  }

  /** Folds the journal into the tables, all or nothing. */
  checkpoint(now: number): void {
    if (this.#journal.length === 0) return;
    Transaction.run(this.#ports, (tx) => {
      this.tallies.checkpoint(tx);
      this.days.checkpoint(tx);
      const people = this.milestones.checkpoint(tx, now);
      this.#checkpoints.write(tx, this.#ids.checkpoint(tx, now), {
        unflushed_from: this.tallies.storedUnflushedFrom,
        people: JSON.stringify(people),
      });
      this.#checkpoints.forget(now - REMEMBER_MS);
      this.#journal.clear(tx);
      this.#mark.delete(tx);
    });
  }

  /** Rolls hours older than `HOURS_KEPT_DAYS` into days (`retention.ts`), if there are any. */
  roll(now: number): void {
    if (!this.exist) return;
    if (this.#isJournalOld(now)) this.checkpoint(now);
    const to = this.tallies.rolled.next(rollableTo(now, this.tallies.confirmed().since));
    if (to === null) return;
    // Events that are only in the journal may be of these days too.
    this.checkpoint(now);
    Transaction.run(this.#ports, (tx) => this.tallies.roll(tx, to));
  }

  /**
   * Takes over rows that D1 has from this object's future (docs/faults.md F36). May be repeated. The object must
   * be loaded anew.
   */
  adopt(
    {
      tallies = [],
      days = [],
      tips = [],
    }: { tallies?: readonly Tally[]; days?: readonly DayRow[]; tips?: readonly TipRow[] },
    now: number,
  ): void {
    this.checkpoint(now);
    Transaction.run(this.#ports, (tx) => {
      this.tallies.adopt(tallies);
      this.days.adopt(tx, days);
      this.conversions.adopt(tips);
      // Without the totals of memory: those of the table have grown.
      const milestones = new Milestones(this.#storage, (milestone) =>
        this.webhooks.reached(milestone),
      );
      this.#checkpoints.replacePeople(JSON.stringify(milestones.checkpoint(tx, now)));
    });
  }

  /** Marks everything as unconfirmed, after D1 was restored. */
  unconfirm(): void {
    Transaction.run(this.#ports, (tx) => {
      this.tallies.unconfirm(tx);
      this.days.unconfirm(tx);
      this.milestones.unconfirm();
      this.conversions.unconfirm();
      this.#mark.delete(tx);
    });
  }

  /**
   * Notes the totals with which this version of the page comes into use. A page that has counted
   * nothing stores nothing.
   */
  noteRevision(version: number, now: number): void {
    if (this.#migrated) this.#revisions.note(version, now, this.tallies.totals());
  }

  /** The newest version of the page whose totals were noted; 0 without any. */
  get newestRevision(): number {
    return this.exist ? this.#revisions.newest : 0;
  }

  /** The totals of a version that the page's copy has or had; null if they are not kept. */
  revisionTotals(version: number): RevisionTotals | null {
    return this.exist ? this.#revisions.of(version) : nothingCounted(version);
  }

  /** The visitors so far of the day at this time; null if it has none yet. */
  visitorsAt(at_ms: number): DayVisitors | null {
    return this.exist ? this.days.visitorsAt(at_ms) : null;
  }

  /** The people who are on the page at this time (`present.ts`). */
  presentAt(at_ms: number): number[] {
    return this.exist ? this.days.presentAt(at_ms) : noSteps();
  }

  totals(): Total[] {
    return this.exist ? this.tallies.totals() : [];
  }

  /** Unix milliseconds: everything acknowledged before is in D1. */
  watermark(now: number): number {
    if (!this.exist) return now;
    const since = [this.#journal.sinceAfter(this.#mark.seq), this.tallies.pendingSince()];
    return Math.min(now, ...since.filter((at) => at !== null));
  }

  /** Applies a stored event to memory: the same for new events and for those read back. */
  #apply(event: JournalEvent, at_ms: number, is_flushed = false): void {
    this.#ids.add(event.key.high, event.key.low);
    this.tallies.add(event, at_ms, is_flushed);
    this.days.add(event, at_ms, is_flushed);
    this.milestones.add(event);
  }
}
