/**
 * The checkpoints of one page: what each moved out of the journal, and the state that an object
 * reads when it wakes.
 *
 * A row holds event keys, packed and sorted (`recent-ids.ts`), and state that would otherwise take
 * a scan of the past. A checkpoint replaces the last row by a longer one, which costs as much as a
 * new one and saves the deletion of a row later. Rows are deleted when their keys need not be
 * remembered any more; the newest row always stays.
 */
import type { Sql } from "../../platform/ports.ts";
import type { Transaction } from "../../platform/transaction.ts";
import type { IdsRow } from "./recent-ids.ts";

export interface CheckpointState {
  /** First hour with tallies that D1 may not have, in unix seconds. */
  unflushed_from: number;
  /** People's lifetime totals as JSON; null where older code wrote the row. */
  people: string | null;
}

export interface Checkpoint extends CheckpointState {
  seq: number;
}

export class Checkpoints {
  readonly #sql: Sql;
  #seq = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  last(): Checkpoint | undefined {
    const last = this.#sql
      .exec<{ seq: number; unflushed_from: number; people: string | null }>(
        "SELECT seq, unflushed_from, people FROM checkpoints ORDER BY seq DESC LIMIT 1",
      )
      .toArray()[0];
    this.#seq = last?.seq ?? 0;
    return last;
  }

  keysSince(since_ms: number): Iterable<{ at: number; keys: ArrayBuffer }> {
    return this.#sql.exec<{ at: number; keys: ArrayBuffer }>(
      "SELECT at, keys FROM checkpoints WHERE at > ?1 ORDER BY seq",
      since_ms,
    );
  }

  write(
    tx: Transaction,
    rows: readonly IdsRow[],
    { unflushed_from, people }: CheckpointState,
  ): void {
    let seq = this.#seq;
    for (const { keys, at_ms, continues } of rows) {
      if (!continues) seq += 1;
      this.#sql.exec(
        `INSERT INTO checkpoints (seq, at, keys, unflushed_from, people)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET at = excluded.at, keys = excluded.keys,
           unflushed_from = excluded.unflushed_from, people = excluded.people`,
        seq,
        at_ms,
        keys,
        unflushed_from,
        people,
      );
    }
    tx.afterCommit(() => {
      this.#seq = seq;
    });
  }

  /** D1 may not have the tallies from `hour` on (unix second). */
  lowerUnflushedFrom(hour: number): void {
    this.#sql.exec(
      `UPDATE checkpoints SET unflushed_from = min(unflushed_from, ?1)
       WHERE seq = (SELECT MAX(seq) FROM checkpoints)`,
      hour,
    );
  }

  replacePeople(people: string): void {
    this.#sql.exec(
      "UPDATE checkpoints SET people = ?1 WHERE seq = (SELECT MAX(seq) FROM checkpoints)",
      people,
    );
  }

  /** Deletes those of `until_ms` and before. */
  forget(until_ms: number): void {
    this.#sql.exec("DELETE FROM checkpoints WHERE at <= ?1", until_ms);
  }
}
