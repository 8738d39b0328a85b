/**
 * PageCounter: one page, from its first event to its end. What a page object does, without the
 * platform around it: records events (`event-recorder.ts`), keeps them (`tables/page-tables.ts`) and
 * brings them into D1 (`page-ledger.ts`, `flush/flush-scheduler.ts`). Owns the end of the page.
 *
 *   record ─▶ group commit ─▶ journal row ─▶ acknowledged
 *                               alarm: checkpoint (journal ─▶ tables) ─▶ flush (tables ─▶ D1)
 *
 * Memory is only a cache of what is stored: every step writes first and changes memory after, so a
 * failed write, an eviction or a SIGKILL at any line leaves nothing half-counted.
 */

import { type AnnouncedNumbers, takeAnnounced } from "../events/announced.ts";
import type { Conversion } from "../events/conversion.ts";
import type { PageEvent, Receipt } from "../events/event.ts";
import { PackedEvents, packEvents } from "../events/packed-events.ts";
import { type FlushPorts, FlushScheduler, type SweepResult } from "../flush/flush-scheduler.ts";
import { keyOf } from "../keys/key-list.ts";
import { DAY_MS, withTimeout } from "../platform/clock.ts";
import type { Transaction } from "../platform/transaction.ts";
import { EventRecorder, type RecorderPorts } from "./event-recorder.ts";
import { forgetPage } from "./flush-page.ts";
import { NO_STATS, type StatsDatabases } from "./home/databases.ts";
import { PageHome } from "./home/page-home.ts";
import { KnownPage } from "./known-page.ts";
import { PageLedger } from "./page-ledger.ts";
import type { PageTargets } from "./page-row.ts";
import { type PageSnapshot, totalsIn } from "./page-snapshot.ts";
import type { TipTotals } from "./tables/conversions.ts";
import type { DayVisitors } from "./tables/days.ts";
import { PageTables } from "./tables/page-tables.ts";
import { type PeopleTotals, peopleIn, type RevisionTotals } from "./tables/revisions.ts";
import type { Total } from "./tables/tallies.ts";
import type { PageNewsPorts } from "./tables/webhook-outbox.ts";

const ENDED = "ended";

/** Stores the newest version that the object knew when D1 went back to an older one. */
const LOST = "lost";
/** Longer than D1 can be restored (docs/operations.md). */
const LOST_KEPT_MS = 35 * DAY_MS;

const FORGET_TIMEOUT_MS = 10_000;

export interface PageMemory {
  ended: boolean;
  /** The newest version that the object knows or, for 35 days, knew before a restore of D1. */
  version: number;
  tips: number;
  /** The newsletter's object announced these, with the version of its list. */
  subscribers: { n: number; version: number };
}

interface LostVersion {
  version: number;
  at: number;
}

interface CounterPorts extends FlushPorts, RecorderPorts, PageNewsPorts {
  /** Without it, all statistics are in `db`. */
  stats?: StatsDatabases;
  /** D1 had this many events that the object had lost, and has again (`PageLedger`). */
  onAdopted?: (events: number) => Promise<unknown>;
}

export class PageCounter {
  readonly #ports: CounterPorts;
  readonly #tables: PageTables;
  readonly #page: KnownPage;
  readonly #home: PageHome;
  readonly #flushes: FlushScheduler;
  readonly #recorder: EventRecorder;

  constructor(ports: CounterPorts) {
    this.#ports = ports;
    const { storage, clock } = ports;
    const tables = new PageTables(ports);
    const page = new KnownPage({ ...ports, onChanged: (...copies) => this.#onChanged(...copies) });
    this.#tables = tables;
    this.#page = page;
    const home = new PageHome({ ...ports, stats: ports.stats ?? NO_STATS });
    this.#home = home;
    const ledger = new PageLedger(ports, { tables, page, home });
    this.#flushes = new FlushScheduler(ports, ledger);
    this.#recorder = new EventRecorder(ports, { tables, page, flushes: this.#flushes });
    if (storage.kv.get(ENDED) === undefined) tables.load(clock.now());
    else this.#stop();
  }

  ready(): Promise<void> {
    return this.#flushes.ready();
  }

  async record(event: PageEvent): Promise<Receipt> {
    const [receipt] = await this.recordBatch(packEvents([event]));
    if (receipt === undefined) throw new Error("the event has no receipt");
    return receipt;
  }

  recordBatch(events: Uint8Array<ArrayBuffer>): Promise<Receipt[]> {
    return this.#recorder.record(PackedEvents.read(events));
  }

  recordAll(events: readonly PageEvent[]): Promise<void> {
    return this.#recorder.recordAll(events);
  }

  convert(conversions: readonly Conversion[]): Promise<void> {
    return this.#recorder.convert(conversions);
  }

  tipTotals(): TipTotals {
    return this.#tables.conversions.totals;
  }

  /**
   * Takes the numbers also while D1 lacks the page, because they are not sent again; an old version
   * changes nothing. Resolves when they are durable, or the page has ended. Rejects if storage
   * fails.
   */
  async announced<Block extends keyof AnnouncedNumbers>(
    block: Block,
    numbers: AnnouncedNumbers[Block],
  ): Promise<void> {
    const { storage, onCounted } = this.#ports;
    if (this.#page.hasEnded) return;
    if (!takeAnnounced(storage.kv, block, numbers)) return;
    onCounted?.([]);
    await storage.sync();
  }

  blockNumbers<Block extends keyof AnnouncedNumbers>(
    block: Block,
  ): AnnouncedNumbers[Block] | undefined {
    return this.#ports.storage.kv.get<AnnouncedNumbers[Block]>(block);
  }

  /** The page was changed in D1. Rejects if D1 fails. */
  async changed(): Promise<void> {
    if (!this.#page.hasEnded) await this.#page.refresh(this.#ports.pageId());
  }

  /**
   * Leaves nothing stored but the fact that the page has ended. Calls under way and later ones
   * count, store and send nothing. Rejects if D1 fails: then the caller has to call again.
   */
  async end(): Promise<void> {
    const { storage, db, clock, pageId } = this.#ports;
    this.#stop();
    if (storage.kv.get(ENDED) === undefined) {
      // These are two commits. Cut off between them the object is empty and D1 has no such page, so
      // it counts nothing, and the caller calls again.
      await storage.deleteAll();
      storage.kv.put(ENDED, clock.now());
      await storage.sync();
    }
    await Promise.all([
      withTimeout(forgetPage(db, pageId()), FORGET_TIMEOUT_MS, clock),
      this.#home.forget(clock.now()),
    ]);
  }

  /**
   * People's totals when each of these versions came into use; null for a version that D1 does not
   * have, or whose totals are not kept any more. Rejects if one is newer than the object's copy and
   * D1 fails.
   */
  async revisionTotals(versions: readonly number[]): Promise<(RevisionTotals | null)[]> {
    if (versions.some((version) => version > this.#page.version)) await this.changed();
    return versions.map((version) => {
      const isKnown = !this.#page.hasEnded && version <= this.#page.version;
      return isKnown ? this.#tables.revisionTotals(version) : null;
    });
  }

  totals(): Total[] {
    return this.#tables.totals();
  }

  visitorsAt(at_ms: number): DayVisitors | null {
    return this.#page.hasEnded ? null : this.#tables.visitorsAt(at_ms);
  }

  /** Counts people by how long ago each was seen last (`tables/present.ts`). */
  presentAt(at_ms: number): number[] {
    return this.#page.hasEnded ? [] : this.#tables.presentAt(at_ms);
  }

  /** Includes events that D1 does not have yet. `at` is now, in unix milliseconds. */
  peopleTotals(): PeopleTotals & { at: number } {
    return { at: this.#ports.clock.now(), ...peopleIn(this.#tables.totals()) };
  }

  async look(): Promise<string[]> {
    await this.#flushes.look(this.#watermark());
    return this.statsNames();
  }

  /** There are two while the page moves. */
  statsNames(): string[] {
    return this.#home.names;
  }

  memory(): PageMemory {
    const ended = this.#page.hasEnded;
    return {
      ended,
      version: ended ? 0 : this.#newestVersion(this.#page.version),
      tips: ended ? 0 : this.#tables.conversions.totals.n,
      subscribers: this.blockNumbers("subscribers") ?? { n: 0, version: 0 },
    };
  }

  /** Waits until no flush is under way. What has waited for too long is flushed first. */
  async snapshot(): Promise<PageSnapshot> {
    await this.look();
    const version = await this.#flushes.whenIdle();
    const { readFrom: stats, held } = this.#home;
    const totals = held === null ? this.totals() : totalsIn(held, this.totals());
    return { totals, watermark: this.#watermark(), version, stats };
  }

  get waitsSince(): number {
    return this.#watermark();
  }

  /** Everything acknowledged before this time is in the database that is read. */
  #watermark(): number {
    return this.#home.held?.watermark ?? this.#tables.watermark(this.#ports.clock.now());
  }

  /** Whether each was accepted within the last hour. */
  remembers(keys: readonly string[]): boolean[] {
    return keys.map((digits) => {
      const { high, low } = keyOf(digits);
      return !this.#page.hasEnded && this.#tables.has(high, low);
    });
  }

  async flush(): Promise<void> {
    await this.#flushes.flush();
    this.#flushes.scheduleDue(this.#ports.clock.now());
  }

  /** Serves the cron sweep. Rejects if D1 fails. */
  async sweep(): Promise<SweepResult> {
    const result = await this.#flushes.sweep();
    // Not during a flush: D1's answer would be about hours that are gone.
    await this.#flushes.runExclusive((now) => this.#tables.roll(now));
    // This is last, because it needs D1, and a lost alarm is set again without D1.
    if (this.#tables.exist) await this.changed();
    return this.#page.hasEnded ? "ended" : result;
  }

  async onAlarm(): Promise<void> {
    const delivering = this.#tables.webhooks.deliver();
    await this.#flushes.onAlarm();
    await delivering;
    // Sets the alarm for events that are still to be delivered, and for milestones of this flush.
    this.#flushes.scheduleDue(this.#ports.clock.now());
  }

  #onChanged(tx: Transaction, page: PageTargets | null, before: PageTargets | null): void {
    const { clock, storage } = this.#ports;
    const now = clock.now();
    if (before !== null && (page?.version ?? 0) < before.version) {
      storage.kv.put<LostVersion>(LOST, { version: this.#newestVersion(before.version), at: now });
    }
    if (page !== null && page.version !== before?.version) {
      this.#tables.noteRevision(page.version, now);
    }
    // An alarm that was lost is set again (docs/faults.md F8).
    tx.afterCommit(() => this.#flushes.scheduleDue(now));
  }

  #newestVersion(version: number): number {
    const { storage, clock } = this.#ports;
    const lost = storage.kv.get<LostVersion>(LOST);
    const isKept = lost !== undefined && clock.now() - lost.at < LOST_KEPT_MS;
    return Math.max(version, this.#tables.newestRevision, isKept ? lost.version : 0);
  }

  #stop(): void {
    this.#page.end();
    this.#flushes.end();
    this.#home.end();
  }
}
