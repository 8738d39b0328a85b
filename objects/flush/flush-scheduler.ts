/**
 * FlushScheduler: when an object's numbers go to D1, and what happens when D1 does not take them.
 *
 * Owns the object's alarm. As long as anything waits for D1 an alarm is set, whatever fails; the
 * numbers themselves are in the ledger's tables, so a flush can be missed, repeated or late without
 * harm. What the numbers are is the ledger's affair: a page's tallies, days and milestones
 * (`page-ledger.ts`), or the groups of an error log (`error-groups.ts`).
 */
import { Alarm } from "../platform/alarm.ts";
import { Backoff } from "../platform/backoff.ts";
import { withTimeout } from "../platform/clock.ts";
import type { Database, Ports } from "../platform/ports.ts";

/** Longest wait for D1 in one flush; a reply that comes later does no harm. */
const FLUSH_TIMEOUT_MS = 10_000;
/** A flush comes at a random moment in this last part of its interval, so that objects spread. */
const FLUSH_JITTER = 0.25;

/**
 * What became of a flush: D1 has it; or nothing was written, because D1 has lost some of what it confirmed, or
 * because what the numbers are about is gone from D1.
 */
export type FlushResult = "written" | "restored" | "gone";

/** What a sweep found: nothing to do, something that it mended, or an object that has ended for good. */
export type SweepResult = "healthy" | "rearmed" | "ended";

/** What a flusher brings into D1: absolute numbers that only grow, and how much of each D1 confirmed. */
export interface Ledger<Rows> {
  /** Whether the object has ever stored anything; one that has not owns no table to ask. */
  exists(): boolean;
  /** Brings the tables up to what was acknowledged, and forgets what has had its time. */
  prepare(now: number): void;
  /** Whether anything acknowledged may be missing in D1, and D1 would take it. */
  isDirty(): boolean;
  /** The next rows that D1 has not confirmed, as many as one flush takes, or null. */
  unflushed(): Rows | null;
  /** Merges rows into D1. */
  send(rows: Rows, now: number): Promise<FlushResult>;
  /** D1 holds these numbers. They may be old by now; what came since stays unflushed. */
  confirm(rows: Rows): void;
  /** Whether D1 still holds what it confirmed. */
  holdsConfirmed(): Promise<boolean>;
  /** D1 may hold none of it any more. */
  unconfirm(): void;
  /** When there is next something to forget, in unix milliseconds; null without any. */
  forgetAt(): number | null;
}

export interface FlushPorts extends Ports {
  db: Database;
  flush_interval_ms: number;
  /** Told of every flush that failed; the flusher itself goes on. */
  onFlushFailed: (error: unknown) => void;
}

export class FlushScheduler<Rows> {
  readonly #ports: FlushPorts;
  readonly #ledger: Ledger<Rows>;
  readonly #alarm: Alarm;
  readonly #backoff: Backoff;
  /** The flush under way; never rejects. */
  #flushing: Promise<unknown> = Promise.resolve();
  /** Of this flusher alone, so that a mark does not outlive it. */
  readonly #incarnation: number;
  #sent = 0;
  #ended = false;

  constructor(ports: FlushPorts, ledger: Ledger<Rows>) {
    this.#ports = ports;
    this.#ledger = ledger;
    this.#alarm = new Alarm(ports.storage);
    this.#backoff = new Backoff(ports.storage.kv);
    this.#incarnation = ports.random();
  }

  /** To be awaited before the first call. */
  ready(): Promise<void> {
    return this.#alarm.load();
  }

  /** From now on nothing is sent, stored or armed any more, whatever was under way. */
  end(): void {
    this.#ended = true;
  }

  /** D1 is to hear of something within the flush interval, or at once if it is urgent. */
  schedule(now: number, urgent = false): void {
    if (this.#ended) return;
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

  /**
   * Resolves at a moment when no flush is under way, with a mark that is another one as soon as D1 has been
   * sent anything.
   */
  async whenIdle(): Promise<string> {
    for (let flushing = null; flushing !== this.#flushing; ) {
      flushing = this.#flushing;
      await flushing;
    }
    return `${this.#incarnation}/${this.#sent}`;
  }

  /** Lets the ledger change what D1 has confirmed, at a moment when no flush is under way; D1 hears of it. */
  runExclusive(change: (now: number) => void): Promise<void> {
    const changing = this.#flushing.then(() => {
      if (this.#ended) return;
      const now = this.#now();
      change(now);
      if (this.#ledger.isDirty()) this.schedule(now);
    });
    this.#flushing = changing.catch(() => undefined);
    return changing;
  }

  /** Flushes and sets the next alarm. Throws never: the platform would give up after six times. */
  async onAlarm(): Promise<void> {
    this.#alarm.fired();
    try {
      await this.flush();
      if (this.#ended) return;
      this.#backoff.succeeded();
    } catch (error) {
      if (this.#ended) return;
      this.#ports.onFlushFailed(error);
      this.#alarm.arm(this.#now() + this.#backoff.failed(this.#ports.random()));
    }
    this.#armForRest();
  }

  /**
   * For the cron sweep, which looks after objects that nobody calls: re-arms an alarm that got lost,
   * and sends everything again to a D1 that was restored to an older point. Rejects when D1 does not
   * answer.
   */
  async sweep(): Promise<SweepResult> {
    if (this.#ended) return "ended";
    const ledger = this.#ledger;
    if (!ledger.exists()) return "healthy";
    if (!ledger.isDirty()) {
      const held = await withTimeout(ledger.holdsConfirmed(), FLUSH_TIMEOUT_MS, this.#ports.clock);
      if (this.#ended) return "ended";
      if (!held) ledger.unconfirm();
    }
    const now = this.#now();
    if (!ledger.isDirty() || this.#alarm.firesBy(now + this.#ports.flush_interval_ms, now)) {
      return "healthy";
    }
    this.#alarm.arm(now);
    return "rearmed";
  }

  async #flushAll(): Promise<void> {
    const ledger = this.#ledger;
    if (this.#ended || !ledger.exists()) return;
    ledger.prepare(this.#now());
    for (;;) {
      const rows = ledger.unflushed();
      if (rows === null) break;
      this.#sent += 1;
      const sending = ledger.send(rows, this.#now());
      const sent = await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock);
      // What is gone from D1 stays in the object, for a D1 that may get it back (docs/faults.md F20).
      if (this.#ended || sent === "gone") break;
      if (sent === "written") ledger.confirm(rows);
      // D1 was restored to an older point (docs/faults.md F20). What was lost may be of any time, and
      // absolute numbers heal every row they meet, so everything goes again.
      else ledger.unconfirm();
    }
  }

  /** After a flush: wakes again for what came meanwhile, or else to forget. */
  #armForRest(): void {
    if (this.#ended || !this.#ledger.exists()) return;
    const now = this.#now();
    const forget_at = this.#ledger.forgetAt();
    if (this.#ledger.isDirty()) this.schedule(now);
    else if (forget_at !== null && !this.#alarm.firesBy(forget_at, now)) this.#alarm.arm(forget_at);
  }

  #now(): number {
    return this.#ports.clock.now();
  }
}
