/**
 * Virtual time. Everything that takes time in the model is a task with a time; the scheduler runs
 * the tasks one after another, and between two of them lets the code under test run until it waits.
 * Tasks of the same time run in random order. Equal seeds give equal runs.
 */
import type { Clock } from "../../objects/platform/ports.ts";
import type { Random } from "../random.ts";

/** Noon of a fixed day, so that a run of a day crosses midnight once. Unix milliseconds. */
const EPOCH_MS = Date.UTC(2026, 0, 15, 12);

interface Task {
  at_ms: number;
  order: number;
  run: () => void;
}

export class Scheduler {
  readonly #random: Random;
  /** The next one last. */
  readonly #tasks: Task[] = [];
  #settled: (() => void)[] = [];
  #now_ms = 0;
  #skew_ms = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** True time since the run began, in milliseconds. */
  get now_ms(): number {
    return this.#now_ms;
  }

  /** True time in unix milliseconds. */
  get unix_ms(): number {
    return EPOCH_MS + Math.floor(this.#now_ms);
  }

  /** The objects' clock, which may have been set back or forward. */
  readonly clock: Clock = {
    now: () => this.unix_ms + this.#skew_ms,
    after: (ms, callback) => this.after(ms, callback),
  };

  /** Sets the objects' clock forward, or back if `ms` is negative. True time does not change. */
  step(ms: number): void {
    this.#skew_ms += ms;
  }

  after(ms: number, run: () => void): () => void {
    const task = { at_ms: this.#now_ms + Math.max(0, ms), order: this.#random(), run };
    let low = 0;
    let high = this.#tasks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#tasks[middle] as Task;
      if (other.at_ms > task.at_ms || (other.at_ms === task.at_ms && other.order > task.order)) {
        low = middle + 1;
      } else high = middle;
    }
    this.#tasks.splice(low, 0, task);
    return () => {
      const at = this.#tasks.indexOf(task);
      if (at !== -1) this.#tasks.splice(at, 1);
    };
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Calls `look` when all code waits for a task. `look` must not start anything. */
  settled(look: () => void): void {
    this.#settled.push(look);
  }

  /** Runs every task up to `until_ms` of true time, or until `done` says so. */
  async run(until_ms: number, done: () => boolean = () => false): Promise<void> {
    await this.#settle();
    while (!done()) {
      const next = this.#tasks.at(-1);
      if (next === undefined || next.at_ms > until_ms) break;
      this.#tasks.pop();
      this.#now_ms = next.at_ms;
      next.run();
      await this.#settle();
    }
    if (!done()) this.#now_ms = Math.max(this.#now_ms, until_ms);
  }

  async #settle(): Promise<void> {
    await settle();
    const looks = this.#settled;
    if (looks.length === 0) return;
    this.#settled = [];
    for (const look of looks) look();
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
