/**
 * The checkpoints of one page: what each checkpoint moved out of the journal, and the state that an
 * object reads when it wakes.
 *
 * A row holds event keys of the checkpoint, packed, and state that would otherwise take a scan of
 * the past: the first hour with tallies that D1 may not have, and people's lifetime totals. Rows are
 * deleted when their keys need not be remembered any more; the newest row always stays.
 */
import type { Sql } from "../platform/ports.ts";
import { pack } from "./key-set.ts";

/** Event keys in one row: 1 MB of the 2 MB that a row holds. */
const KEYS_MAX = 131_072;

/** What an object reads of its last checkpoint when it wakes. */
export interface CheckpointState {
  /** First hour with tallies that D1 may not have, in unix seconds. */
  unflushed_from: number;
  /** People's lifetime totals as JSON; null where older code wrote the row. */
  people: string | null;
}

export class Checkpoints {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The state of the newest checkpoint, or undefined before the first one. */
  last(): CheckpointState | undefined {
    return this.#sql
      .exec<{ unflushed_from: number; people: string | null }>(
        "SELECT unflushed_from, people FROM checkpoints ORDER BY seq DESC LIMIT 1",
      )
      .toArray()[0];
  }

  /** Packed event keys of the checkpoints later than `since_ms`, the oldest first. */
  keysSince(since_ms: number): Iterable<{ at: number; keys: ArrayBuffer }> {
    return this.#sql.exec<{ at: number; keys: ArrayBuffer }>(
      "SELECT at, keys FROM checkpoints WHERE at > ?1 ORDER BY seq",
      since_ms,
    );
  }

  write(at_ms: number, keys: readonly string[], { unflushed_from, people }: CheckpointState): void {
    for (let from = 0; from < keys.length; from += KEYS_MAX) {
      this.#sql.exec(
        "INSERT INTO checkpoints (at, keys, unflushed_from, people) VALUES (?1, ?2, ?3, ?4)",
        at_ms,
        pack(keys.slice(from, from + KEYS_MAX)),
        unflushed_from,
        people,
      );
    }
  }

  /** Stores that D1 may not have the tallies from `hour` on (unix second). */
  lowerUnflushedFrom(hour: number): void {
    this.#sql.exec(
      `UPDATE checkpoints SET unflushed_from = min(unflushed_from, ?1)
       WHERE seq = (SELECT MAX(seq) FROM checkpoints)`,
      hour,
    );
  }

  /** Deletes the checkpoints of `until_ms` and before. */
  forget(until_ms: number): void {
    this.#sql.exec("DELETE FROM checkpoints WHERE at <= ?1", until_ms);
  }
}
