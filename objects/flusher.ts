/**
 * Flusher: when a page's tallies and days go to D1, and what happens when D1 does not take them.
 *
 * Owns the object's alarm. As long as anything waits for D1 an alarm is set, whatever fails; the
 * numbers themselves are in the tables, so a flush can be missed, repeated or late without harm.
 */
import { Alarm } from "./alarm.ts";
import { Backoff } from "./backoff.ts";
import { withTimeout } from "./clock.ts";
import type { Days } from "./days.ts";
import { FLUSH_DAYS_MAX, FLUSH_TALLIES_MAX, flush, holds } from "./flush.ts";
import type { Database, Ports } from "./ports.ts";
import { hasTables } from "./schema.ts";
import type { Tallies } from "./tallies.ts";

/** Longest wait for D1 in one flush; a reply that comes later does no harm. */
const FLUSH_TIMEOUT_MS = 10_000;
/** A flush comes at a random moment in this last part of its interval, so that pages spread. */
const FLUSH_JITTER = 0.25;
/** A page has one shard so far; its number is part of the key of its rows in D1. */
const SHARD = 0;

export interface FlusherPorts extends Ports {
  db: Database;
  /** A function, because the platform may not know the object's name until its first call. */
  pageId: () => string;
  flush_interval_ms: number;
  /** Told of every flush that failed; the flusher itself goes on. */
  flushFailed: (error: unknown) => void;
}

export class Flusher {
  readonly #ports: FlusherPorts;
  readonly #tallies: Tallies;
  readonly #days: Days;
  readonly #checkpoint: () => void;
  readonly #alarm: Alarm;
  readonly #backoff: Backoff;
  /** The flush under way; never rejects. */
  #flushing: Promise<unknown> = Promise.resolve();

  /** @param checkpoint brings the tables up to what was acknowledged */
  constructor(ports: FlusherPorts, tallies: Tallies, days: Days, checkpoint: () => void) {
    this.#ports = ports;
    this.#tallies = tallies;
    this.#days = days;
    this.#checkpoint = checkpoint;
    this.#alarm = new Alarm(ports.storage);
    this.#backoff = new Backoff(ports.storage.kv);
  }

  /** To be awaited before the first call. */
  ready(): Promise<void> {
    return this.#alarm.load();
  }

  /** D1 is to hear of something within the flush interval, or at once if it is urgent. */
  due(now: number, urgent = false): void {
    const wait_ms = urgent ? 0 : this.#ports.flush_interval_ms;
    if (this.#alarm.firesBy(now + wait_ms, now)) return;
    this.#alarm.arm(now + wait_ms * (1 - FLUSH_JITTER * this.#ports.random()));
  }

  /** Brings D1 up to date with all that was acknowledged before the call. Rejects if D1 fails. */
  flush(): Promise<void> {
    // One flush at a time; a second caller waits and then sends what came in the meantime.
    const flushing = this.#flushing.then(() => this.#flushAll());
    this.#flushing = flushing.catch(() => undefined);
    return flushing;
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

  /**
   * For the cron sweep, which looks after pages that nobody visits: re-arms an alarm that got lost,
   * and sends everything again to a D1 that was restored to an older point. Answers whether it had
   * to. Rejects when D1 does not answer.
   */
  async sweep(): Promise<boolean> {
    if (!hasTables(this.#ports.storage)) return false;
    if (!this.#dirty()) {
      const confirmed = this.#tallies.confirmed();
      const asking = holds(this.#ports.db, this.#ports.pageId(), SHARD, confirmed);
      const held = await withTimeout(asking, FLUSH_TIMEOUT_MS, this.#ports.clock);
      if (!held) this.#sendAllAgain();
    }
    const now = this.#now();
    if (!this.#dirty() || this.#alarm.firesBy(now + this.#ports.flush_interval_ms, now)) {
      return false;
    }
    this.#alarm.arm(now);
    return true;
  }

  async #flushAll(): Promise<void> {
    if (!hasTables(this.#ports.storage)) return;
    this.#checkpoint();
    // Visitors die with their day, whether or not D1 is there to hear how many they were.
    this.#days.forget(this.#now());
    for (;;) {
      const tallies = this.#tallies.unflushed(FLUSH_TALLIES_MAX);
      const days = this.#days.unflushed(FLUSH_DAYS_MAX);
      if (tallies.length === 0 && days.length === 0) break;
      const rows = { page_id: this.#ports.pageId(), shard: SHARD, tallies, days };
      const sending = flush(this.#ports.db, rows, this.#tallies.confirmed(), this.#now());
      const written = await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock);
      if (written) {
        this.#tallies.confirm(tallies);
        this.#days.confirm(days);
      } else this.#sendAllAgain();
    }
  }

  /**
   * D1 has less than it confirmed: it was restored to an older point (FAULTS F20). What was missed
   * may be of any hour, and absolute numbers heal every row they meet.
   */
  #sendAllAgain(): void {
    this.#ports.storage.transactionSync(() => {
      this.#tallies.unconfirm();
      this.#days.unconfirm();
    });
    this.#tallies.unconfirmed();
  }

  /** After a flush: wakes again for what came meanwhile, or else to forget the day's visitors. */
  #armForRest(): void {
    const now = this.#now();
    const forget_at = this.#days.forgetAt;
    if (this.#dirty()) this.due(now);
    else if (forget_at !== null && !this.#alarm.firesBy(forget_at, now)) this.#alarm.arm(forget_at);
  }

  /** Whether anything acknowledged may be missing in D1. */
  #dirty(): boolean {
    return this.#tallies.unflushedFrom !== Number.POSITIVE_INFINITY;
  }

  #now(): number {
    return this.#ports.clock.now();
  }
}
