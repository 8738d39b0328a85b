/**
 * Retention: hours older than 90 days are rolled into days, one tally for each kind, link and
 * class, stored under the first hour of its UTC day. No total changes, in the object or in D1.
 *
 * Owns how far the page is rolled (`rolled_to`) and the fold of the object's table. The tally of a
 * day is marked `rolled` until D1 has confirmed it, because D1 still has the hours of that day:
 *
 *   sweep ─▶ fold (one transaction: sums of the days, their hours deleted, `rolled_to`)
 *            flush (one transaction in D1: the same, by `page/flush-page.ts`) ─▶ mark removed
 *
 * `n` and `flushed` of a day are the sums of its hours, so accepted = flushed + pending at every
 * step. An event that arrives later for a day before `rolled_to`, because the clock was set back,
 * is added to the tally of that day.
 */
import { DAY_MS, dayOf, hourOf, SECOND_MS } from "../../platform/clock.ts";
import type { Kv, Sql, Storage } from "../../platform/ports.ts";
import type { Transaction } from "../../platform/transaction.ts";

export const HOURS_KEPT_DAYS = 90;
/**
 * The visitors of a page with years of hours must not wait; the next sweep continues. With 80 links
 * clicked every hour these are 60,000 rows, a fraction of a second.
 */
export const ROLL_DAYS_MAX = 31;

const DAY_S = DAY_MS / SECOND_MS;
const KEY = "rolled_to";

/**
 * Unix second: the end of the whole UTC days that ended at least `HOURS_KEPT_DAYS` ago. The hours
 * from `confirmed_since` on (unix second) stay: the restore guard compares them with D1.
 */
export function rollableTo(now: number, confirmed_since: number): number {
  return Math.min(dayOf(now - HOURS_KEPT_DAYS * DAY_MS), dayOf(confirmed_since * SECOND_MS));
}

export class RolledDays {
  readonly #sql: Sql;
  readonly #kv: Kv;
  #to = 0;

  constructor({ sql, kv }: Pick<Storage, "sql" | "kv">) {
    this.#sql = sql;
    this.#kv = kv;
  }

  load(): void {
    this.#to = this.#kv.get<number>(KEY) ?? 0;
  }

  /** Unix second before which tallies are of whole UTC days; 0 while there are none. */
  get to(): number {
    return this.#to;
  }

  /** Unix second at which the tally of an event starts: that of its hour, or of its day. */
  startOf(at_ms: number): number {
    const hour = hourOf(at_ms);
    return hour < this.#to ? dayOf(at_ms) : hour;
  }

  /** The end of the next roll, at most `limit`; null without one. Reads one row. */
  next(limit: number): number | null {
    const first = this.#sql
      .exec<{ hour: number }>(
        "SELECT hour FROM tallies WHERE hour >= ?1 AND hour < ?2 ORDER BY hour LIMIT 1",
        this.#to,
        limit,
      )
      .toArray()[0];
    if (first === undefined) return null;
    return Math.min(limit, dayOf(first.hour * SECOND_MS) + ROLL_DAYS_MAX * DAY_S);
  }

  /** Answers the unix second of the first day to be flushed; null if no tally has moved. */
  fold(tx: Transaction, to: number): number | null {
    this.#sql.exec(
      `INSERT INTO tallies (hour, kind, link_id, class, n, flushed, rolled)
       SELECT hour - hour % ?3 AS day, kind, link_id, class, SUM(n), SUM(flushed), 1
       FROM tallies WHERE hour >= ?1 AND hour < ?2
       GROUP BY day, kind, link_id, class HAVING MAX(hour) > day
       ON CONFLICT DO UPDATE SET n = excluded.n, flushed = excluded.flushed, rolled = 1`,
      this.#to,
      to,
      DAY_S,
    );
    this.#sql.exec(
      "DELETE FROM tallies WHERE hour >= ?1 AND hour < ?2 AND hour % ?3 > 0",
      this.#to,
      to,
      DAY_S,
    );
    this.#kv.put(KEY, to);
    const first = this.#sql
      .exec<{ hour: number }>(
        "SELECT hour FROM tallies WHERE hour >= ?1 AND hour < ?2 AND rolled ORDER BY hour LIMIT 1",
        this.#to,
        to,
      )
      .toArray()[0];
    tx.afterCommit(() => {
      this.#to = to;
    });
    return first?.hour ?? null;
  }
}
