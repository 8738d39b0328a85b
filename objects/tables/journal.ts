/**
 * The journal: what was acknowledged since the last checkpoint, one row per group commit. It is
 * what makes an acknowledgement durable at the price of a single row, however many events, tallies,
 * days and visitors the group touches; the checkpoint before each flush folds it into the tables.
 */
import type { Sql } from "../platform/ports.ts";
import { DIMENSIONS, type JournalEvent } from "./event.ts";
import { emptyJournal } from "./page-schema.ts";

/**
 * A journal of this many events, or of this many characters of JSON, is flushed at once: an object that wakes
 * has to read it all, in 25 ms for each 7 million characters. An event has 140, or up to 1,300.
 */
const EVENTS_MAX = 50_000;
const CHARS_MAX = 8_000_000;

/**
 * An event in a row: an array, because it takes half the room of an object and 40 % of the time to read.
 * The origin's values are in the order of `DIMENSIONS`, 0 for none; what few events have is in `rest`.
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
  /** Of the row that was written last. */
  #row_chars = 0;

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

  /** Whether a checkpoint should empty it at once. */
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

  /** Writes one group that arrived at `at_ms`: one row. `appended` must follow once it holds. */
  append(events: readonly JournalEvent[], at_ms: number): void {
    const text = journalRow(events);
    this.#sql.exec("INSERT INTO journal (at, events) VALUES (?1, ?2)", at_ms, text);
    this.#row_chars = text.length;
  }

  appended(events: readonly JournalEvent[], at_ms: number): void {
    this.#rows += 1;
    this.#since_ms ??= at_ms;
    this.#chars += this.#row_chars;
    for (const { key } of events) this.#keys.push(key);
  }

  /** Deletes what a checkpoint has taken over; `emptied` must follow once it holds. */
  empty(): void {
    emptyJournal(this.#sql, this.#rows);
  }

  emptied(): void {
    this.#rows = 0;
    this.#since_ms = null;
    this.#keys = [];
    this.#chars = 0;
  }
}

/** The events of one group as a row has them. */
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
