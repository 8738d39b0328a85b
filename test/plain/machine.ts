/**
 * Objects on disks that lose power, with a clock of their own. An object may end before and after each
 * commit and each call to the outside; what it had not committed is gone, and nothing answers it.
 */
import type { Storage } from "../../objects/platform/ports.ts";
import { Disk } from "../model/disk.ts";

export const START_MS = Date.UTC(2026, 0, 15, 12);
/** Longer than a call to the outside, so that a commit that is not waited for is noticed. */
const COMMIT_TURNS = 4;
const ALARMS_MAX = 10_000;

function turn(): Promise<void> {
  return new Promise((go) => setImmediate(go));
}

/** An object ends, or gets an error for its call, which may have been done. */
export type Fault = "end" | "error";

export class Power {
  now_ms = START_MS;
  steps = 0;
  faults = 0;
  isClosed = false;
  readonly clock = {
    now: () => this.now_ms,
    after: (ms: number, callback: () => void) => {
      this.waits.push(ms);
      this.#timers.add(callback);
      return () => void this.#timers.delete(callback);
    },
  };
  readonly waits: number[] = [];
  readonly disks: Disk[] = [];
  readonly #fault: Fault;
  readonly #fault_at: readonly number[];
  readonly #timers = new Set<() => void>();

  constructor(fault_at: readonly number[] = [], fault: Fault = "end") {
    this.#fault_at = fault_at;
    this.#fault = fault;
  }

  nextFault(): Fault | null {
    this.steps += 1;
    if (!this.#fault_at.includes(this.steps)) return null;
    this.faults += 1;
    return this.#fault;
  }

  async idle(): Promise<void> {
    for (let i = 0; i < 30; i += 1) await turn();
  }

  /** Works while every wait that has a time-out comes to its end; false if the work waits for ever. */
  async endsInTime(work: Promise<unknown>): Promise<boolean> {
    let isOver = false;
    work.finally(() => {
      isOver = true;
    });
    for (let turns = 0; turns < 100 && !isOver; turns += 1) {
      await this.idle();
      for (const timer of this.#timers) timer();
    }
    return isOver;
  }

  close(): void {
    if (!this.isClosed) for (const disk of this.disks) disk.close();
    this.isClosed = true;
  }
}

/** A call to the outside, before and after which the object may end. */
export type Outside = <R>(effect: () => R | Promise<R>) => Promise<R>;

interface DurableObject {
  ready(): Promise<unknown>;
  onAlarm?(): void | Promise<void>;
}

export class Machine<T extends DurableObject> {
  readonly disk: Disk;
  readonly #power: Power;
  readonly #make: (storage: Storage, outside: Outside) => T;
  #life = 0;
  #crashed = Promise.withResolvers<"crashed">();
  #object: Promise<T> | null = null;
  /** The platform fires an alarm again whose handler has not come to its end. */
  #isCutOff = false;

  constructor(power: Power, make: (storage: Storage, outside: Outside) => T) {
    this.#power = power;
    this.#make = make;
    this.disk = new Disk({
      commitDelay: () => 0,
      after: (_, run) => void this.#commit(run),
      writeFails: () => false,
      broken: () => {},
      committed: () => {},
    });
    power.disks.push(this.disk);
  }

  awake(): Promise<T> {
    this.#object ??= this.#wake();
    return this.#object;
  }

  call<R>(work: (object: T) => R | Promise<R>): Promise<R | "crashed"> {
    // Taken first: the object may end before its method returns.
    const { promise } = this.#crashed;
    return Promise.race([this.awake().then(work), promise]);
  }

  /** Whether an alarm will fire: one is set, or the platform repeats one that did not come to its end. */
  get hasAlarm(): boolean {
    return this.#isCutOff || this.disk.alarm !== null;
  }

  async fire(until_ms: number): Promise<boolean> {
    await this.call(() => {});
    const alarm = this.#isCutOff ? this.#power.now_ms : this.disk.alarm;
    if (alarm === null || alarm > until_ms) return false;
    this.#power.now_ms = Math.max(this.#power.now_ms, alarm);
    this.disk.clearAlarm();
    const fired = await this.call(async (object) => {
      await object.onAlarm?.();
      await this.disk.sync();
    });
    this.#isCutOff = fired === "crashed";
    await this.#power.idle();
    return true;
  }

  async pass(ms: number): Promise<void> {
    const until_ms = this.#power.now_ms + ms;
    await this.#power.idle();
    for (let alarms = 0; await this.fire(until_ms); alarms += 1) {
      if (alarms > ALARMS_MAX) throw new Error("the alarm never rests");
    }
    this.#power.now_ms = until_ms;
  }

  async loseAlarm(): Promise<void> {
    await this.disk.sync();
    this.disk.clearAlarm();
    await this.disk.sync();
    this.crash();
  }

  async outside<R>(effect: () => R | Promise<R>, life = this.#life): Promise<R> {
    await this.#step(life);
    const result = await effect();
    await this.#step(life);
    return result;
  }

  rows(query: string): Record<string, unknown>[] {
    const storage = this.disk.open(
      () => true,
      () => false,
    );
    return storage.sql.exec(query).toArray();
  }

  crash(): void {
    this.#life += 1;
    this.#object = null;
    this.disk.crash();
    this.#crashed.resolve("crashed");
    this.#crashed = Promise.withResolvers();
  }

  async #wake(): Promise<T> {
    const life = this.#life;
    const storage = this.disk.open(
      () => life === this.#life,
      () => false,
    );
    const outside: Outside = (effect) => this.outside(effect, life);
    const object = this.#make(storage, outside);
    await object.ready();
    return object;
  }

  /** Never resolves if the object has ended. */
  async #step(life: number): Promise<void> {
    await turn();
    const fault = this.#nextFault(life);
    if (fault === "end") return new Promise(() => {});
    if (fault === "error") throw new Error("the call fails");
  }

  /** The object may end before a commit, or when what waited for it has gone on. */
  async #commit(run: () => void): Promise<void> {
    const life = this.#life;
    for (let i = 0; i < COMMIT_TURNS; i += 1) await turn();
    // Where a commit fails the platform ends the object, so an error is none here.
    if (this.#nextFault(life) !== "end") run();
    await turn();
    this.#nextFault(life);
  }

  #nextFault(life: number): Fault | null {
    if (life !== this.#life || this.#power.isClosed) return "end";
    const fault = this.#power.nextFault();
    if (fault === "end") this.crash();
    return fault;
  }
}

/** Runs it with a fault at each step, then also at every `stride`th later one. Answers the number of steps. */
export async function atEachStep(
  run: (fault_at: readonly number[]) => Promise<Power>,
  stride: number | null,
): Promise<number> {
  const runAt = async (...fault_at: number[]) => {
    try {
      const world = await run(fault_at);
      world.close();
      return world;
    } catch (error) {
      throw new Error(`with a fault at step ${fault_at.join(" and ")}`, { cause: error });
    }
  };
  for (let first = 1; ; first += 1) {
    const { faults, steps } = await runAt(first);
    if (faults === 0) return first - 1;
    if (stride === null) continue;
    const begin = first + 1 + (first % stride);
    for (let second = begin; second <= steps; second += stride) await runAt(first, second);
  }
}
