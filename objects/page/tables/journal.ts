/**
 * The journal: what was acknowledged since the last checkpoint, one row per group commit. So a
 * durable acknowledgement costs one row, however many events, tallies, days and visitors the group
 * touches. A checkpoint folds the journal into the tables and clears it.
 */

import { DIMENSIONS, type JournalEvent } from "../../events/event.ts";
import { PackedEvents } from "../../events/packed-events.ts";
import { keyOf } from "../../keys/key-list.ts";
import type { Sql } from "../../platform/ports.ts";
import type { Transaction } from "../../platform/transaction.ts";
import { clearJournal } from "./page-schema.ts";

/** An object that wakes reads the whole journal. An event has 60 bytes, at most 1,600. */
const EVENTS_MAX = 50_000;
const BYTES_MAX = 8_000_000;

export class Journal {
  readonly #sql: Sql;
  /** Rows are numbered from 1 and cleared all together, so this is also how many there are. */
  #seq = 0;
  #since_ms: number | null = null;
  #length = 0;
  #bytes = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get length(): number {
    return this.#length;
  }

  get seq(): number {
    return this.#seq;
  }

  /** When the oldest event after this row arrived, in unix milliseconds. */
  sinceAfter(seq: number): number | null {
    if (seq === 0) return this.#since_ms;
    if (seq >= this.#seq) return null;
    const rows = this.#sql.exec<{ at: number }>(
      "SELECT at FROM journal WHERE seq > ?1 ORDER BY seq LIMIT 1",
      seq,
    );
    return rows.toArray()[0]?.at ?? null;
  }

  get isFull(): boolean {
    return this.#length >= EVENTS_MAX || this.#bytes >= BYTES_MAX;
  }

  /** `replay` gets every event with its time and the number of its row, in order. */
  load(replay: (event: JournalEvent, at_ms: number, seq: number) => void): void {
    const rows = this.#sql.exec<{ seq: number; at: number; events: StoredRow }>(
      "SELECT seq, at, events FROM journal ORDER BY seq",
    );
    for (const { seq, at, events } of rows) {
      this.#seq = seq;
      this.#since_ms ??= at;
      this.#bytes += bytesOf(events);
      for (const event of eventsOf(events)) {
        this.#length += 1;
        replay(event, at, seq);
      }
    }
  }

  /** Writes one row. Answers the events that count. */
  append(tx: Transaction, batches: readonly PackedEvents[], at_ms: number): JournalEvent[] {
    const row = PackedEvents.row(batches);
    this.#sql.exec("INSERT INTO journal (at, events) VALUES (?1, ?2)", at_ms, row);
    const events = batches.flatMap((batch) => batch.events());
    tx.afterCommit(() => {
      this.#seq += 1;
      this.#since_ms ??= at_ms;
      this.#bytes += row.length;
      this.#length += events.length;
    });
    return events;
  }

  clear(tx: Transaction): void {
    clearJournal(this.#sql, this.#seq);
    tx.afterCommit(() => {
      this.#seq = 0;
      this.#since_ms = null;
      this.#length = 0;
      this.#bytes = 0;
    });
  }
}

/** Older code wrote a text. */
type StoredRow = ArrayBuffer | string;

function bytesOf(row: StoredRow): number {
  return typeof row === "string" ? row.length : row.byteLength;
}

export function eventsOf(row: StoredRow): JournalEvent[] {
  if (typeof row !== "string") return PackedEvents.readRow(row).flatMap((batch) => batch.events());
  return (JSON.parse(row) as (OldArray | OldObject)[]).map((event) =>
    Array.isArray(event) ? fromArray(event) : fromObject(event),
  );
}

/** An event as older code wrote it (docs/faults.md F16); keys are 16 hex digits. */
interface OldObject {
  key: string;
  link_id: string;
  class: JournalEvent["class"];
  n?: number;
  visitor: string | null;
  origin: JournalEvent["origin"];
  newcomer?: string;
}

/** A later form: the origin's values in the order of `DIMENSIONS`, 0 for an absent one. */
type OldArray = [
  key: string,
  link_id: string,
  class_: JournalEvent["class"],
  visitor: string | null,
  origin: (string | 0)[] | null,
  rest?: Pick<OldObject, "n" | "newcomer">,
];

function fromObject({ key, visitor, newcomer, n = 1, ...event }: OldObject): JournalEvent {
  return {
    ...event,
    key: keyOf(key),
    n,
    visitor: visitor === null ? null : keyOf(visitor),
    newcomer: newcomer === undefined ? null : keyOf(newcomer),
  };
}

function fromArray([key, link_id, class_, visitor, values, rest]: OldArray): JournalEvent {
  const named = DIMENSIONS.map((dimension, i) => [dimension, values?.[i]] as const);
  const present = named.filter(([, value]) => typeof value === "string");
  const origin: JournalEvent["origin"] = values && Object.fromEntries(present);
  return fromObject({ key, link_id, class: class_, visitor, origin, ...rest });
}
