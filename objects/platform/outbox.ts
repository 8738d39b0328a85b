/**
 * Outbox: what an object owes to other objects. A row is stored in the transaction that makes it and
 * deleted once its target has it, so it arrives at least once wherever the object is killed, with an
 * id by which the target counts it once.
 *
 *   owner's transaction ─▶ row, alarm ─▶ deliver: at once, or by the alarm ─▶ the target has it ─▶ row deleted
 *                                           └─ failed ─▶ the first row of the target waits: `due`, `tries`
 *
 * Each target has a queue in the order of the ids. The first row says when the queue is due and how
 * often it has failed in a row: a failure costs one row however many wait, and what is added
 * meanwhile does not end the pause. No target waits for another.
 *
 * The owner makes the table, and sets its alarm for `dueAt`: in the step that adds, after a
 * delivery, and when it wakes without an alarm.
 */
import { SECOND_MS, withTimeout } from "./clock.ts";
import type { Ports } from "./ports.ts";
import { pauseAfter, type RetrySchedule } from "./retries.ts";

const BATCH_MAX = 100;
/** A target that takes longer gets the batch again. */
const SEND_TIMEOUT_MS = 10 * SECOND_MS;
const LANES_MAX = 6;

/**
 * Both have the names that releases up to 3.1 gave them, because after a rollback that code reads,
 * deletes and adds the same rows. It does not know `due` and `tries`, which are 0 in its rows: due
 * at once.
 */
export interface OutboxTable {
  name: string;
  id: string;
  target: string;
  body: string;
}

export function retryColumns({ name }: OutboxTable): string[] {
  return ["due", "tries"].map(
    (column) => `ALTER TABLE ${name} ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`,
  );
}

type Id = string | number;

export interface Outgoing<Body> {
  id: Id;
  body: Body;
}

export interface OutboxRules<Body> {
  table: OutboxTable;
  schedule: RetrySchedule;
  /** An object may end, and drop the table, while it delivers. */
  exists: () => boolean;
  /** Rejects unless the target has all rows; it may get them again. */
  send: (target: string, rows: Outgoing<Body>[]) => Promise<void>;
  failed: (error: unknown) => void;
}

export class Outbox<Body> {
  readonly #ports: Pick<Ports, "storage" | "clock" | "random">;
  readonly #rules: OutboxRules<Body>;
  /** Deliveries under way, by target; none rejects. Each takes along what is added meanwhile. */
  readonly #lanes = new Map<string, Promise<void>>();
  /** Calls of one turn, as those after a group commit, share a delivery: each looks at all rows. */
  #beginning: Promise<void> | null = null;

  constructor(ports: Pick<Ports, "storage" | "clock" | "random">, rules: OutboxRules<Body>) {
    this.#ports = ports;
    this.#rules = rules;
  }

  /** Unix milliseconds; null once everything has arrived. */
  get dueAt(): number | null {
    const now = this.#ports.clock.now();
    const times = this.#heads().map(({ due }) =>
      this.#isDue(due, now) ? Math.min(due, now) : due,
    );
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Stores a row once for its id, due then or with its queue. Belongs into a transaction. */
  add({ id, body }: Outgoing<Body>, target: string, due_at: number): void {
    const { name, ...columns } = this.#rules.table;
    const [head = { due: due_at, tries: 0 }] = this.#select<{ due: number; tries: number }>(
      `SELECT due, tries FROM ${name} WHERE ${columns.target} = ?1 ORDER BY ${columns.id} LIMIT 1`,
      target,
    );
    this.#ports.storage.sql.exec(
      `INSERT INTO ${name} (${columns.id}, ${columns.target}, ${columns.body}, due, tries)
       VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING`,
      id,
      target,
      JSON.stringify(body),
      head.due,
      head.tries,
    );
  }

  /** Waits also for what others send. Never rejects. */
  deliver(): Promise<void> {
    this.#beginning ??= Promise.resolve().then(() => {
      this.#beginning = null;
      return this.#deliver().catch(this.#rules.failed);
    });
    return this.#beginning;
  }

  async #deliver(): Promise<void> {
    if (!this.#rules.exists()) return;
    const now = this.#ports.clock.now();
    for (const { target, due } of this.#heads()) {
      if (!this.#isDue(due, now)) continue;
      while (this.#lanes.size >= LANES_MAX) await Promise.race(this.#lanes.values());
      if (!this.#lanes.has(target)) this.#lanes.set(target, this.#run(target));
    }
    await Promise.all(this.#lanes.values());
  }

  async #run(target: string): Promise<void> {
    try {
      await this.#send(target);
    } catch (error) {
      this.#rules.failed(error);
    } finally {
      this.#lanes.delete(target);
    }
  }

  /** Rejects if storage fails. */
  async #send(target: string): Promise<void> {
    const { storage, clock } = this.#ports;
    const { send, exists } = this.#rules;
    // A lane that has nothing to send must not be over before `deliver` has stored it.
    await null;
    for (let rows = this.#batch(target); rows.length > 0; rows = this.#batch(target)) {
      try {
        // What is sent is on disk, or a target could have what a kill has undone here.
        await storage.sync();
        const sent = rows.map(({ id, body }) => ({ id, body: JSON.parse(body) as Body }));
        await withTimeout(send(target, sent), SEND_TIMEOUT_MS, clock);
      } catch (error) {
        this.#rules.failed(error);
        if (exists()) this.#postpone(target, (rows[0]?.tries ?? 0) + 1);
        return;
      }
      if (!exists()) return;
      this.#delete(rows.map(({ id }) => id));
    }
  }

  #batch(target: string): { id: Id; body: string; due: number; tries: number }[] {
    const { name, ...columns } = this.#rules.table;
    if (!this.#rules.exists()) return [];
    const rows = this.#select<{ id: Id; body: string; due: number; tries: number }>(
      `SELECT ${columns.id} AS id, ${columns.body} AS body, due, tries FROM ${name}
       WHERE ${columns.target} = ?1 ORDER BY ${columns.id} LIMIT ${BATCH_MAX}`,
      target,
    );
    return this.#isDue(rows[0]?.due ?? 0, this.#ports.clock.now()) ? rows : [];
  }

  /**
   * Queues that have failed least come first, or targets that hang would take every lane. `due` is
   * of the row with the smallest id (SQLite, section "Bare columns").
   */
  #heads(): { target: string; due: number }[] {
    const { name, id, target } = this.#rules.table;
    return this.#select<{ target: string; due: number }>(
      `SELECT ${target} AS target, MIN(${id}) AS id, due FROM ${name}
       GROUP BY ${target} ORDER BY tries`,
    );
  }

  #postpone(target: string, tries: number): void {
    const { name, ...columns } = this.#rules.table;
    const { storage, clock, random } = this.#ports;
    storage.sql.exec(
      `UPDATE ${name} SET due = ?2, tries = ?3 WHERE ${columns.id} =
         (SELECT MIN(${columns.id}) FROM ${name} WHERE ${columns.target} = ?1)`,
      target,
      clock.now() + pauseAfter(this.#rules.schedule, tries, random()),
      tries,
    );
  }

  #delete(ids: Id[]): void {
    const { name, id } = this.#rules.table;
    this.#ports.storage.sql.exec(
      `DELETE FROM ${name} WHERE ${id} IN (SELECT value FROM json_each(?1))`,
      JSON.stringify(ids),
    );
  }

  /** A pause that is longer than any began before the clock was set back, and is over. */
  #isDue(due: number, now: number): boolean {
    return due <= now || due > now + this.#rules.schedule.longest_ms;
  }

  #select<R extends Record<string, string | number>>(query: string, ...bindings: unknown[]): R[] {
    return this.#ports.storage.sql.exec<R>(query, ...bindings).toArray();
  }
}
