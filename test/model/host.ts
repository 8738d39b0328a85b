/**
 * The platform around one Durable Object: makes it when it is called, holds its answers back until
 * its writes are on disk, fires its alarm at least once, and ends it at any moment. The object
 * itself is the project's own code.
 */
import type { Ports, Storage } from "../../objects/platform/ports.ts";
import type { Random } from "../random.ts";
import { Disk } from "./disk.ts";
import type { Fault } from "./faults.ts";
import type { Scheduler } from "./scheduler.ts";

export interface Hosted {
  ready(): Promise<void>;
  onAlarm(): void | Promise<void>;
}

export interface HostWorld {
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** Time of one way over the network, in milliseconds. */
  latency(): number;
  commitDelay(): number;
  writeFails(): boolean;
  alarmRunsTwice(): boolean;
  hit(fault: Fault): void;
  trace: (what: string) => void;
}

interface Incarnation<O> {
  object: O;
  storage: Storage;
  ready: Promise<void>;
  alive: boolean;
  /** Calls whose answers have not left yet. */
  calls: Set<Call>;
}

interface Call {
  fail: (reason: Error) => void;
  /** The object has answered; the answer waits for the disk or is on its way. */
  decided: boolean;
}

/** Pauses before an alarm whose handler threw is tried again, in milliseconds; then it is dropped. */
const ALARM_RETRIES_MS = [2_000, 4_000, 9_000, 17_000, 36_000, 70_000] as const;

/** An object answers within this time when nothing fails any more. */
const ANSWER_MS = 1_000;
/** The error of a call begins with this if the object has ended. */
const ENDED = "the object has ended";

export class Host<O extends Hosted> {
  readonly name: string;
  readonly disk: Disk;
  readonly #world: HostWorld;
  readonly #make: (ports: Ports, host: Host<O>) => O;
  #incarnation: Incarnation<O> | null = null;
  /** No call is answered, because the process is restarting. */
  #down = false;
  #offAlarm: () => void = () => {};
  #alarmRuns = 0;
  #alarmFailures = 0;
  /** How often the object was made; calls of older instances into the world are dropped. */
  incarnations = 0;

  constructor(name: string, world: HostWorld, make: (ports: Ports, host: Host<O>) => O) {
    this.name = name;
    this.#world = world;
    this.#make = make;
    this.disk = new Disk({
      commitDelay: () => world.commitDelay(),
      after: (ms, run) => world.scheduler.after(ms, run),
      writeFails: () => world.writeFails(),
      broken: () => this.end("storage is broken"),
      committed: () => this.#scheduleAlarm(),
    });
  }

  get isAwake(): boolean {
    return this.#incarnation !== null;
  }

  /** For the object in memory: answers whether it is still there. */
  life(): () => boolean {
    const { incarnations } = this;
    return () => this.incarnations === incarnations && this.isAwake;
  }

  /** A call over RPC; rejects when the object ends before its answer has left. */
  call<R>(work: (object: O) => R | Promise<R>): Promise<R> {
    if (this.#down) return Promise.reject(new Error("connection refused"));
    let incarnation: Incarnation<O>;
    try {
      incarnation = this.#wake();
    } catch (error) {
      // The constructor may write to storage. If the disk is full, the call fails, and the next one
      // makes the object again.
      this.#forget(String(error));
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      const call: Call = { fail: reject, decided: false };
      incarnation.calls.add(call);
      const answer = (give: () => void) => {
        call.decided = true;
        // The output gate: no answer leaves before all writes so far are on disk.
        void incarnation.storage.sync().then(() =>
          this.#world.scheduler.after(this.#world.latency(), () => {
            if (incarnation.calls.delete(call)) give();
          }),
        );
      };
      incarnation.ready
        .then(() => work(incarnation.object))
        .then(
          (result) => answer(() => resolve(result)),
          (error) => answer(() => reject(error)),
        );
    });
  }

  /** Asks the object after the last fault, from outside the run's tasks; null if it fails. */
  async ask<R>(
    question: (object: O) => R | Promise<R>,
    failed: (error: unknown) => void,
  ): Promise<R | null> {
    const { scheduler } = this.#world;
    let found: { answer: R } | null = null;
    this.call(question).then((answer) => {
      found = { answer };
    }, failed);
    await scheduler.run(scheduler.now_ms + ANSWER_MS, () => found !== null);
    return (found as { answer: R } | null)?.answer ?? null;
  }

  /**
   * Ends the object at this moment. Uncommitted writes are lost, and every caller loses its
   * connection. The object can be made again at once, or after `down_ms` if its process has to
   * start first.
   */
  end(reason: string, down_ms = 0): void {
    const { dirty } = this.disk;
    for (const call of this.#incarnation?.calls ?? []) {
      if (dirty) this.#world.hit("F2");
      else if (call.decided) this.#world.hit("F1");
    }
    if (this.disk.alarm !== null) this.#world.hit("F9");
    this.#world.trace(`${this.name}: ${reason}`);
    this.disk.crash();
    this.#forget(reason);
    this.#down = down_ms > 0;
    this.#offAlarm();
    this.#world.scheduler.after(down_ms, () => {
      this.#down = false;
      this.#scheduleAlarm();
    });
  }

  evict(): boolean {
    if (this.#incarnation === null || this.#incarnation.calls.size > 0) return false;
    if (this.disk.dirty || this.#alarmRuns > 0) return false;
    this.#world.trace(`${this.name}: evicted`);
    this.#forget("evicted");
    this.#scheduleAlarm();
    return true;
  }

  loseAlarm(): boolean {
    if (this.disk.alarm === null || this.disk.dirty || this.#alarmRuns > 0) return false;
    this.#world.trace(`${this.name}: its alarm is lost`);
    this.disk.clearAlarm();
    this.#offAlarm();
    return true;
  }

  /** The platform fires the alarm, sometimes twice at once. */
  fireAlarm(): void {
    if (this.#down || this.disk.alarm === null) return;
    this.#alarmRuns += 1;
    const at = this.disk.alarm;
    const twice = this.#world.alarmRunsTwice();
    if (twice) this.#world.hit("F6");
    this.#world.trace(`${this.name}: alarm${twice ? ", twice at once" : ""}`);
    const run = () => this.call((object) => object.onAlarm());
    void Promise.all(twice ? [run(), run()] : [run()]).then(
      () => this.#alarmEnded(at),
      (error: Error) => this.#alarmEnded(at, error),
    );
  }

  #alarmEnded(at: number, error?: Error): void {
    this.#alarmRuns -= 1;
    const retry_ms = ALARM_RETRIES_MS[this.#alarmFailures];
    if (error === undefined) this.#alarmFailures = 0;
    else if (
      !error.message.startsWith(ENDED) &&
      retry_ms !== undefined &&
      // One that the other of two handlers set stays, in place of the retry.
      this.disk.alarm === at
    ) {
      this.#alarmFailures += 1;
      this.#offAlarm = this.#world.scheduler.after(retry_ms, () => this.fireAlarm());
      return;
    }
    // Succeeded or given up. An alarm that the handler set again stays, and so does one whose
    // process ended.
    const over = error === undefined || !error.message.startsWith(ENDED);
    if (over && this.disk.alarm === at) this.disk.clearAlarm();
    this.#scheduleAlarm();
  }

  #wake(): Incarnation<O> {
    if (this.#incarnation !== null) return this.#incarnation;
    this.incarnations += 1;
    const scheduler = this.#world.scheduler;
    const calls = new Set<Call>();
    const storage = this.disk.open(
      () => incarnation.alive,
      () => this.#alarmRuns > 0,
    );
    const clock = {
      now: () => scheduler.clock.now(),
      // A timer of an ended object never fires.
      after: (ms: number, callback: () => void) =>
        scheduler.after(ms, () => incarnation.alive && callback()),
    };
    const incarnation: Incarnation<O> = { storage, calls, alive: true } as Incarnation<O>;
    this.#incarnation = incarnation;
    const abort = (reason: string) => this.end(reason);
    incarnation.object = this.#make({ storage, clock, random: this.#world.random, abort }, this);
    incarnation.ready = incarnation.object.ready();
    return incarnation;
  }

  #forget(reason: string): void {
    const incarnation = this.#incarnation;
    this.#incarnation = null;
    if (incarnation === null) return;
    incarnation.alive = false;
    for (const { fail } of incarnation.calls) fail(new Error(`${ENDED}: ${reason}`));
    incarnation.calls.clear();
  }

  #scheduleAlarm(): void {
    this.#offAlarm();
    const at = this.disk.alarm;
    if (at === null || this.#down || this.#alarmRuns > 0) return;
    const wait_ms = at - this.#world.scheduler.clock.now();
    this.#offAlarm = this.#world.scheduler.after(wait_ms, () => this.fireAlarm());
  }
}
