/**
 * The days of one page: how many people came, and from where (CONTRACT section 9, table `days`).
 * The table holds each day up to the last checkpoint; memory holds the days in progress whole.
 */
import { type Breakdowns, countOrigin, fromJson, toJson } from "./breakdowns.ts";
import { dayOf } from "./clock.ts";
import { type JournalEvent, kindOf } from "./event.ts";
import type { KeySet } from "./key-set.ts";
import type { Sql, Storage } from "./ports.ts";
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
  visitors: KeySet;
  breakdowns: Breakdowns;
  /** Visitors since the last checkpoint. */
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

  /** The visitor's key on this day, 16 hex digits. */
  visitorKey(visitor: string, at_ms: number): string {
    return this.#visitors.key(visitor, at_ms);
  }

  /** Takes one event into its day. Totals mean people, so only people are broken down. */
  add(event: JournalEvent, at_ms: number): void {
    if (event.class !== "human" || (event.visitor === null && event.origin === null)) return;
    const day = this.#day(dayOf(at_ms));
    day.changed = true;
    if (event.visitor !== null && day.visitors.add(event.visitor)) day.arrivals.push(event.visitor);
    if (event.origin !== null) countOrigin(day.breakdowns, event.origin, kindOf(event.link_id));
  }

  /** Writes the days that changed; `checkpointed` must follow once the write holds. */
  checkpoint(): void {
    for (const [day, state] of this.#days) {
      if (!state.changed) continue;
      this.#sql.exec(
        `INSERT INTO days (day, visitors, breakdowns, version) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET
           visitors = max(visitors, excluded.visitors), breakdowns = excluded.breakdowns,
           version = excluded.version`,
        day,
        state.visitors.size,
        toJson(state.breakdowns),
        state.version + 1,
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
      .toArray();
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

  /** Deletes the visitors of every day that is over; only their number stays. */
  forget(now: number): void {
    for (const day of this.#visitors.forget(now)) this.#days.delete(day);
  }

  /** The day's state, read from its rows the first time it is asked for. */
  #day(day: number): DayState {
    let state = this.#days.get(day);
    if (state === undefined) {
      const row = this.#sql
        .exec<{ breakdowns: string; version: number }>(
          "SELECT breakdowns, version FROM days WHERE day = ?1",
          day,
        )
        .toArray()[0];
      state = {
        version: row?.version ?? 0,
        visitors: this.#visitors.read(day),
        breakdowns: fromJson(row?.breakdowns ?? "{}"),
        arrivals: [],
        changed: false,
      };
      this.#days.set(day, state);
    }
    return state;
  }
}
