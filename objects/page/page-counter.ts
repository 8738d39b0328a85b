/**
 * PageCounter: counts one page exactly. What a page object does, without the platform around it.
 *
 * Owns the page's journal, tallies, days, milestones and recent event ids; `objects/flush/flush-scheduler.ts` brings what
 * D1 is to have into it. Forgets event ids after an hour, visitors when their day is over.
 *
 *   record ─▶ group commit ─▶ journal row ─▶ acknowledged
 *                               alarm: checkpoint (journal ─▶ tables) ─▶ flush (tables ─▶ D1)
 *
 * Memory is only a cache of what is stored: every step writes first and takes into memory after,
 * so a failed write, an eviction or a SIGKILL at any line leaves nothing half-counted.
 */
import { type FlushPorts, FlushScheduler, type SweepResult } from "../flush/flush-scheduler.ts";
import { withTimeout } from "../platform/clock.ts";
import { GroupCommit } from "../platform/group-commit.ts";
import type { Clock, Storage } from "../platform/ports.ts";
import { hasTables, migrate } from "../platform/schema.ts";
import { Days } from "../tables/days.ts";
import type { JournalEvent, PageEvent, Receipt } from "../tables/event.ts";
import { Journal } from "../tables/journal.ts";
import { pack } from "../tables/key-set.ts";
import { Milestones } from "../tables/milestones.ts";
import { PAGE_STEPS } from "../tables/page-schema.ts";
import { REMEMBER_MS, RecentIds } from "../tables/recent-ids.ts";
import { Tallies, type Total } from "../tables/tallies.ts";
import { forgetPage } from "./flush-page.ts";
import { KnownPage } from "./known-page.ts";
import { PageLedger, type PageRows } from "./page-ledger.ts";
import type { PageSnapshot } from "./page-snapshot.ts";

/** Event keys in one row of `checkpoints`: 1 MB of the 2 MB that a row holds. */
const CHECKPOINT_KEYS_MAX = 131_072;
/** All that is stored of a page that has ended. */
const ENDED = "ended";
/** Longest wait for D1, in milliseconds, when a page's rows are to be deleted there. */
const FORGET_TIMEOUT_MS = 10_000;

type Outcome = "counted" | "duplicate" | "unknown_page";

export interface CounterPorts extends FlushPorts {
  /** A function, because the platform may not know the object's name until its first call. */
  pageId: () => string;
  /** Ends the object at once; the next call finds a new one, made from what is stored. */
  abort: (reason: string) => void;
  /** Told what was just taken, which is not on disk yet; must not throw. */
  counted?: (events: readonly JournalEvent[]) => void;
}

export class PageCounter {
  readonly #ports: CounterPorts;
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #tallies: Tallies;
  readonly #days: Days;
  readonly #milestones: Milestones;
  readonly #ids = new RecentIds();
  readonly #page: KnownPage;
  readonly #events: GroupCommit<PageEvent, Outcome>;
  readonly #ledger: PageLedger;
  readonly #flushes: FlushScheduler<PageRows>;
  #ended: boolean;

  constructor(ports: CounterPorts) {
    this.#ports = ports;
    const { storage } = ports;
    this.#storage = storage;
    this.#clock = ports.clock;
    this.#journal = new Journal(storage.sql);
    this.#tallies = new Tallies(storage);
    this.#days = new Days(storage);
    this.#milestones = new Milestones(storage);
    this.#page = new KnownPage(ports.db, ports);
    this.#events = new GroupCommit((group) => this.#commit(group), storage);
    const tables = { tallies: this.#tallies, days: this.#days, milestones: this.#milestones };
    const ledger_ports = { ...ports, page: this.#page };
    this.#ledger = new PageLedger(ledger_ports, tables, () => this.#checkpoint());
    this.#flushes = new FlushScheduler(ports, this.#ledger);
    this.#ended = storage.kv.get(ENDED) !== undefined;
    if (this.#ended) this.#stop();
    else if (hasTables(storage)) this.#load();
  }

  /** To be awaited before the first call. */
  ready(): Promise<void> {
    return this.#flushes.ready();
  }

  /**
   * Counts one event, durably and once; resolves when it may be acknowledged. Rejects when D1 is
   * needed (a link never heard of) and does not answer, or when storage fails: nothing is counted.
   */
  async record(event: PageEvent): Promise<Receipt> {
    if (this.#ended) return { outcome: "unknown_page" };
    const { link_id } = event;
    const place =
      this.#page.place(link_id) ?? (await this.#page.lookUp(this.#ports.pageId(), link_id));
    if ("outcome" in place) return place;
    const outcome = await this.#events.submit(event);
    return outcome === "unknown_page" ? { outcome } : { outcome, url: place.url };
  }

  /** The page was changed in D1: reads anew what can be counted. Rejects if D1 fails. */
  async changed(): Promise<void> {
    if (!this.#ended) await this.#page.refresh(this.#ports.pageId());
  }

  /**
   * Ends the page for good: forgets everything but that, and deletes its rows in D1. Whatever was under way, or
   * comes later, counts, stores and sends nothing any more. Rejects if D1 fails: then it is to be called again.
   */
  async end(): Promise<void> {
    this.#ended = true;
    this.#stop();
    if (this.#storage.kv.get(ENDED) === undefined) {
      // Two commits. Cut off between them the object is empty, and D1 has no such page: it counts nothing, and
      // the router calls again.
      await this.#storage.deleteAll();
      this.#storage.kv.put(ENDED, this.#clock.now());
      await this.#storage.sync();
    }
    const forgetting = forgetPage(this.#ports.db, this.#ports.pageId());
    await withTimeout(forgetting, FORGET_TIMEOUT_MS, this.#clock);
  }

  /** Lifetime totals by kind, link and class: accepted, of that flushed, of that pending. */
  totals(): Total[] {
    return hasTables(this.#storage) ? this.#tallies.totals() : [];
  }

  /** Lifetime totals and how far D1 is, at a moment when no flush is under way. */
  async snapshot(): Promise<PageSnapshot> {
    const version = await this.#flushes.whenIdle();
    const totals = this.totals();
    if (!hasTables(this.#storage)) return { totals, watermark: this.#clock.now(), version };
    const since = [this.#journal.since, this.#tallies.pendingSince()].filter((at) => at !== null);
    return { totals, watermark: Math.min(this.#clock.now(), ...since), version };
  }

  /** Which of these event keys were accepted within the last hour, in their order. */
  remembers(keys: readonly string[]): boolean[] {
    return keys.map((key) => !this.#ended && this.#ids.has(key));
  }

  /** Brings D1 up to date with all that was acknowledged before the call. Rejects if D1 fails. */
  flush(): Promise<void> {
    return this.#flushes.flush();
  }

  /**
   * For the cron sweep: mends a lost alarm and a restored D1, and answers whether it had to; rolls old hours
   * into days; and reads anew what can be counted. Rejects where D1 fails.
   */
  async sweep(): Promise<SweepResult> {
    const swept = await this.#flushes.sweep();
    await this.#flushes.runExclusive((now) => this.#ledger.roll(now));
    // Last, because it needs D1, and a lost alarm is set again without it.
    if (hasTables(this.#storage)) await this.changed();
    return this.#ended ? "ended" : swept;
  }

  onAlarm(): Promise<void> {
    return this.#flushes.onAlarm();
  }

  /** One group, in one synchronous step: decide, write, and only then remember. */
  #commit(group: PageEvent[]): Outcome[] {
    if (this.#ended) return group.map(() => "unknown_page");
    const now = this.#clock.now();
    migrate(this.#storage, PAGE_STEPS);
    const admit = this.#days.admission(now);
    const fresh = new Map<string, JournalEvent>();
    const outcomes = group.map((event): Outcome => {
      if (this.#ids.has(event.key) || fresh.has(event.key)) return "duplicate";
      fresh.set(event.key, admit(event));
      return "counted";
    });
    if (fresh.size > 0) this.#accept([...fresh.values()], now);
    return outcomes;
  }

  #accept(events: readonly JournalEvent[], now: number): void {
    this.#journal.append(events, now);
    try {
      this.#journal.appended(events, now);
      for (const event of events) this.#take(event, now);
      this.#flushes.schedule(now, this.#journal.isFull);
    } catch (error) {
      // Memory may hold half of the group: begin anew from the disk, which has all of it or none.
      // The callers hear of a failure and send again, and either way each event counts once.
      this.#ports.abort(`memory fell behind the journal: ${error}`);
      throw error;
    }
    this.#ports.counted?.(events);
  }

  /** Takes a stored event into memory: the one fold, for new events and for those read back. */
  #take(event: JournalEvent, at_ms: number): void {
    this.#ids.add(event.key, at_ms);
    this.#tallies.add(event, at_ms);
    this.#days.add(event, at_ms);
    this.#milestones.add(event);
  }

  #stop(): void {
    this.#page.end();
    this.#flushes.end();
  }

  #load(): void {
    migrate(this.#storage, PAGE_STEPS);
    this.#tallies.load();
    this.#milestones.load();
    const checkpoints = this.#storage.sql.exec<{ at: number; keys: ArrayBuffer }>(
      "SELECT at, keys FROM checkpoints WHERE at > ?1 ORDER BY seq",
      this.#clock.now() - REMEMBER_MS,
    );
    for (const { at, keys } of checkpoints) this.#ids.addPacked(keys, at);
    this.#journal.load((event, at_ms) => this.#take(event, at_ms));
  }

  /** Folds the journal into the tables, all or nothing, and forgets what has had its time. */
  #checkpoint(): void {
    const now = this.#clock.now();
    this.#ids.forget(now);
    const { keys } = this.#journal;
    if (keys.length === 0) return;
    const totals = this.#storage.transactionSync(() => {
      this.#tallies.checkpoint();
      this.#days.checkpoint();
      const people = this.#milestones.checkpoint(now);
      for (let from = 0; from < keys.length; from += CHECKPOINT_KEYS_MAX) {
        this.#storage.sql.exec(
          "INSERT INTO checkpoints (at, keys, unflushed_from, people) VALUES (?1, ?2, ?3, ?4)",
          now,
          pack(keys.slice(from, from + CHECKPOINT_KEYS_MAX)),
          this.#tallies.unflushedFrom,
          JSON.stringify(people),
        );
      }
      this.#storage.sql.exec("DELETE FROM checkpoints WHERE at <= ?1", now - REMEMBER_MS);
      this.#journal.empty();
      return people;
    });
    this.#tallies.checkpointed();
    this.#days.checkpointed();
    this.#milestones.checkpointed(totals);
    this.#journal.emptied();
  }
}
