/**
 * The conversions of one page: which have been counted, for ever, and the tips among them.
 *
 * Tips are numbered from 1 and never change, so the number of the last one that D1 has confirmed
 * says which it has; each has the sum of all points up to it, so the totals take one read.
 */

import type { Conversion, Tip } from "../../events/conversion.ts";
import type { Kv, Sql, Storage } from "../../platform/ports.ts";
import { hasTables, migrate } from "../../platform/schema.ts";
import type { Transaction } from "../../platform/transaction.ts";
import { CONVERSION_STEPS } from "./page-schema.ts";

const SCHEMA = "conversions_schema_version";

const FLUSHED_AS = "tips_flushed";

export interface TipTotals {
  n: number;
  points: number;
}

export interface TipRow extends Tip {
  seq: number;
  /** Points of all tips up to this one. */
  total: number;
  link_id: string;
}

export class Conversions {
  readonly #storage: Storage;
  readonly #sql: Sql;
  readonly #kv: Kv;
  #totals: TipTotals = { n: 0, points: 0 };
  /** Number of the last tip that D1 has confirmed. */
  #flushed = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#kv = storage.kv;
  }

  load(): void {
    if (!hasTables(this.#storage, SCHEMA)) return;
    migrate(this.#storage, CONVERSION_STEPS, SCHEMA);
    const last = this.#sql
      .exec<{ n: number; points: number }>(
        "SELECT seq AS n, total AS points FROM tips ORDER BY seq DESC LIMIT 1",
      )
      .toArray()[0];
    this.#totals = last ?? { n: 0, points: 0 };
    this.#flushed = this.#kv.get<number>(FLUSHED_AS) ?? 0;
  }

  get totals(): TipTotals {
    return this.#totals;
  }

  get confirmed(): number {
    return this.#flushed;
  }

  get isDirty(): boolean {
    return this.#flushed < this.#totals.n;
  }

  add(tx: Transaction, conversions: readonly Conversion[]): Conversion[] {
    migrate(this.#storage, CONVERSION_STEPS, SCHEMA);
    const fresh = conversions.filter(({ id }) => this.#isNew(id));
    let { n, points } = this.#totals;
    for (const { link_id, tip } of fresh) {
      if (tip === null) continue;
      n += 1;
      points += tip.points;
      this.#insert({ ...tip, seq: n, total: points, link_id });
    }
    tx.afterCommit(() => {
      this.#totals = { n, points };
    });
    return fresh;
  }

  unflushed(limit: number): TipRow[] {
    return this.isDirty ? this.#rows(this.#flushed, limit) : [];
  }

  #rows(after: number, limit: number): TipRow[] {
    return this.#sql
      .exec<{ [column in keyof TipRow]: TipRow[column] }>(
        `SELECT seq, total, link_id, from_id, from_name, points, message, at FROM tips
         WHERE seq > ?1 ORDER BY seq LIMIT ?2`,
        after,
        limit,
      )
      .toArray();
  }

  #insert({ seq, total, link_id, from_id, from_name, points, message, at }: TipRow): void {
    this.#sql.exec(
      `INSERT INTO tips (seq, total, link_id, from_id, from_name, points, message, at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
      seq,
      total,
      link_id,
      from_id,
      from_name,
      points,
      message,
      at,
    );
  }

  /** D1 has these tips, and has confirmed all before them. */
  confirm(tips: readonly TipRow[]): void {
    const last = tips.at(-1)?.seq ?? 0;
    if (last > this.#flushed) this.#setFlushed(last);
  }

  /**
   * Takes the tips that D1 has from this object's future (`Tallies.adopt`). Those that came since
   * get the numbers after them; one that D1 has too, because an answer was lost, stays one.
   */
  adopt(in_d1: readonly TipRow[]): void {
    const last = in_d1.at(-1);
    if (last === undefined || last.seq <= this.#flushed) return;
    migrate(this.#storage, CONVERSION_STEPS, SCHEMA);
    const known = new Set(in_d1.map(identityOf));
    const since = this.#rows(this.#flushed, Number.MAX_SAFE_INTEGER);
    this.#sql.exec("DELETE FROM tips WHERE seq > ?1", this.#flushed);
    let { seq, total } = last;
    for (const tip of in_d1) this.#insert(tip);
    for (const tip of since.filter((row) => !known.has(identityOf(row)))) {
      seq += 1;
      total += tip.points;
      this.#insert({ ...tip, seq, total });
    }
    this.#setFlushed(last.seq);
  }

  unconfirm(): void {
    if (this.#flushed > 0) this.#setFlushed(0);
  }

  #isNew(id: string): boolean {
    const known = this.#sql.exec("SELECT 1 AS n FROM conversions WHERE id = ?1", id).toArray();
    if (known.length > 0) return false;
    this.#sql.exec("INSERT INTO conversions (id) VALUES (?1)", id);
    return true;
  }

  #setFlushed(seq: number): void {
    this.#kv.put(FLUSHED_AS, seq);
    this.#flushed = seq;
  }
}

/** Equal for the same tip, whatever its number. */
function identityOf({ link_id, from_id, points, at }: TipRow): string {
  return JSON.stringify([link_id, from_id, points, at]);
}
