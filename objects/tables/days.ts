/**
 * The days of one page: how many people came, and from where (docs/contract.md section 9, table `days`).
 * The table holds each day up to the last checkpoint; memory holds the days in progress whole.
 */
import { dayOf } from "../platform/clock.ts";
import type { Sql, Storage } from "../platform/ports.ts";
import { Breakdowns } from "./breakdowns.ts";
import { type JournalEvent, kindOf, type PageEvent } from "./event.ts";
import type { KeySet } from "./key-set.ts";
import { NewValueLimit, NewValues } from "./new-values.ts";
import { Visitors } from "./visitors.ts";

/** What D1 gets of a day; a higher version replaces a lower one. */
export interface Day {
  /** Unix second at which the UTC day starts. */
  day: number;
  visitors: number;
  /** JSON `{dimension: {value: [views, clicks]}}`. */
  breakdowns: string;
  version: number;
}

interface DayState {
  version: number;
  /** Null until the first checkpoint with a visitor: a million of them take 50 ms to read. */
  visitors: KeySet | null;
  /** Visitor keys since the last checkpoint, with repeats; the checkpoint finds the new ones. */
  came: string[];
  breakdowns: Breakdowns;
  new_values: NewValues;
  /** Of these, the keys that are new, to be stored by the checkpoint. */
  arrivals: string[];
  changed: boolean;
}

export class Days {
  readonly #sql: Sql;
  readonly #visitors: Visitors;
  readonly #days = new Map<number, DayState>();

  constructor(storage: Storage) {
    this.#sql = storage.sql;
    this.#visitors = new Visitors(storage);
  }

  /**
   * For one group of events that arrive at `at_ms`: turns each, in their order, into what the journal is to
   * hold of it, and decides under which values it counts. `add` must follow once the group is written.
   */
  admission(at_ms: number): (event: PageEvent) => JournalEvent {
    let admission: NewValueLimit | null = null;
    return (event) => {
      const { visitor, origin } = event;
      if (event.class !== "human" || visitor === null || origin === null) {
        return { ...event, visitor: null, origin: null };
      }
      if (admission === null) {
        const { breakdowns, new_values } = this.#day(dayOf(at_ms));
        admission = new NewValueLimit(breakdowns, new_values);
      }
      return {
        ...event,
        visitor: this.#visitors.key(visitor, at_ms),
        ...admission.admit(origin, () => this.#visitors.senderKey(visitor, at_ms)),
      };
    };
  }

  /** Takes one event into its day. Totals mean people, so only people are broken down. */
  add(event: JournalEvent, at_ms: number): void {
    if (event.class !== "human" || (event.visitor === null && event.origin === null)) return;
    const day = this.#day(dayOf(at_ms));
    day.changed = true;
    if (event.visitor !== null) day.came.push(event.visitor);
    if (event.origin !== null) {
      if (event.newcomer !== undefined) {
        day.new_values.note(event.newcomer, event.origin, day.breakdowns);
      }
      day.breakdowns.count(event.origin, kindOf(event.link_id));
    }
  }

  /** Writes the days that changed; `checkpointed` must follow once the write holds. */
  checkpoint(): void {
    for (const [day, state] of this.#days) {
      if (!state.changed) continue;
      this.#meet(day, state);
      this.#sql.exec(
        `INSERT INTO days (day, visitors, breakdowns, version, senders) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET
           visitors = max(visitors, excluded.visitors), breakdowns = excluded.breakdowns,
           version = excluded.version, senders = excluded.senders`,
        day,
        state.visitors?.size ?? 0,
        state.breakdowns.toJson(),
        state.version + 1,
        state.new_values.toJson(),
      );
      this.#visitors.append(day, state.arrivals);
    }
  }

  checkpointed(): void {
    for (const state of this.#days.values()) {
      if (!state.changed) continue;
      state.version += 1;
      state.arrivals = [];
      state.changed = false;
    }
  }

  /** Up to `limit` days of the last checkpoint that D1 has not confirmed. */
  unflushed(limit: number): Day[] {
    return this.#sql
      .exec<{ [column in keyof Day]: Day[column] }>(
        `SELECT day, visitors, breakdowns, version FROM days
         WHERE version > flushed_version ORDER BY day LIMIT ?1`,
        limit,
      )
      .toArray()
      .map((day) => ({ ...day, breakdowns: Breakdowns.read(day.breakdowns).mostCounted() }));
  }

  /** D1 holds these versions. */
  confirm(days: readonly Day[]): void {
    for (const { day, version } of days) {
      this.#sql.exec(
        "UPDATE days SET flushed_version = max(flushed_version, ?2) WHERE day = ?1",
        day,
        version,
      );
    }
  }

  /** D1 may hold none of them any more. */
  unconfirm(): void {
    this.#sql.exec("UPDATE days SET flushed_version = 0");
  }

  /** When there will be visitors to forget, in unix milliseconds; null without any. */
  get forgetAt(): number | null {
    return this.#visitors.forgetAt;
  }

  /** Deletes the visitors and senders of every day that is over; only the number of visitors stays. */
  forget(now: number): void {
    for (const day of this.#visitors.forget(now)) {
      this.#sql.exec("UPDATE days SET senders = NULL WHERE day = ?1", day);
      this.#days.delete(day);
    }
  }

  /** Finds the new ones among the keys. Changes nothing that a failed checkpoint would have to undo. */
  #meet(day: number, state: DayState): void {
    if (state.came.length === 0) return;
    state.visitors ??= this.#visitors.read(day);
    for (const visitor of state.came) if (state.visitors.add(visitor)) state.arrivals.push(visitor);
    state.came = [];
  }

  /** The day's state, read from its rows the first time it is asked for. */
  #day(day: number): DayState {
    let state = this.#days.get(day);
    if (state === undefined) {
      const row = this.#sql
        .exec<{ breakdowns: string; version: number; senders: string | null }>(
          "SELECT breakdowns, version, senders FROM days WHERE day = ?1",
          day,
        )
        .toArray()[0];
      state = {
        version: row?.version ?? 0,
        visitors: null,
        came: [],
        breakdowns: Breakdowns.read(row?.breakdowns ?? "{}"),
        new_values: NewValues.read(row?.senders ?? "[]"),
        arrivals: [],
        changed: false,
      };
      this.#days.set(day, state);
    }
    return state;
  }
}
