/**
 * DayBounds: when each day of one page begins and ends. Days are those of the page's time zone;
 * they never overlap, and every event is in exactly one.
 *
 * The bounds of a day are stored by the transaction that writes its first event and never change:
 * the journal is read back into the same days, and a new time zone takes effect with the next day,
 * which begins where the current one ends.
 *
 * If twelve hours or less are left there until midnight, they are a part of the day after it, to
 * whose date they would count anyway (docs/contract.md section 10). Otherwise somebody who changes
 * the zone every hour would make as many days, which are rows to read for ever.
 */
import { type Day, localDay } from "../../platform/calendar.ts";
import { DAY_MS, dayOf, SECOND_MS } from "../../platform/clock.ts";
import type { Kv, Sql, Storage } from "../../platform/ports.ts";
import type { Transaction } from "../../platform/transaction.ts";

/** Two would do, unless an alarm is lost or the clock is set back. */
const KEPT = 8;
const HALF_DAY_S = DAY_MS / SECOND_MS / 2;
const STORED_AS = "day_bounds";

export class DayBounds {
  readonly #sql: Sql;
  readonly #kv: Kv;
  #days: readonly Day[] = [];
  #current: Day | undefined;

  constructor({ sql, kv }: Pick<Storage, "sql" | "kv">) {
    this.#sql = sql;
    this.#kv = kv;
  }

  /** Reads the stored bounds, and the last day of older code, whose days were those of UTC. */
  load(): void {
    const stored = this.#kv.get<Day[]>(STORED_AS) ?? [];
    const end_s = stored.at(-1)?.to_s ?? 0;
    this.#days = [...stored, ...this.#lastUtcDay().filter(({ from_s }) => from_s >= end_s)];
  }

  /** Stores the bounds of a new day. */
  dayAt(tx: Transaction, at_ms: number, time_zone: string): Day {
    const known = this.#find(at_ms);
    if (known !== undefined) return known;
    let day = this.#between(at_ms, dayInZone(at_ms, time_zone));
    if (day.to_s - day.from_s <= HALF_DAY_S) {
      const { to_s } = dayInZone(day.to_s * SECOND_MS, time_zone);
      day = this.#between(at_ms, { ...day, to_s });
    }
    const days = [...this.#days, day].slice(-KEPT);
    this.#kv.put(STORED_AS, days);
    tx.afterCommit(() => {
      this.#days = days;
    });
    return day;
  }

  knownAt(at_ms: number): Day | undefined {
    return this.#find(at_ms);
  }

  /** Rows of a journal that older code wrote are of days of UTC. */
  dayOf(at_ms: number): Day {
    const known = this.#find(at_ms);
    if (known !== undefined) return known;
    const day = utcDay(dayOf(at_ms));
    this.#days = [...this.#days, day];
    return day;
  }

  /** Both are unix seconds. */
  endOf(from_s: number): number {
    return (this.#days.findLast((day) => day.from_s === from_s) ?? utcDay(from_s)).to_s;
  }

  #find(at_ms: number): Day | undefined {
    if (this.#current === undefined || !isIn(this.#current, at_ms)) {
      this.#current = this.#days.findLast((day) => isIn(day, at_ms));
    }
    return this.#current;
  }

  /** The part of a day that no other day has; it includes `at_ms`. */
  #between(at_ms: number, { from_s, to_s }: Day): Day {
    const between = { from_s, to_s };
    for (const other of this.#days) {
      if (other.to_s * SECOND_MS <= at_ms) between.from_s = Math.max(between.from_s, other.to_s);
      else between.to_s = Math.min(between.to_s, other.from_s);
    }
    return between;
  }

  #lastUtcDay(): Day[] {
    const last = this.#sql
      .exec<{ day: number }>("SELECT day FROM days ORDER BY day DESC LIMIT 1")
      .toArray();
    return last.map(({ day }) => utcDay(day));
  }
}

function isIn({ from_s, to_s }: Day, at_ms: number): boolean {
  return from_s * SECOND_MS <= at_ms && at_ms < to_s * SECOND_MS;
}

function utcDay(from_s: number): Day {
  return { from_s, to_s: from_s + DAY_MS / SECOND_MS };
}

/** An event counts even if the runtime does not have the zone any more: then its day is of UTC. */
function dayInZone(at_ms: number, time_zone: string): Day {
  try {
    return localDay(at_ms, time_zone);
  } catch {
    return utcDay(dayOf(at_ms));
  }
}
