/**
 * The days of one page: how many people came, and from where (docs/contract.md section 9, table
 * `days`). The table holds each day up to the last checkpoint; memory holds the current days
 * completely. The visitors and senders of a day, and who was there last, are deleted when it is
 * over. The sums of months follow from the days (`months.ts`).
 */

import { type JournalEvent, kindOf } from "../../events/event.ts";
import type { PackedEvents } from "../../events/packed-events.ts";
import { hexOf, KeyList } from "../../keys/key-list.ts";
import type { KeySet } from "../../keys/key-set.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import type { Sql, Storage } from "../../platform/ports.ts";
import type { Transaction } from "../../platform/transaction.ts";
import { Breakdowns } from "./breakdowns.ts";
import { DayBounds } from "./day-bounds.ts";
import { Months } from "./months.ts";
import { NewValueLimit, NewValues } from "./new-values.ts";
import { noSteps, noteTime, PRESENT_MS, Present, type Time } from "./present.ts";
import { senderKey, Visitors, visitorKey } from "./visitors.ts";

/** Visitors are kept this long after their day, in case the clock steps back over midnight. */
const GRACE_MS = 10 * MINUTE_MS;

/**
 * A day as D1 gets it; a higher version replaces a lower one. The version is the number of the
 * day's events, or less where older code counted checkpoints: it follows from what is stored, so it
 * grows with every event also without a checkpoint, and never falls behind D1's after a crash.
 */
export interface DayRow {
  /** Unix second; the day is of the page's time zone. */
  day: number;
  visitors: number;
  /** JSON `{dimension: {value: [views, clicks]}}`. */
  breakdowns: string;
  version: number;
}

export interface DayVisitors {
  /** When the day starts, ISO 8601. */
  day: string;
  n: number;
}

interface DayState {
  salt: Uint8Array | null;
  version: number;
  /** Null until a checkpoint needs them: a million visitors take 50 ms to read. */
  visitors: KeySet | null;
  /** Keys since the last checkpoint, with repeats. */
  seen: KeyList;
  times: Time[];
  /** How many of `seen` are in `present`. */
  placed: number;
  /** Keys that are new to the day and that no checkpoint has stored yet. */
  new_visitors: KeyList;
  breakdowns: Breakdowns;
  new_values: NewValues;
  present: Present;
  /** The number of visitors at the last checkpoint, which outlives who they are. */
  n_visitors: number;
  /** Events since the last checkpoint, and how many of them D1 has confirmed. */
  added: number;
  flushed: number;
}

interface Today {
  salt: Uint8Array;
  limit: NewValueLimit;
}

export class Days {
  readonly months: Months;
  readonly #sql: Sql;
  readonly #visitors: Visitors;
  readonly #bounds: DayBounds;
  readonly #days = new Map<number, DayState>();

  constructor(storage: Storage) {
    this.#sql = storage.sql;
    this.#visitors = new Visitors(storage);
    this.#bounds = new DayBounds(storage);
    this.months = new Months(storage);
  }

  load(): void {
    this.months.load();
    this.#bounds.load();
  }

  /**
   * Makes a group of events that arrive at `at_ms` ready for the journal: replaces each visitor
   * with a hash, and values with `(other)` where an event's sender has brought too many new ones. A
   * new day begins in `time_zone`.
   */
  prepare(
    tx: Transaction,
    batches: readonly PackedEvents[],
    at_ms: number,
    time_zone: string,
  ): void {
    let today: Today | null = null;
    for (const batch of batches) {
      for (const [i, visitor] of batch.visitors().entries()) {
        const origin = batch.isPerson(i) ? batch.origin(i) : null;
        if (origin === null) {
          batch.removeOrigin(i);
          continue;
        }
        today ??= this.#today(tx, at_ms, time_zone);
        const { salt, limit } = today;
        const { others, newcomer } = limit.apply(origin, () => senderKey(salt, visitor));
        for (const dimension of others) batch.setOther(i, dimension);
        if (newcomer !== null) batch.setNewcomer(i, newcomer);
        // A conversion has an origin alone: the visitor was counted with the view before.
        if (visitor.length > 0) batch.setVisitor(i, visitorKey(salt, visitor));
      }
    }
  }

  #today(tx: Transaction, at_ms: number, time_zone: string): Today {
    const day = this.#bounds.dayAt(tx, at_ms, time_zone).from_s;
    const state = this.#day(day);
    const salt = state.salt ?? this.#visitors.salt(day);
    tx.afterCommit(() => {
      state.salt = salt;
    });
    return { salt, limit: new NewValueLimit(state.breakdowns, state.new_values) };
  }

  /** Only events of people are broken down. */
  add(event: JournalEvent, at_ms: number, is_flushed = false): void {
    if (event.class !== "human" || (event.visitor === null && event.origin === null)) return;
    const day = this.#day(this.#bounds.dayOf(at_ms).from_s);
    day.added += 1;
    if (is_flushed) day.flushed += 1;
    if (event.visitor !== null) {
      day.seen.push(event.visitor.high, event.visitor.low);
      noteTime(day.times, day.seen.length - 1, at_ms);
    }
    if (event.origin !== null) {
      if (event.newcomer !== null) {
        day.new_values.add(hexOf(event.newcomer), event.origin, day.breakdowns);
      }
      day.breakdowns.count(event.origin, kindOf(event.link_id));
    }
  }

  /** The first call of a day reads its visitors: 50 ms for a million. */
  visitorsAt(at_ms: number): DayVisitors | null {
    const from_s = this.#bounds.knownAt(at_ms)?.from_s;
    if (from_s === undefined) return null;
    const state = this.#day(from_s);
    state.visitors ??= this.#visitors.read(from_s);
    this.#findNewVisitors(from_s, state);
    const { size } = state.visitors;
    if (size === 0) return null;
    return { day: new Date(from_s * SECOND_MS).toISOString(), n: size };
  }

  /** People who stay past midnight count twice for five minutes: nothing links the days. */
  presentAt(at_ms: number): number[] {
    const steps = noSteps();
    const days = [at_ms - PRESENT_MS, at_ms].map((ms) => this.#bounds.knownAt(ms)?.from_s);
    for (const day of new Set(days)) {
      if (day === undefined) continue;
      const state = this.#day(day);
      this.#place(state);
      state.present.count(at_ms, steps);
    }
    return steps;
  }

  checkpoint(tx: Transaction): void {
    for (const [day, state] of this.#days) {
      if (state.added === 0) continue;
      this.#findNewVisitors(day, state);
      this.#sql.exec(
        `INSERT INTO days (day, visitors, breakdowns, version, flushed_version, senders, present)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT DO UPDATE SET
           visitors = excluded.visitors, breakdowns = excluded.breakdowns,
           version = excluded.version,
           flushed_version = max(flushed_version, excluded.flushed_version),
           senders = excluded.senders, present = excluded.present`,
        day,
        visitorsOf(state),
        state.breakdowns.toJson(),
        versionOf(state),
        state.flushed === 0 ? 0 : state.version + state.flushed,
        state.new_values.toJson(),
        state.present.toJson(),
      );
      this.#visitors.append(day, state.new_visitors);
      this.months.changed(tx, day);
      tx.afterCommit(() => {
        state.version = versionOf(state);
        state.n_visitors = visitorsOf(state);
        state.new_visitors.clear();
        state.added = 0;
        state.flushed = 0;
      });
    }
  }

  unflushed(limit: number): DayRow[] {
    return this.#sql
      .exec<{ [column in keyof DayRow]: DayRow[column] }>(
        `SELECT day, visitors, breakdowns, version FROM days
         WHERE version > flushed_version ORDER BY day LIMIT ?1`,
        limit,
      )
      .toArray()
      .map((day) => ({ ...day, breakdowns: Breakdowns.read(day.breakdowns).mostCounted() }));
  }

  confirm(days: readonly DayRow[]): void {
    for (const { day, version } of days) {
      this.#sql.exec(
        "UPDATE days SET flushed_version = max(flushed_version, ?2) WHERE day = ?1",
        day,
        version,
      );
    }
  }

  unflushedSinceCheckpoint(): DayRow[] {
    const changed = [...this.#days].filter(([, { added, flushed }]) => added > flushed);
    return changed.map(([day, state]) => {
      this.#findNewVisitors(day, state);
      return {
        day,
        visitors: visitorsOf(state),
        breakdowns: state.breakdowns.mostCounted(),
        version: versionOf(state),
      };
    });
  }

  confirmSinceCheckpoint(days: readonly DayRow[]): void {
    for (const { day, version } of days) {
      const state = this.#days.get(day);
      if (state !== undefined) state.flushed = Math.max(state.flushed, version - state.version);
    }
  }

  /**
   * Takes what D1 has from this object's future (`Tallies.adopt`). Where people came from since
   * then is lost, and whoever comes again on such a day is a new visitor.
   */
  adopt(tx: Transaction, in_d1: readonly DayRow[]): void {
    for (const { day, visitors, breakdowns, version } of in_d1) {
      this.#sql.exec(
        `INSERT INTO days (day, visitors, breakdowns, version, flushed_version)
         VALUES (?1, ?2, ?3, ?4, ?4)
         ON CONFLICT DO UPDATE SET
           visitors = max(visitors, excluded.visitors), breakdowns = excluded.breakdowns,
           version = excluded.version + version - flushed_version,
           flushed_version = excluded.version
         WHERE excluded.version > flushed_version`,
        day,
        visitors,
        breakdowns,
        version,
      );
      this.months.changed(tx, day);
    }
  }

  unconfirm(tx: Transaction): void {
    this.#sql.exec("UPDATE days SET flushed_version = 0");
    this.months.unconfirm(tx);
    tx.afterCommit(() => {
      for (const state of this.#days.values()) state.flushed = 0;
    });
  }

  /** Unix milliseconds; null without visitors. */
  get forgetAt(): number | null {
    const days = this.#visitors.days();
    return days.length === 0 ? null : Math.min(...days.map((day) => this.#forgetAt(day)));
  }

  /** The number of visitors stays. */
  forget(now: number): void {
    for (const day of this.#visitors.days()) {
      if (this.#forgetAt(day) > now) continue;
      this.#visitors.forget(day);
      this.#sql.exec("UPDATE days SET senders = NULL, present = NULL WHERE day = ?1", day);
      this.#days.delete(day);
    }
  }

  #forgetAt(day: number): number {
    return this.#bounds.endOf(day) * SECOND_MS + GRACE_MS;
  }

  /** `new_visitors` stay until a checkpoint is committed: a failed one has nothing to undo. */
  #findNewVisitors(day: number, state: DayState): void {
    if (state.seen.length === 0) return;
    state.visitors ??= this.#visitors.read(day);
    const { seen, new_visitors, visitors } = state;
    for (let i = 0; i < seen.length; i += 1) {
      const high = seen.high(i);
      const low = seen.low(i);
      if (visitors.add(high, low)) new_visitors.push(high, low);
    }
    this.#place(state);
    state.seen.clear();
    state.times = [];
    state.placed = 0;
  }

  #place(state: DayState): void {
    if (state.placed === state.seen.length) return;
    state.present.add(state.seen, state.times, state.placed);
    state.placed = state.seen.length;
  }

  #day(day: number): DayState {
    let state = this.#days.get(day);
    if (state === undefined) {
      const row = this.#sql
        .exec<{
          visitors: number;
          breakdowns: string;
          version: number;
          senders: string | null;
          present: string | null;
        }>("SELECT visitors, breakdowns, version, senders, present FROM days WHERE day = ?1", day)
        .toArray()[0];
      state = {
        salt: null,
        version: row?.version ?? 0,
        visitors: null,
        seen: new KeyList(),
        times: [],
        placed: 0,
        new_visitors: new KeyList(),
        breakdowns: Breakdowns.read(row?.breakdowns ?? "{}"),
        new_values: NewValues.read(row?.senders ?? "[]"),
        present: Present.read(row?.present ?? "[]"),
        n_visitors: row?.visitors ?? 0,
        added: 0,
        flushed: 0,
      };
      this.#days.set(day, state);
    }
    return state;
  }
}

function versionOf({ version, added }: DayState): number {
  return version + added;
}

/** Visitors deleted with their day are in `n_visitors` alone. */
function visitorsOf({ n_visitors, visitors }: DayState): number {
  return Math.max(n_visitors, visitors?.size ?? 0);
}
