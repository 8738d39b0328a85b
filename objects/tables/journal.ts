/**
 * The journal: what was acknowledged since the last checkpoint, one row per group commit. So a
 * durable acknowledgement costs one row, however many events, tallies, days and visitors the group
 * touches. The checkpoint before each flush folds the journal into the tables and clears it.
 */
import type { Sql } from "../platform/ports.ts";
import type { Transaction } from "../platform/transaction.ts";
import { DIMENSIONS, type JournalEvent } from "./event.ts";
import { clearJournal } from "./page-schema.ts";

/**
 * A journal of this many events, or of this many characters of JSON, is flushed at once: an object
 * that wakes has to read all of it, which takes 25 ms for 7 million characters. An event has 140,
 * at most 1,300.
 */
const EVENTS_MAX = 50_000;
const CHARS_MAX = 8_000_000;

/**
 * An event in a row: an array, because it has half the length of an object and takes 40 % of the
 * time to read. The origin's values are in the order of `DIMENSIONS`, 0 for an absent one; rare
 * fields are in `rest`.
 */
type Packed = [
  key: string,
  link_id: string,
  class_: JournalEvent["class"],
  visitor: string | null,
  origin: (string | 0)[] | null,
  rest?: Omit<JournalEvent, "key" | "link_id" | "class" | "visitor" | "origin">,
];

export class Journal {
  readonly #sql: Sql;
  #rows = 0;
  #since_ms: number | null = null;
  #keys: string[] = [];
  #chars = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Keys of the events in the journal, in order of arrival. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /** When the oldest event in the journal arrived, in unix milliseconds; null when it is empty. */
  get since(): number | null {
    return this.#since_ms;
  }

  /** Whether a checkpoint should clear it at once. */
  get isFull(): boolean {
    return this.#keys.length >= EVENTS_MAX || this.#chars >= CHARS_MAX;
  }

  /** Reads the journal back after a restart: `replay` gets every event with its time, in order. */
  load(replay: (event: JournalEvent, at_ms: number) => void): void {
    const rows = this.#sql.exec<{ at: number; events: string }>(
      "SELECT at, events FROM journal ORDER BY seq",
    );
    for (const { at, events } of rows) {
      this.#rows += 1;
      this.#since_ms ??= at;
      this.#chars += events.length;
      for (const event of eventsOf(events)) {
        this.#keys.push(event.key);
        replay(event, at);
      }
    }
  }

  /** Writes one group that arrived at `at_ms`: one row. */
  append(tx: Transaction, events: readonly JournalEvent[], at_ms: number): void {
    const row = journalRow(events);
    this.#sql.exec("INSERT INTO journal (at, events) VALUES (?1, ?2)", at_ms, row);
    tx.afterCommit(() => {
      this.#rows += 1;
      this.#since_ms ??= at_ms;
      this.#chars += row.length;
      for (const { key } of events) this.#keys.push(key);
    });
  }

  /** Deletes everything, after a checkpoint has written it to the tables. */
  clear(tx: Transaction): void {
    clearJournal(this.#sql, this.#rows);
    tx.afterCommit(() => {
      this.#rows = 0;
      this.#since_ms = null;
      this.#keys = [];
      this.#chars = 0;
    });
  }
}

/** A row: the events of one group. */
export function journalRow(events: readonly JournalEvent[]): string {
  return JSON.stringify(events.map(pack));
}

/** The events of a row; older code wrote them as objects. */
export function eventsOf(row: string): JournalEvent[] {
  const events = JSON.parse(row) as (Packed | JournalEvent)[];
  return events.map((event) => (Array.isArray(event) ? unpack(event) : event));
}

function pack({ key, link_id, class: class_, visitor, origin, ...rest }: JournalEvent): Packed {
  const values = origin && DIMENSIONS.map((dimension) => origin[dimension] ?? 0);
  return Object.keys(rest).length === 0
    ? [key, link_id, class_, visitor, values]
    : [key, link_id, class_, visitor, values, rest];
}

function unpack([key, link_id, class_, visitor, values, rest]: Packed): JournalEvent {
  const event: JournalEvent = { key, link_id, class: class_, visitor, origin: null };
  if (values !== null) {
    event.origin = {};
    for (const [i, dimension] of DIMENSIONS.entries()) {
      const value = values[i];
      if (typeof value === "string") event.origin[dimension] = value;
    }
  }
  return rest === undefined ? event : { ...event, ...rest };
}
