/**
 * The tallies of one page: how many events of one kind, link and class fell into one hour.
 *
 * The numbers only grow. The table holds absolute numbers up to the last checkpoint, and beside
 * each the number that D1 has confirmed; memory holds the same of what the journal has added since.
 * So for every tally accepted = flushed + pending at any moment (docs/contract.md section 2,
 * promise 4).
 */

import { type EventClass, type JournalEvent, kindOf } from "../../events/event.ts";
import { HOUR_MS, SECOND_MS } from "../../platform/clock.ts";
import type { Sql, Storage } from "../../platform/ports.ts";
import type { Transaction } from "../../platform/transaction.ts";
import type { CheckpointState, Checkpoints } from "./checkpoints.ts";
import { RolledDays } from "./retention.ts";

export interface Tally {
  /** Unix second at which the hour starts, or the UTC day that its hours were rolled into. */
  hour: number;
  kind: "view" | "click";
  /** `''` for views. */
  link_id: string;
  class: EventClass;
  n: number;
}

/** Lifetime numbers; `accepted` is always `flushed + pending`. */
export interface Total {
  kind: Tally["kind"];
  link_id: string;
  class: EventClass;
  accepted: number;
  flushed: number;
  pending: number;
}

/** `n` events are confirmed by D1 in the hours from `since` on (unix second). */
export interface Confirmed {
  since: number;
  n: number;
  /** Unix second before which the sender's tallies are of whole days. */
  rolled_to: number;
}

interface Added extends Tally {
  flushed: number;
  /** The tally at the last checkpoint; null until a flush needs it. */
  before: number | null;
}

/** Stored in place of an hour when D1 has everything: later than every hour. */
const NO_HOUR = Number.MAX_SAFE_INTEGER;

export class Tallies {
  readonly rolled: RolledDays;
  readonly #sql: Sql;
  readonly #checkpoints: Checkpoints;
  readonly #added = new Map<string, Added>();
  /** D1 has confirmed every stored tally of earlier hours. */
  #unflushed_from = Number.POSITIVE_INFINITY;

  constructor(storage: Pick<Storage, "sql" | "kv">, checkpoints: Checkpoints) {
    this.#sql = storage.sql;
    this.#checkpoints = checkpoints;
    this.rolled = new RolledDays(storage);
  }

  load(last: CheckpointState | undefined): void {
    this.rolled.load();
    if (last === undefined) return;
    this.#unflushed_from = last.unflushed_from;
    // A flush since that checkpoint may have confirmed everything.
    this.unflushed(1);
  }

  /** Counts `n` where one event stands for many. */
  add(
    { link_id, class: eventClass, n = 1 }: JournalEvent,
    at_ms: number,
    is_flushed = false,
  ): void {
    const hour = this.rolled.startOf(at_ms);
    const key = `${hour}/${link_id}/${eventClass}`;
    let added = this.#added.get(key);
    if (added === undefined) {
      const kind = kindOf(link_id);
      added = { hour, kind, link_id, class: eventClass, n: 0, flushed: 0, before: null };
      this.#added.set(key, added);
    }
    added.n += n;
    if (is_flushed) added.flushed += n;
  }

  get isTableFlushed(): boolean {
    return this.#unflushed_from === Number.POSITIVE_INFINITY;
  }

  get waiting(): number {
    let waiting = 0;
    for (const { n, flushed } of this.#added.values()) waiting += n - flushed;
    return waiting;
  }

  /** Infinity if D1 has all. */
  get unflushedFrom(): number {
    let from = this.#unflushed_from;
    for (const { hour, n, flushed } of this.#added.values()) {
      if (n > flushed) from = Math.min(from, hour);
    }
    return from;
  }

  checkpoint(tx: Transaction): void {
    this.#sql.exec(
      `INSERT INTO tallies (hour, kind, link_id, class, n, flushed)
       SELECT value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class',
              value ->> 'n', value ->> 'flushed'
       FROM json_each(?1) WHERE true
       ON CONFLICT DO UPDATE SET n = n + excluded.n, flushed = flushed + excluded.flushed`,
      JSON.stringify([...this.#added.values()]),
    );
    tx.afterCommit(() => {
      this.#unflushed_from = this.unflushedFrom;
      this.#added.clear();
    });
  }

  get storedUnflushedFrom(): number {
    return Math.min(this.unflushedFrom, NO_HOUR);
  }

  unflushedSinceCheckpoint(): Tally[] {
    const grown = [...this.#added.values()].filter(({ n, flushed }) => n > flushed);
    this.#readBefore(grown.filter(({ before }) => before === null));
    return grown.map(({ flushed, before, n, ...tally }) => ({ ...tally, n: (before ?? 0) + n }));
  }

  confirmSinceCheckpoint(tallies: readonly Tally[]): void {
    for (const tally of tallies) {
      const added = this.#added.get(keyOf(tally));
      if (added === undefined) continue;
      added.flushed = Math.max(added.flushed, tally.n - (added.before ?? 0));
    }
  }

  #readBefore(tallies: readonly Added[]): void {
    if (tallies.length === 0) return;
    const rows = this.#sql.exec<{ [column in keyof Tally]: Tally[column] }>(
      `SELECT hour, kind, link_id, class, n FROM tallies
       WHERE (hour, kind, link_id, class) IN (
         SELECT value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class'
         FROM json_each(?1))`,
      JSON.stringify(tallies),
    );
    const stored = new Map([...rows].map((row) => [keyOf(row), row.n]));
    for (const tally of tallies) tally.before = stored.get(keyOf(tally)) ?? 0;
  }

  unflushed(limit: number): Tally[] {
    if (this.#unflushed_from === Number.POSITIVE_INFINITY) return [];
    const rows = this.#sql
      .exec<{ [column in keyof Tally]: Tally[column] }>(
        `SELECT hour, kind, link_id, class, n FROM tallies
         WHERE hour >= ?1 AND (n > flushed OR rolled) ORDER BY hour LIMIT ?2`,
        this.#unflushed_from,
        limit,
      )
      .toArray();
    this.#unflushed_from = rows[0]?.hour ?? Number.POSITIVE_INFINITY;
    return rows;
  }

  /** Unix milliseconds. */
  pendingSince(): number | null {
    if (this.#unflushed_from === Number.POSITIVE_INFINITY) return null;
    const first = this.#sql
      .exec<{ hour: number }>(
        "SELECT hour FROM tallies WHERE hour >= ?1 AND n > flushed ORDER BY hour LIMIT 1",
        this.#unflushed_from,
      )
      .toArray()[0];
    return first === undefined ? null : first.hour * SECOND_MS;
  }

  /** Events counted after the numbers were sent stay unflushed. */
  confirm(tallies: readonly Tally[]): void {
    this.#sql.exec(
      `UPDATE tallies SET flushed = max(flushed, sent.n), rolled = 0
       FROM (SELECT value ->> 'hour' AS hour, value ->> 'kind' AS kind, value ->> 'link_id' AS link_id,
                    value ->> 'class' AS class, value ->> 'n' AS n FROM json_each(?1)) AS sent
       WHERE tallies.hour = sent.hour AND tallies.kind = sent.kind
         AND tallies.link_id = sent.link_id AND tallies.class = sent.class`,
      JSON.stringify(tallies),
    );
  }

  /**
   * Sums the last hour with confirmed events and the hour before. A restore of D1 is detected by
   * comparing this number with the same sum in D1. Two hours, because after a step back of the
   * clock the last flush may have changed the earlier one. They are never rolled.
   */
  confirmed(): Confirmed {
    const stored = this.#sql
      .exec<{ hour: number }>(
        "SELECT hour FROM tallies WHERE flushed > 0 ORDER BY hour DESC LIMIT 1",
      )
      .toArray()[0];
    const added = [...this.#added.values()].filter(({ flushed }) => flushed > 0);
    const last = added.reduce((last, { hour }) => Math.max(last, hour), stored?.hour ?? 0);
    const since = last - HOUR_MS / SECOND_MS;
    const sum = this.#sql
      .exec<{ n: number | null }>("SELECT SUM(flushed) AS n FROM tallies WHERE hour >= ?1", since)
      .toArray()[0];
    const recent = added.filter(({ hour }) => hour >= since);
    const n = recent.reduce((n, { flushed }) => n + flushed, sum?.n ?? 0);
    return { since, n, rolled_to: this.rolled.to };
  }

  /** `since` is a unix second. */
  countedFrom(since: number): number {
    const sum = this.#sql
      .exec<{ n: number | null }>("SELECT SUM(n) AS n FROM tallies WHERE hour >= ?1", since)
      .toArray()[0];
    const recent = [...this.#added.values()].filter(({ hour }) => hour >= since);
    return recent.reduce((n, added) => n + added.n, sum?.n ?? 0);
  }

  /**
   * Takes what D1 has from this object's future, if the object's storage is of an older time: D1's
   * number, and what came since. May be repeated. The journal must be empty, and the object must be
   * loaded anew.
   */
  adopt(in_d1: readonly Tally[]): void {
    this.#sql.exec(
      `INSERT INTO tallies (hour, kind, link_id, class, n, flushed)
       SELECT value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class',
              value ->> 'n', value ->> 'n'
       FROM json_each(?1) WHERE true
       ON CONFLICT DO UPDATE SET n = excluded.n + n - flushed, flushed = excluded.n
       WHERE excluded.n > flushed`,
      JSON.stringify(in_d1),
    );
  }

  unconfirm(tx: Transaction): void {
    this.#sql.exec("UPDATE tallies SET flushed = 0 WHERE flushed > 0");
    this.#unflushFrom(tx, 0);
    tx.afterCommit(() => {
      for (const added of this.#added.values()) added.flushed = 0;
    });
  }

  /** The days then wait for D1. `to` is a unix second. */
  roll(tx: Transaction, to: number): void {
    const first = this.rolled.fold(tx, to);
    if (first !== null) this.#unflushFrom(tx, first);
  }

  /** Tallies of this hour wait for D1 again, also after a restart. */
  #unflushFrom(tx: Transaction, hour: number): void {
    this.#checkpoints.lowerUnflushedFrom(hour);
    tx.afterCommit(() => {
      this.#unflushed_from = Math.min(this.#unflushed_from, hour);
    });
  }

  totals(): Total[] {
    return this.#sql
      .exec<{ [column in keyof Total]: Total[column] }>(
        `SELECT kind, link_id, class,
                SUM(n) AS accepted, SUM(flushed) AS flushed, SUM(n) - SUM(flushed) AS pending
         FROM (SELECT kind, link_id, class, n, flushed FROM tallies UNION ALL
               SELECT value ->> 'kind', value ->> 'link_id', value ->> 'class', value ->> 'n',
                      value ->> 'flushed'
               FROM json_each(?1))
         GROUP BY kind, link_id, class`,
        JSON.stringify([...this.#added.values()]),
      )
      .toArray();
  }
}

/** A link has clicks alone, and no link views alone, so the kind is not needed. */
function keyOf({ hour, link_id, class: eventClass }: Pick<Tally, "hour" | "link_id" | "class">) {
  return `${hour}/${link_id}/${eventClass}`;
}
