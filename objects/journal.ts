/**
 * The journal: what was acknowledged since the last checkpoint, one row per group commit. It is
 * what makes an acknowledgement durable at the price of a single row, however many events, tallies,
 * days and visitors the group touches; the checkpoint before each flush folds it into the tables.
 */
import type { JournalEvent } from "./event.ts";
import { emptyJournal } from "./page-schema.ts";
import type { Sql } from "./ports.ts";

export class Journal {
  readonly #sql: Sql;
  #rows = 0;
  #since_ms: number | null = null;
  #keys: string[] = [];

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

  /** Reads the journal back after a restart: `replay` gets every event with its time, in order. */
  load(replay: (event: JournalEvent, at_ms: number) => void): void {
    const rows = this.#sql.exec<{ at: number; events: string }>(
      "SELECT at, events FROM journal ORDER BY seq",
    );
    for (const { at, events } of rows) {
      this.#rows += 1;
      this.#since_ms ??= at;
      for (const event of JSON.parse(events) as JournalEvent[]) {
        this.#keys.push(event.key);
        replay(event, at);
      }
    }
  }

  /** Writes one group that arrived at `at_ms`: one row. `appended` must follow once it holds. */
  append(events: readonly JournalEvent[], at_ms: number): void {
    this.#sql.exec(
      "INSERT INTO journal (at, events) VALUES (?1, ?2)",
      at_ms,
      JSON.stringify(events),
    );
  }

  appended(events: readonly JournalEvent[], at_ms: number): void {
    this.#rows += 1;
    this.#since_ms ??= at_ms;
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
  }
}
