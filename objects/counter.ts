/**
 * PageCounter: counts one page exactly. What a page object does, without the platform around it.
 *
 * Owns the page's journal, tallies, days and recent event ids, and alone writes its rows in D1.
 * Forgets event ids after an hour, visitors when their day is over.
 *
 *   record ─▶ group commit ─▶ journal row ─▶ acknowledged
 *                               alarm: checkpoint (journal ─▶ tables) ─▶ flush (tables ─▶ D1)
 *
 * Memory is only a cache of what is stored: every step writes first and takes into memory after,
 * so a failed write, an eviction or a SIGKILL at any line leaves nothing half-counted.
 */
import { Alarm } from "./alarm.ts";
import { Backoff } from "./backoff.ts";
import { withTimeout } from "./clock.ts";
import { Days } from "./days.ts";
import type { JournalEvent, PageEvent, Receipt } from "./event.ts";
import { FLUSH_DAYS_MAX, FLUSH_TALLIES_MAX, flush, readFlushed } from "./flush.ts";
import { GroupCommit } from "./group-commit.ts";
import { Journal } from "./journal.ts";
import { pack } from "./key-set.ts";
import { KnownLinks } from "./links.ts";
import type { Database, Ports } from "./ports.ts";
import { REMEMBER_MS, RecentIds } from "./recent-ids.ts";
import { hasTables, migrate } from "./schema.ts";
import { Tallies, type Total } from "./tallies.ts";

/** Longest wait for D1 in one flush; a reply that comes later does no harm. */
const FLUSH_TIMEOUT_MS = 10_000;
/** A flush comes at a random moment in this last part of its interval, so that pages spread. */
const FLUSH_JITTER = 0.25;
/** A journal of this many events is flushed at once, so that it never grows far beyond. */
const JOURNAL_EVENTS_MAX = 50_000;
/** Event keys in one row of `checkpoints`: 1 MB of the 2 MB that a row holds. */
const CHECKPOINT_KEYS_MAX = 131_072;

/** A page has one shard so far; its number is part of the key of its rows in D1. */
const SHARD = 0;

type Outcome = "counted" | "duplicate";

export interface CounterPorts extends Ports {
  db: Database;
  /** A function, because the platform may not know the object's name until its first call. */
  pageId: () => string;
  flush_interval_ms: number;
  /** Ends the object at once; the next call finds a new one, made from what is stored. */
  abort: (reason: string) => void;
  /** Told of every flush that failed; the counter itself goes on. */
  flushFailed: (error: unknown) => void;
}

export class PageCounter {
  readonly #ports: CounterPorts;
  readonly #storage: Ports["storage"];
  readonly #alarm: Alarm;
  readonly #backoff: Backoff;
  readonly #journal: Journal;
  readonly #tallies: Tallies;
  readonly #days: Days;
  readonly #ids = new RecentIds();
  readonly #links: KnownLinks;
  readonly #events: GroupCommit<PageEvent, Outcome>;
  /** The flush under way; never rejects. */
  #flushing: Promise<unknown> = Promise.resolve();

  constructor(ports: CounterPorts) {
    this.#ports = ports;
    const { storage } = ports;
    this.#storage = storage;
    this.#alarm = new Alarm(storage);
    this.#backoff = new Backoff(storage.kv);
    this.#journal = new Journal(storage.sql);
    this.#tallies = new Tallies(storage.sql);
    this.#days = new Days(storage);
    this.#links = new KnownLinks(ports.db, ports);
    this.#events = new GroupCommit((group) => this.#commit(group), ports);
    if (hasTables(storage)) this.#load(this.#now());
  }

  /** To be awaited before the first call. */
  ready(): Promise<void> {
    return this.#alarm.load();
  }

  /**
   * Counts one event, durably and once; resolves when it may be acknowledged. Rejects when D1 is
   * needed (a link never heard of) and does not answer, or when storage fails: nothing is counted.
   */
  async record(event: PageEvent): Promise<Receipt> {
    let url = this.#links.known(event.link_id);
    if (url === undefined) {
      const links = await this.#links.lookUp(this.#ports.pageId());
      if (links.size === 0) return { outcome: "unknown_page" };
      url = links.get(event.link_id);
      if (url === undefined) return { outcome: "unknown_link" };
    }
    return { outcome: await this.#events.submit(event), url };
  }

  /** Lifetime totals by kind, link and class: accepted, of that flushed, of that pending. */
  totals(): Total[] {
    return hasTables(this.#storage) ? this.#tallies.totals() : [];
  }

  /** Which of these event keys were accepted within the last hour, in their order. */
  remembers(keys: readonly string[]): boolean[] {
    return keys.map((key) => this.#ids.has(key));
  }

  /** Brings D1 up to date with all that was acknowledged before the call. Rejects if D1 fails. */
  flush(): Promise<void> {
    // One flush at a time; a second caller waits and then sends what came in the meantime.
    const flushing = this.#flushing.then(() => this.#flushAll());
    this.#flushing = flushing.catch(() => undefined);
    return flushing;
  }

  /**
   * For the cron sweep, which looks after pages that nobody visits: re-arms an alarm that got lost,
   * and sends everything again to a D1 that was restored to an older point. Answers whether it had
   * to. Rejects when D1 does not answer.
   */
  async sweep(): Promise<boolean> {
    if (!hasTables(this.#storage)) return false;
    if (!this.#dirty()) {
      const confirmed = this.#tallies.confirmed();
      const reading = readFlushed(this.#ports.db, this.#ports.pageId(), SHARD, confirmed.since);
      const flushed = await withTimeout(reading, FLUSH_TIMEOUT_MS, this.#ports.clock);
      if (flushed < confirmed.n) this.#sendAllAgain();
    }
    const now = this.#now();
    if (!this.#dirty() || this.#alarm.firesBy(now + this.#ports.flush_interval_ms, now)) {
      return false;
    }
    this.#alarm.arm(now);
    return true;
  }

  /** Flushes and sets the next alarm. Throws never: the platform would give up after six times. */
  async onAlarm(): Promise<void> {
    this.#alarm.fired();
    try {
      await this.flush();
      this.#backoff.succeeded();
    } catch (error) {
      this.#ports.flushFailed(error);
      this.#alarm.arm(this.#now() + this.#backoff.failed(this.#ports.random()));
    }
    this.#armForRest();
  }

  /** One group, in one synchronous step: decide, write, and only then remember. */
  #commit(group: PageEvent[]): Outcome[] {
    const now = this.#now();
    migrate(this.#storage);
    const fresh = new Map<string, JournalEvent>();
    const outcomes = group.map((event): Outcome => {
      if (this.#ids.has(event.key) || fresh.has(event.key)) return "duplicate";
      const visitor = event.visitor === null ? null : this.#days.visitorKey(event.visitor, now);
      fresh.set(event.key, { ...event, visitor });
      return "counted";
    });
    if (fresh.size > 0) this.#accept([...fresh.values()], now);
    return outcomes;
  }

  #accept(events: readonly JournalEvent[], now: number): void {
    this.#journal.append(events, now);
    try {
      this.#journal.appended(events);
      for (const event of events) this.#take(event, now);
      this.#armForFlush(now);
    } catch (error) {
      // Memory may hold half of the group: begin anew from the disk, which has all of it or none.
      // The callers hear of a failure and send again, and either way each event counts once.
      this.#ports.abort(`memory fell behind the journal: ${error}`);
      throw error;
    }
  }

  /** Takes a stored event into memory: the one fold, for new events and for those read back. */
  #take(event: JournalEvent, at_ms: number): void {
    this.#ids.add(event.key, at_ms);
    this.#tallies.add(event, at_ms);
    this.#days.add(event, at_ms);
  }

  #load(now: number): void {
    migrate(this.#storage);
    this.#tallies.load();
    const checkpoints = this.#storage.sql.exec<{ at: number; keys: ArrayBuffer }>(
      "SELECT at, keys FROM checkpoints WHERE at > ?1 ORDER BY seq",
      now - REMEMBER_MS,
    );
    for (const { at, keys } of checkpoints) this.#ids.addPacked(keys, at);
    this.#journal.load((event, at_ms) => this.#take(event, at_ms));
  }

  /** Folds the journal into the tables, all or nothing, and forgets what has had its time. */
  #checkpoint(now: number): void {
    this.#ids.forget(now);
    const { keys } = this.#journal;
    if (keys.length === 0) return;
    this.#storage.transactionSync(() => {
      this.#tallies.checkpoint();
      this.#days.checkpoint();
      for (let from = 0; from < keys.length; from += CHECKPOINT_KEYS_MAX) {
        this.#storage.sql.exec(
          "INSERT INTO checkpoints (at, keys, unflushed_from) VALUES (?1, ?2, ?3)",
          now,
          pack(keys.slice(from, from + CHECKPOINT_KEYS_MAX)),
          this.#tallies.unflushedFrom,
        );
      }
      this.#storage.sql.exec("DELETE FROM checkpoints WHERE at <= ?1", now - REMEMBER_MS);
      this.#journal.empty();
    });
    this.#tallies.checkpointed();
    this.#days.checkpointed();
    this.#journal.emptied();
  }

  async #flushAll(): Promise<void> {
    if (!hasTables(this.#storage)) return;
    this.#checkpoint(this.#now());
    // Visitors die with their day, whether or not D1 is there to hear how many they were.
    this.#days.forget(this.#now());
    for (;;) {
      const tallies = this.#tallies.unflushed(FLUSH_TALLIES_MAX);
      const days = this.#days.unflushed(FLUSH_DAYS_MAX);
      if (tallies.length === 0 && days.length === 0) break;
      const confirmed = this.#tallies.confirmed();
      const rows = { page_id: this.#ports.pageId(), shard: SHARD, tallies, days };
      const sending = flush(this.#ports.db, rows, confirmed.since, this.#now());
      const flushed = await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock);
      if (flushed < confirmed.n) this.#sendAllAgain();
      this.#tallies.confirm(tallies);
      this.#days.confirm(days);
    }
  }

  /**
   * D1 has less than it confirmed: it was restored to an older point (FAULTS F20). What was missed
   * may be of any hour, and absolute numbers heal every row they meet.
   */
  #sendAllAgain(): void {
    this.#storage.transactionSync(() => {
      this.#tallies.unconfirm();
      this.#days.unconfirm();
    });
    this.#tallies.unconfirmed();
  }

  #now(): number {
    return this.#ports.clock.now();
  }

  /** Whether anything acknowledged may be missing in D1. */
  #dirty(): boolean {
    return this.#tallies.unflushedFrom !== Number.POSITIVE_INFINITY;
  }

  #armForFlush(now: number): void {
    const wait_ms =
      this.#journal.keys.length < JOURNAL_EVENTS_MAX ? this.#ports.flush_interval_ms : 0;
    if (this.#alarm.firesBy(now + wait_ms, now)) return;
    this.#alarm.arm(now + wait_ms * (1 - FLUSH_JITTER * this.#ports.random()));
  }

  /** After a flush: wakes again for what came meanwhile, or else to forget the day's visitors. */
  #armForRest(): void {
    const now = this.#now();
    const forget_at = this.#days.forgetAt;
    if (this.#dirty()) this.#armForFlush(now);
    else if (forget_at !== null && !this.#alarm.firesBy(forget_at, now)) this.#alarm.arm(forget_at);
  }
}
