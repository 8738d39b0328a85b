/**
 * A D1 with an end to its patience: one request after another, each taking its time; a queue that
 * refuses what is too much or has waited for too long; or no space left. The words of its errors
 * are D1's (docs/scale.md has their source).
 */
import type { Database, Statement } from "../../objects/platform/ports.ts";
import type { Scheduler } from "../model/scheduler.ts";

export interface Capacity {
  writes_per_s: number;
  queue_max: number;
  /** A request that waited for longer is refused when its turn comes. */
  queued_ms_max: number;
}

/** `open`: takes everything at once. `full`: reads are answered, writes refused. `down`: nothing is answered. */
type Condition = "open" | "busy" | "full" | "down";

interface Waiting {
  since_ms: number;
  cost_ms: number;
  /** The caller's part: D1 executes, or refuses. */
  execute: () => void;
  refuse: (error: Error) => void;
}

const SECOND_MS = 1_000;
/** A read of one row takes this part of the time of a flush. */
const READ_COST = 0.1;

const TOO_MANY = "D1_ERROR: D1 DB is overloaded. Too many requests queued.";
const TOO_LONG = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
const FULL = "D1_ERROR: Exceeded maximum DB size";
const DOWN = "D1_ERROR: Network connection lost.";

export class BusyD1 {
  condition: Condition = "open";
  /** Flushes that were asked for, refused and executed since the last `restart`. */
  asked = 0;
  refused = 0;
  executed = 0;
  readonly #scheduler: Scheduler;
  readonly #capacity: Capacity;
  readonly #queue: Waiting[] = [];
  #isWorking = false;

  constructor(scheduler: Scheduler, capacity: Capacity) {
    this.#scheduler = scheduler;
    this.#capacity = capacity;
  }

  restart(): void {
    this.asked = 0;
    this.refused = 0;
    this.executed = 0;
  }

  /** The same database behind the queue; `written` is called after each executed flush. */
  before(db: Database, written: () => void): Database {
    const wrap = (statement: Statement): Statement =>
      Object.assign(Object.create(statement), {
        bind: (...values: unknown[]) => wrap(statement.bind(...values)),
        all: async <R>() => {
          await this.#turn(READ_COST);
          return statement.all<R>();
        },
      }) as Statement;
    return {
      prepare: (query) => wrap(db.prepare(query)),
      batch: async <R>(statements: Statement[]) => {
        this.asked += 1;
        try {
          if (this.condition === "full") throw new Error(FULL);
          await this.#turn(1);
        } catch (error) {
          this.refused += 1;
          throw error;
        }
        this.executed += 1;
        const results = await db.batch<R>(statements);
        written();
        return results;
      },
    };
  }

  #turn(cost: number): Promise<void> {
    if (this.condition === "down") return Promise.reject(new Error(DOWN));
    if (this.condition !== "busy") return Promise.resolve();
    if (this.#queue.length >= this.#capacity.queue_max) return Promise.reject(new Error(TOO_MANY));
    return new Promise((execute, refuse) => {
      const cost_ms = (cost * SECOND_MS) / this.#capacity.writes_per_s;
      this.#queue.push({ since_ms: this.#scheduler.now_ms, cost_ms, execute, refuse });
      if (!this.#isWorking) this.#next();
    });
  }

  #next(): void {
    const first = this.#queue.shift();
    this.#isWorking = first !== undefined;
    if (first === undefined) return;
    if (this.#scheduler.now_ms - first.since_ms > this.#capacity.queued_ms_max) {
      first.refuse(new Error(TOO_LONG));
      this.#next();
      return;
    }
    this.#scheduler.after(first.cost_ms, () => {
      first.execute();
      this.#next();
    });
  }
}
