/**
 * The months of one page: where the people of all days of a month came from, in one row of D1
 * (docs/contract.md section 9, table `months`), so that years are read by the month. Nothing is
 * counted here: a month is the sum of its days, made when the last of them is over.
 *
 * A day belongs to the month of its middle in the page's time zone, as in the statistics. After a
 * change of the zone a month may begin before the last one ended: then D1 drops that one, and its
 * days are read.
 */
import { addDays, type Day, dateAt, startOf } from "../../platform/calendar.ts";
import { DAY_MS, SECOND_MS } from "../../platform/clock.ts";
import type { Kv, Sql, Storage } from "../../platform/ports.ts";
import type { Transaction } from "../../platform/transaction.ts";
import { mostCounted, sumOf, toJson } from "./breakdowns.ts";

/** A row with the same or a higher version replaces it in D1. */
export interface MonthRow {
  /** Unix second: the days that start from here on are in it. */
  month: number;
  /** Unix second: a day that starts here is not in it any more. */
  until: number;
  /** JSON `{dimension: {value: [views, clicks]}}`. */
  breakdowns: string;
  /** The sum of the days' versions, so it grows with every event. */
  version: number;
}

const STORED_AS = "months_to";
const HALF_DAY_S = DAY_MS / SECOND_MS / 2;
/** A month is made a day after its end: by then the journal is folded into the table of days. */
const CLOSED_MS = DAY_MS;

export function monthOf(day_s: number, time_zone: string): Day {
  const first = firstOfMonth(dateAt((day_s + HALF_DAY_S) * SECOND_MS, time_zone));
  const next = firstOfMonth(addDays(first, 31));
  return {
    from_s: startOf(first, time_zone) - HALF_DAY_S,
    to_s: startOf(next, time_zone) - HALF_DAY_S,
  };
}

/** The days must be over and never change. */
export function monthsOf(
  days: readonly { day: number; breakdowns: string }[],
  time_zone: string,
): MonthRow[] {
  const by_month: { span: Day; days: string[] }[] = [];
  for (const { day, breakdowns } of days.toSorted((a, b) => a.day - b.day)) {
    const last = by_month.at(-1);
    if (last !== undefined && day < last.span.to_s) last.days.push(breakdowns);
    else by_month.push({ span: monthIn(day, time_zone), days: [breakdowns] });
  }
  return by_month.map(({ span, days }) => monthRow(span, days));
}

function monthRow({ from_s, to_s }: Day, days: Iterable<string>, version = 1): MonthRow {
  return {
    month: from_s,
    until: to_s,
    breakdowns: toJson(sumOf(days), mostCounted),
    version,
  };
}

export class Months {
  readonly #sql: Sql;
  readonly #kv: Kv;
  /** D1 has the months of the days before this unix second. */
  #to = 0;
  #next: MonthRow | null = null;
  #due_ms = 0;

  constructor({ sql, kv }: Pick<Storage, "sql" | "kv">) {
    this.#sql = sql;
    this.#kv = kv;
  }

  load(): void {
    this.#to = this.#kv.get<number>(STORED_AS) ?? 0;
  }

  /** Makes one month at a time, and day by day: they are up to 50 MB of JSON. */
  prepare(now: number, time_zone: string): void {
    if (this.#next !== null || now < this.#due_ms) return;
    const [first] = this.#sql
      .exec<{ day: number }>("SELECT day FROM days WHERE day >= ?1 ORDER BY day LIMIT 1", this.#to)
      .toArray();
    if (first === undefined) return;
    const { from_s, to_s } = monthIn(first.day, time_zone);
    const due_ms = (to_s + HALF_DAY_S) * SECOND_MS + CLOSED_MS;
    if (now < due_ms) {
      this.#due_ms = due_ms;
      return;
    }
    const [{ version } = { version: 0 }] = this.#sql
      .exec<{ version: number }>(
        "SELECT SUM(version) AS version FROM days WHERE day >= ?1 AND day < ?2",
        from_s,
        to_s,
      )
      .toArray();
    const days = this.#sql.exec<{ breakdowns: string }>(
      "SELECT breakdowns FROM days WHERE day >= ?1 AND day < ?2",
      from_s,
      to_s,
    );
    this.#next = monthRow({ from_s, to_s }, jsonOf(days), version);
  }

  get unflushed(): MonthRow | null {
    return this.#next;
  }

  confirm(row: MonthRow): void {
    if (row !== this.#next) return;
    this.#to = row.until;
    this.#next = null;
    this.#kv.put(STORED_AS, row.until);
  }

  /** A day changes after its month was made if the clock was set back. */
  changed(tx: Transaction, day: number): void {
    if (day < (this.#next?.until ?? this.#to)) this.#sendFrom(tx, Math.min(day, this.#to));
  }

  unconfirm(tx: Transaction): void {
    this.#sendFrom(tx, 0);
  }

  #sendFrom(tx: Transaction, day: number): void {
    this.#kv.put(STORED_AS, day);
    tx.afterCommit(() => {
      this.#to = day;
      this.#next = null;
      this.#due_ms = 0;
    });
  }
}

function* jsonOf(days: Iterable<{ breakdowns: string }>): Iterable<string> {
  for (const { breakdowns } of days) yield breakdowns;
}

function firstOfMonth(date: string): string {
  return `${date.slice(0, "YYYY-MM".length)}-01`;
}

/** A page counts on if the runtime has lost its zone: then its months are of UTC. */
function monthIn(day_s: number, time_zone: string): Day {
  try {
    return monthOf(day_s, time_zone);
  } catch {
    return monthOf(day_s, "UTC");
  }
}
