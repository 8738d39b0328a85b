/**
 * FlushScheduler: when an object's numbers go to D1, and what happens when D1 does not take them.
 *
 * Owns the object's alarm, which also fires for whatever else the object has to do next. As long as
 * anything waits for D1 an alarm is set, whatever fails; the numbers themselves are in the ledger's
 * tables, so a flush can be missed, repeated or late without harm.
 */
import { Alarm } from "../platform/alarm.ts";
import { MINUTE_MS, SECOND_MS, withTimeout } from "../platform/clock.ts";
import type { Database, Ports } from "../platform/ports.ts";
import { FLUSH_TIMEOUT_MS, FlushPauses } from "./flush-pauses.ts";

/** Longest wait for D1 of somebody who looks, and of the cron sweep. */
const LOOK_TIMEOUT_MS = 10_000;
/** A flush comes at a random moment in this last part of its interval, so that objects spread. */
const FLUSH_JITTER = 0.25;
/** After a look at the numbers the short interval stays for this long, in milliseconds. */
const LOOKED_AT_MS = 5 * MINUTE_MS;
/** Pause before an alarm for what is overdue, in milliseconds. */
const OVERDUE_PAUSE_MS = SECOND_MS;

/**
 * The result of a call that merges rows into D1. `restored`: nothing was written, because D1 has lost some of what it
 * confirmed. `gone`: nothing was written, because D1 has no such page any more.
 */
export type FlushResult = "written" | "restored" | "gone";

/** The calls of one flush, one after the other; each is made outside and its result handed in. */
export type Sendings = AsyncGenerator<() => Promise<FlushResult>, void, FlushResult>;

/**
 * Numbers that go to D1: absolute ones that only grow, each beside what D1 has confirmed of it. A page's tallies, days
 * and milestones (`page/page-ledger.ts`), or the groups of an error log (`errors/error-groups.ts`).
 */
export interface Ledger {
  /** Whether the object has tables; it makes them with the first thing that it counts. */
  exists(): boolean;
  /** Runs the checkpoint and deletes expired data. */
  prepare(now: number): void;
  /** Whether anything acknowledged may be missing in D1, although D1 would take it. */
  isDirty(): boolean;
  /** Whether what waits for D1 is so little that it may wait for the long interval. */
  isQuiet?(): boolean;
  /**
   * Prepares, and sends what D1 has not confirmed until nothing is left. Marks what was written as confirmed; events
   * counted after it was sent stay unflushed. Marks everything as unconfirmed where D1 was restored. Also called for
   * an object without tables. Rejects if D1 fails.
   */
  flush(now: number): Sendings;
  /** Whether D1 still holds what it confirmed. Rejects if D1 fails. */
  holdsConfirmed(): Promise<boolean>;
  /** Marks everything as unconfirmed, after D1 was restored. */
  unconfirm(): void;
  /**
   * When the alarm must fire next although nothing waits for D1, in unix milliseconds, or null. Also
   * for an object without tables.
   */
  dueAt(): number | null;
}

/**
 * What a sweep found: nothing to do; unflushed numbers without an alarm, which it armed again; or
 * an object that has ended for good.
 */
export type SweepResult = "healthy" | "rearmed" | "ended";

export interface FlushPorts extends Ports {
  db: Database;
  flush_interval_ms: number;
  /** The interval while the ledger is quiet and nobody looks; absent: always the short one. */
  quiet_interval_ms?: number;
  /** Whether somebody gets live updates. */
  isWatched?: () => boolean;
  /**
   * Called with the error of every flush that the alarm began, and the interval in which it was due;
   * the scheduler retries by itself.
   */
  onFlushFailed: (error: unknown, interval_ms: number) => void;
  /** Called after every flush that the alarm began and that succeeded. */
  onFlushed?: () => void;
}

export class FlushScheduler {
  readonly #ports: FlushPorts;
  readonly #ledger: Ledger;
  readonly #alarm: Alarm;
  readonly #pauses: FlushPauses;
  /** The flush under way; never rejects. */
  #flushing: Promise<unknown> = Promise.resolve();
  /** The flush that begins when that one is over, if somebody waits for it. */
  #next: Promise<void> | null = null;
  /** Random, so that versions of two instances never match. */
  readonly #instance: number;
  #sent = 0;
  #ended = false;
  /** In memory alone: after a restart the next look brings D1 up to date. */
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

  /** From now on nothing is sent, stored or armed, not even by a flush under way. */
  end(): void {
    this.#ended = true;
  }

  /**
   * Makes sure that a flush comes within the interval: the short one, or the long one if the ledger
   * is quiet and nobody looks. At once if it is urgent. While D1 does not take flushes, not before
   * the pause is over, however much arrives; an urgent alarm then only runs the checkpoint.
   */
  schedule(now: number, urgent = false): void {
    if (this.#ended) return;
    // First the question that costs nothing.
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
   * Makes sure that the alarm fires for what is due next apart from flushes. What is overdue fell due
   * during a flush, or storage failed: it waits for the next flush or retry, if there is one.
   *
   * During a flush that an alarm began no alarm is set, and after a power failure the one that is set
   * here would be the only one. So it is never later than the next flush while anything waits for D1.
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

  /** Brings D1 up to date with all that was acknowledged before the call. Rejects if D1 fails. */
  flush(): Promise<void> {
    // One flush at a time. Callers that come during a flush share the next one.
    this.#next ??= this.#flushing.then(() => {
      this.#next = null;
      return this.#flushAll();
    });
    this.#flushing = this.#next.catch(() => undefined);
    return this.#next;
  }

  /**
   * For somebody who looks at the numbers: flushes first if something, acknowledged at
   * `waits_since`, has waited for longer than the short interval; the rest goes to D1 within that
   * interval. Waits for D1 for 10 s, and never rejects: if D1 fails, its numbers are older, and say
   * so.
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

  /**
   * Resolves at a moment when no flush is under way. The answer is a version: it changes with every
   * flush that sends something to D1.
   */
  async whenIdle(): Promise<string> {
    for (let flushing = null; flushing !== this.#flushing; ) {
      flushing = this.#flushing;
      await flushing;
    }
    return `${this.#instance}/${this.#sent}`;
  }

  /**
   * Runs a change of the ledger while no flush is under way, and schedules a flush if one is
   * needed.
   */
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
   * Flushes and sets the next alarm. Throws only where storage fails, so that none can be set: then the platform gives up
   * after six failures, and a request or the sweep sets it again (docs/faults.md F8).
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
   * For the cron sweep, which visits objects that get no calls: arms a lost alarm again, and lets a
   * D1 that was restored to an older point get everything again. Rejects if D1 does not answer.
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
    // Also of an object that has counted nothing: imported history may have to move.
    const due_at = ledger.isDirty() ? now : ledger.dueAt();
    if (due_at === null) return "healthy";
    const { flush_interval_ms, quiet_interval_ms } = this.#ports;
    // Where it is quiet, the alarm may be as far away as the long interval.
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

  /** After a flush: sets the alarm for what was counted meanwhile, and for what is due next. */
  #armForRest(): void {
    if (this.#ended) return;
    const now = this.#now();
    if (this.#isDirty()) this.schedule(now);
    this.scheduleDue(now);
  }

  /** How long from now the next flush may take, at most until what is due apart from flushes. */
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
