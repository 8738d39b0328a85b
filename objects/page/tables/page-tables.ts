/**
 * PageTables: what one page has counted, in its storage and in memory.
 *
 * Events are written to the journal alone, one row for a group. A flush brings the sums of tables
 * and journal into D1. A checkpoint folds the journal into the tables: when it is long, when a day
 * is over, and when a milestone is reached. Forgets event keys after an hour and visitors when
 * their day is over.
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
 * in less than a millisecond, and reading a row costs a thousandth of writing it.
 */
export const JOURNAL_KEPT_MAX = 256;
/** For how long it stays: only what is in the tables can be rolled into days. */
const JOURNAL_KEPT_MS = DAY_MS;

export interface JournalSums {
  tallies: Tally[];
  days: DayRow[];
  seq: number;
}

type Held = Confirmed & { most: number };

type TablePorts = Pick<Ports, "storage" | "abort"> & PageNewsPorts;

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
  #held: Held = { since: 0, n: 0, most: 0, rolled_to: Number.MAX_SAFE_INTEGER };
  /** Saves the hot path a read of storage. */
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

  /** A page that has never counted anything stores nothing. */
  get exist(): boolean {
    return hasTables(this.#storage);
  }

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

  /** The state when the object was made: D1 may have up to `most` events, and never more. */
  get heldAtFirst(): Held {
    return this.#held;
  }

  has(high: number, low: number): boolean {
    return this.#ids.has(high, low);
  }

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

  /** The new conversions become events by `toEvents`; answers what the journal holds of them. */
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

  #prepare(version: number, at_ms: number): void {
    if (this.#migrated || this.exist) return;
    migrate(this.#storage, PAGE_STEPS);
    this.#revisions.note(version, at_ms, []);
  }

  get isJournalFull(): boolean {
    return this.#journal.isFull;
  }

  get journalSeq(): number {
    return this.#journal.seq;
  }

  get flushedSeq(): number {
    return this.#mark.seq;
  }

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
      // This counts bytes: rows have the records of events that did not count, too.
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

  journalSums(): JournalSums | null {
    const tallies = this.tallies.unflushedSinceCheckpoint();
    if (tallies.length === 0) return null;
    const { seq } = this.#journal;
    return { tallies, days: this.days.unflushedSinceCheckpoint(), seq };
  }

  /** No checkpoint may have run since the sums were made. */
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

  roll(now: number): void {
    if (!this.exist) return;
    if (this.#isJournalOld(now)) this.checkpoint(now);
    const to = this.tallies.rolled.next(rollableTo(now, this.tallies.confirmed().since));
    if (to === null) return;
    // Events that are only in the journal may be of these days too.
    this.checkpoint(now);
    Transaction.run(this.#ports, (tx) => this.tallies.roll(tx, to));
  }

  /** Takes rows of D1 (docs/faults.md F36). May be repeated. The object must be loaded anew. */
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
      // The totals in memory are too low: those of the table have grown.
      const milestones = new Milestones(this.#storage, (milestone) =>
        this.webhooks.reached(milestone),
      );
      this.#checkpoints.replacePeople(JSON.stringify(milestones.checkpoint(tx, now)));
    });
  }

  unconfirm(): void {
    Transaction.run(this.#ports, (tx) => {
      this.tallies.unconfirm(tx);
      this.days.unconfirm(tx);
      this.milestones.unconfirm();
      this.conversions.unconfirm();
      this.#mark.delete(tx);
    });
  }

  noteRevision(version: number, now: number): void {
    if (this.#migrated) this.#revisions.note(version, now, this.tallies.totals());
  }

  get newestRevision(): number {
    return this.exist ? this.#revisions.newest : 0;
  }

  revisionTotals(version: number): RevisionTotals | null {
    return this.exist ? this.#revisions.of(version) : nothingCounted(version);
  }

  visitorsAt(at_ms: number): DayVisitors | null {
    return this.exist ? this.days.visitorsAt(at_ms) : null;
  }

  presentAt(at_ms: number): number[] {
    return this.exist ? this.days.presentAt(at_ms) : noSteps();
  }

  totals(): Total[] {
    return this.exist ? this.tallies.totals() : [];
  }

  /** Everything acknowledged before this unix millisecond is in D1. */
  watermark(now: number): number {
    if (!this.exist) return now;
    const since = [this.#journal.sinceAfter(this.#mark.seq), this.tallies.pendingSince()];
    return Math.min(now, ...since.filter((at) => at !== null));
  }

  #apply(event: JournalEvent, at_ms: number, is_flushed = false): void {
    this.#ids.add(event.key.high, event.key.low);
    this.tallies.add(event, at_ms, is_flushed);
    this.days.add(event, at_ms, is_flushed);
    this.milestones.add(event);
  }
}
