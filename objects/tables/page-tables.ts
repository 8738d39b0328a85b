/**
 * PageTables: what one page has counted, in its storage and in memory.
 *
 * Owns the page's journal, tallies, days, milestones, revisions, checkpoints and recent event keys. Events are
 * written to the journal alone, one row for a group; a checkpoint folds the journal into the
 * tables, and a flush brings the tables into D1. Forgets event keys after an hour and visitors when
 * their day is over.
 */
import type { Ports, Storage } from "../platform/ports.ts";
import { hasTables, migrate } from "../platform/schema.ts";
import { Transaction } from "../platform/transaction.ts";
import { Checkpoints } from "./checkpoints.ts";
import { Days, type DayVisitors } from "./days.ts";
import type { JournalEvent, PageEvent } from "./event.ts";
import { Journal } from "./journal.ts";
import { Milestones } from "./milestones.ts";
import { PAGE_STEPS } from "./page-schema.ts";
import { noSteps } from "./present.ts";
import { REMEMBER_MS, RecentIds } from "./recent-ids.ts";
import { rollableTo } from "./retention.ts";
import { nothingCounted, Revisions, type RevisionTotals } from "./revisions.ts";
import { Tallies, type Total } from "./tallies.ts";

type TablePorts = Pick<Ports, "storage" | "abort">;

/** What the tables need of the page's copy (`page/known-page.ts`). */
interface PageNow {
  version: number;
  time_zone: string;
}

export class PageTables {
  readonly tallies: Tallies;
  readonly days: Days;
  readonly milestones: Milestones;
  readonly #ports: TablePorts;
  readonly #storage: Storage;
  readonly #journal: Journal;
  readonly #checkpoints: Checkpoints;
  readonly #revisions: Revisions;
  readonly #ids = new RecentIds();
  /** Whether the tables are up to date; saves the hot path a read of storage. */
  #migrated = false;

  constructor(ports: TablePorts) {
    const { storage } = ports;
    this.#ports = ports;
    this.#storage = storage;
    this.#checkpoints = new Checkpoints(storage.sql);
    this.tallies = new Tallies(storage, this.#checkpoints);
    this.days = new Days(storage);
    this.milestones = new Milestones(storage);
    this.#journal = new Journal(storage.sql);
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
    this.days.load();
    for (const { at, keys } of this.#checkpoints.keysSince(now - REMEMBER_MS)) {
      this.#ids.addPacked(keys, at);
    }
    this.#journal.load((event, at_ms) => this.#apply(event, at_ms));
  }

  /** Whether an event with this key was accepted within the last hour. */
  has(key: string): boolean {
    return this.#ids.has(key);
  }

  /**
   * Writes a group of new events that arrived at `at_ms`; answers what the journal holds of them.
   */
  append(
    tx: Transaction,
    events: readonly PageEvent[],
    at_ms: number,
    { version, time_zone }: PageNow,
  ): JournalEvent[] {
    if (!this.#migrated) {
      migrate(this.#storage, PAGE_STEPS);
      this.#revisions.note(version, at_ms, []);
    }
    const journaled = this.days.toJournal(tx, events, at_ms, time_zone);
    this.#journal.append(tx, journaled, at_ms);
    tx.afterCommit(() => {
      this.#migrated = true;
      for (const event of journaled) this.#apply(event, at_ms);
    });
    return journaled;
  }

  /** Whether a checkpoint should clear the journal at once. */
  get isJournalFull(): boolean {
    return this.#journal.isFull;
  }

  /** Folds the journal into the tables, all or nothing, and forgets event keys past their hour. */
  checkpoint(now: number): void {
    this.#ids.forget(now);
    const { keys } = this.#journal;
    if (keys.length === 0) return;
    Transaction.run(this.#ports, (tx) => {
      this.tallies.checkpoint(tx);
      this.days.checkpoint(tx);
      const people = this.milestones.checkpoint(tx, now);
      this.#checkpoints.write(now, keys, {
        unflushed_from: this.tallies.unflushedFrom,
        people: JSON.stringify(people),
      });
      this.#checkpoints.forget(now - REMEMBER_MS);
      this.#journal.clear(tx);
    });
  }

  /** Rolls hours older than `HOURS_KEPT_DAYS` into days (`retention.ts`), if there are any. */
  roll(now: number): void {
    if (!this.exist) return;
    const to = this.tallies.rolled.next(rollableTo(now, this.tallies.confirmed().since));
    if (to === null) return;
    // Events that are only in the journal may be of these days too.
    this.checkpoint(now);
    Transaction.run(this.#ports, (tx) => this.tallies.roll(tx, to));
  }

  /** Marks everything as unconfirmed, after D1 was restored. */
  unconfirm(): void {
    Transaction.run(this.#ports, (tx) => {
      this.tallies.unconfirm(tx);
      this.days.unconfirm();
      this.milestones.unconfirm();
    });
  }

  /**
   * Notes the totals with which this version of the page comes into use. A page that has counted
   * nothing stores nothing.
   */
  noteRevision(version: number, now: number): void {
    if (this.#migrated) this.#revisions.note(version, now, this.tallies.totals());
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
    const since = [this.#journal.since, this.tallies.pendingSince()].filter((at) => at !== null);
    return Math.min(now, ...since);
  }

  /** Applies a stored event to memory: the same for new events and for those read back. */
  #apply(event: JournalEvent, at_ms: number): void {
    this.#ids.add(event.key, at_ms);
    this.tallies.add(event, at_ms);
    this.days.add(event, at_ms);
    this.milestones.add(event);
  }
}
