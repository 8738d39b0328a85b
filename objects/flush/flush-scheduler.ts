/**
 * FlushScheduler: when an object's numbers go to D1, and what happens when D1 does not take them.
 *
 * Owns the object's alarm, which also fires for whatever else the object has to do next. While
 * anything waits for D1 an alarm is set, whatever fails; the numbers themselves are in the ledger's
 * tables, so a flush can be missed, repeated or late without harm.
 */
import { Alarm } from "../platform/alarm.ts";
import { MINUTE_MS, SECOND_MS, withTimeout } from "../platform/clock.ts";
import type { Database, Ports } from "../platform/ports.ts";
import { FLUSH_TIMEOUT_MS, FlushPauses } from "./flush-pauses.ts";

/** Somebody who looks, and the cron sweep, wait this long for D1. */
const LOOK_TIMEOUT_MS = 10_000;
/** A flush comes at a random moment in this last part of its interval, so that objects spread. */
const FLUSH_JITTER = 0.25;
/** The short interval stays for this long after a look at the numbers. */
const LOOKED_AT_MS = 5 * MINUTE_MS;
const OVERDUE_PAUSE_MS = SECOND_MS;

/**
 * `restored`: D1 has lost some of what it confirmed. `gone`: D1 has no such page any more. In both
 * cases nothing was written.
 */
export type FlushResult = "written" | "restored" | "gone";

/** The calls of one flush, in their order; each is made outside and its result handed in. */
export type Sendings = AsyncGenerator<() => Promise<FlushResult>, void, FlushResult>;

/**
 * Absolute numbers that only grow, each beside what D1 has confirmed of it: a page's
 * (`page/page-ledger.ts`), or the groups of an error log (`errors/error-groups.ts`).
 */
export interface Ledger {
  exists(): boolean;
  prepare(now: number): void;
  /** Whether anything acknowledged may be missing in D1, although D1 would take it. */
  isDirty(): boolean;
  /** Whether so little waits for D1 that it may wait for the long interval. */
  isQuiet?(): boolean;
  /**
   * Sends what D1 has not confirmed until nothing is left. Marks what was written as confirmed;
   * events counted after it was sent stay unflushed. Marks everything as unconfirmed if D1 was
   * restored. Also called for an object without tables. Rejects if D1 fails.
   */
  flush(now: number): Sendings;
  /** Rejects if D1 fails. */
  holdsConfirmed(): Promise<boolean>;
  unconfirm(): void;
  /** Unix milliseconds; null if nothing is due but flushes. Also called without tables. */
  dueAt(): number | null;
}

/** `rearmed`: unflushed numbers had no alarm. `ended`: the object has ended for good. */
export type SweepResult = "healthy" | "rearmed" | "ended";

export interface FlushPorts extends Ports {
  db: Database;
  flush_interval_ms: number;
  /** The interval while the ledger is quiet and nobody looks; absent: always the short one. */
  quiet_interval_ms?: number;
  isWatched?: () => boolean;
  /** Called after every flush of the alarm that failed, with the interval in which it was due. */
  onFlushFailed: (error: unknown, interval_ms: number) => void;
  onFlushed?: () => void;
}

export class FlushScheduler {
  readonly #ports: FlushPorts;
  readonly #ledger: Ledger;
  readonly #alarm: Alarm;
  readonly #pauses: FlushPauses;
  /** The flush under way; never rejects. */
  #flushing: Promise<unknown> = Promise.resolve();
  /** Begins when that one is over, if somebody waits for it. */
  #next: Promise<void> | null = null;
  /** Random, so that versions of two instances never match. */
  readonly #instance: number;
  #sent = 0;
  #ended = false;
  /** Kept in memory alone: after a restart the next look brings D1 up to date. */
  #looked_at = Number.NEGATIVE_INFINITY;

  constructor(ports: FlushPorts, ledger: Ledger) {
    this.#ports = ports;
    this.#ledger = ledger;
    this.#alarm = new Alarm(ports.storage);
    this.#pauses = new FlushPauses(ports.storage.kv);
    this.#instance = ports.random();
  }

  async ready(): Promise<void> {
    await this.#alarm.load();
    this.#pauses.load(this.#alarm.at_ms, this.#now());
  }

  /** From now on, nothing is sent, stored or armed, not even by a flush under way. */
  end(): void {
    this.#ended = true;
  }

  /**
   * Makes sure that a flush comes within the interval: the short one, or the long one if the ledger
   * is quiet and nobody looks. If it is urgent, it comes at once. While D1 does not take flushes it
   * waits until the pause is over, however much arrives; an urgent alarm then only runs the
   * checkpoint.
   */
  schedule(now: number, urgent = false): void {
    if (this.#ended) return;
    // This question costs nothing, so it comes first.
    if (!urgent && this.#alarm.firesBy(now + this.#ports.flush_interval_ms, now)) return;
    const { until_ms } = this.#pauses;
    if (!urgent && until_ms > now) {
      this.#alarm.armBy(until_ms, now);
      return;
    }
    const wait_ms = urgent ? 0 : this.#waitFor(now);
    if (this.#alarm.firesBy(now + wait_ms, now)) return;
    this.#alarm.arm(now + wait_ms * (1 - FLUSH_JITTER * this.#ports.random()));
  }

  /**
   * Makes sure that the alarm fires for what is due next apart from flushes. What is overdue fell
   * due during a flush, or storage failed: it waits for the next flush or retry, if there is one.
   *
   * During a flush that an alarm began no alarm is set, and after a power failure the one that is
   * set here would be the only one. So it is never later than the next flush while anything waits
   * for D1.
   */
  scheduleDue(now: number): void {
    if (this.#ended) return;
    if (this.#isDirty()) this.schedule(now);
    const due_at = this.#ledger.dueAt();
    if (due_at === null) return;
    const isOverdue = due_at <= now;
    const next_ms = Math.max(now + this.#ports.flush_interval_ms, this.#pauses.until_ms);
    const by_ms = isOverdue ? next_ms : due_at;
    this.#alarm.armBy(by_ms, now, isOverdue ? now + OVERDUE_PAUSE_MS : due_at);
  }

  /** Brings all to D1 that was acknowledged before the call. Rejects if D1 fails. */
  flush(): Promise<void> {
    this.#next ??= this.#flushing.then(() => {
      this.#next = null;
      return this.#flushAll();
    });
    this.#flushing = this.#next.catch(() => undefined);
    return this.#next;
  }

  /**
   * Somebody looks at the numbers: flushes first if something, acknowledged at `waits_since`, has
   * waited for longer than the short interval; the rest goes to D1 within that interval. Waits for
   * D1 for 10 s, and never rejects: if D1 fails, its numbers are older, and say so.
   */
  async look(waits_since: number): Promise<void> {
    const now = this.#now();
    this.#looked_at = now;
    if (!this.#isDirty()) return;
    if (waits_since <= now - this.#ports.flush_interval_ms) {
      await withTimeout(this.flush(), LOOK_TIMEOUT_MS, this.#ports.clock).catch(() => {});
    }
    try {
      if (this.#isDirty()) this.schedule(this.#now());
    } catch {
      // Storage takes no alarm (docs/faults.md F42), and the numbers can be read all the same.
    }
  }

  /** The answer is a version: it changes with every flush that sends something to D1. */
  async whenIdle(): Promise<string> {
    for (let flushing = null; flushing !== this.#flushing; ) {
      flushing = this.#flushing;
      await flushing;
    }
    return `${this.#instance}/${this.#sent}`;
  }

  /** Waits until no flush is under way, and holds up later ones. */
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

  /**
   * Flushes and sets the next alarm. Throws only if storage fails, so that none can be set: then
   * the platform gives up after six failures, and a request or the sweep sets it again
   * (docs/faults.md F8).
   */
  async onAlarm(): Promise<void> {
    const at_ms = this.#alarm.at_ms ?? Number.POSITIVE_INFINITY;
    const isPause = at_ms < this.#pauses.until_ms;
    this.#alarm.fired();
    try {
      if (isPause) await this.runExclusive((now) => this.#prepare(now));
      else await this.flush();
      if (this.#ended) return;
      if (!isPause) this.#ports.onFlushed?.();
    } catch (error) {
      if (this.#ended) return;
      this.#ports.onFlushFailed(error, this.#interval(this.#now()));
      this.#alarm.arm(this.#pauses.failed(error, this.#now(), this.#ports.random()));
    }
    this.#armForRest();
  }

  /**
   * Serves objects that get no calls: arms a lost alarm again, and sends everything again to a D1
   * that was restored to an older point. Rejects if D1 does not answer.
   */
  async sweep(): Promise<SweepResult> {
    if (this.#ended) return "ended";
    const ledger = this.#ledger;
    if (ledger.exists() && !ledger.isDirty()) {
      const checking = ledger.holdsConfirmed();
      const is_whole = await withTimeout(checking, LOOK_TIMEOUT_MS, this.#ports.clock);
      if (this.#ended) return "ended";
      if (!is_whole) ledger.unconfirm();
    }
    const now = this.#now();
    // An object that has counted nothing is asked too: imported history may have to move.
    const due_at = ledger.isDirty() ? now : ledger.dueAt();
    if (due_at === null) return "healthy";
    const { flush_interval_ms, quiet_interval_ms } = this.#ports;
    // While it is quiet, the alarm may be as far away as the long interval.
    const interval_ms = ledger.isQuiet?.() ? quiet_interval_ms : flush_interval_ms;
    const fires_by = Math.max(
      due_at,
      now + (interval_ms ?? flush_interval_ms),
      this.#pauses.until_ms,
    );
    return this.#alarm.armBy(fires_by, now, now) ? "rearmed" : "healthy";
  }

  async #flushAll(): Promise<void> {
    if (this.#ended) return;
    const sendings = this.#ledger.flush(this.#now());
    for (let next = await sendings.next(); !next.done; ) {
      this.#sent += 1;
      const sending = next.value();
      const result = await withTimeout(sending, FLUSH_TIMEOUT_MS, this.#ports.clock);
      if (this.#ended) return;
      next = await sendings.next(result);
    }
    this.#pauses.succeeded();
  }

  #prepare(now: number): void {
    if (this.#ledger.exists()) this.#ledger.prepare(now);
  }

  #armForRest(): void {
    if (this.#ended) return;
    const now = this.#now();
    if (this.#isDirty()) this.schedule(now);
    this.scheduleDue(now);
  }

  #waitFor(now: number): number {
    const { flush_interval_ms } = this.#ports;
    const interval_ms = this.#interval(now);
    if (interval_ms <= flush_interval_ms) return interval_ms;
    const due_ms = (this.#ledger.dueAt() ?? Number.POSITIVE_INFINITY) - now;
    return Math.min(interval_ms, Math.max(flush_interval_ms, due_ms));
  }

  #interval(now: number): number {
    const { flush_interval_ms, quiet_interval_ms = flush_interval_ms, isWatched } = this.#ports;
    const isLookedAt = now - this.#looked_at < LOOKED_AT_MS || isWatched?.() === true;
    return isLookedAt || this.#ledger.isQuiet?.() !== true ? flush_interval_ms : quiet_interval_ms;
  }

  #isDirty(): boolean {
    return this.#ledger.exists() && this.#ledger.isDirty();
  }

  #now(): number {
    return this.#ports.clock.now();
  }
}
