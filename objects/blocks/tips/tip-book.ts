/**
 * The tips of one user, as rows: each from the moment before the hub is asked until it is sent,
 * refused or void. A sent one stays, as the user's history; the others are forgotten with their
 * key.
 */

import type { Conversion } from "../../events/conversion.ts";
import { OUTBOX_RETRIES, OUTBOX_TABLE } from "../../events/conversion-outbox.ts";
import { DAY_MS } from "../../platform/clock.ts";
import type { Sql } from "../../platform/ports.ts";
import type { Steps } from "../../platform/schema.ts";
import type { SentTip, TipCursor, TipOrder } from "./tip.ts";

export const TIP_STEPS: Steps = [
  [
    // `key` is NULL once it is forgotten; `attempt` is how often the hub got a new key, and `asks`
    // how often it was asked with the last one.
    `CREATE TABLE tips (
       tip_id TEXT PRIMARY KEY, key TEXT, hash TEXT NOT NULL, page_id TEXT NOT NULL,
       owner_id TEXT NOT NULL, link_id TEXT NOT NULL, points INTEGER NOT NULL,
       message TEXT NOT NULL, from_id TEXT NOT NULL, from_name TEXT NOT NULL, class TEXT NOT NULL,
       origin TEXT NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL,
       asks INTEGER NOT NULL, transfer_id TEXT
     ) WITHOUT ROWID`,
    "CREATE UNIQUE INDEX tips_key ON tips (key) WHERE key IS NOT NULL",
    "CREATE INDEX tips_keyed ON tips (at) WHERE key IS NOT NULL",
    "CREATE INDEX tips_asked ON tips (at) WHERE state = 'asked'",
    "CREATE INDEX tips_sent ON tips (at, tip_id) WHERE state = 'sent'",
    "CREATE INDEX tips_page ON tips (page_id) WHERE state = 'sent'",
    OUTBOX_TABLE,
  ],
  OUTBOX_RETRIES,
];

export const KEY_KEPT_MS = DAY_MS;

/** `asked`: the hub may have made the transfer. `void`: it has not, and never will. */
export type TipState = "asked" | "sent" | "refused" | "void";

export interface TipRow extends Omit<TipOrder, "key" | "origin"> {
  tip_id: string;
  key: string | null;
  origin: string;
  /** Unix milliseconds at which the hub was asked first with the last attempt's key. */
  at: number;
  state: TipState;
  attempt: number;
  asks: number;
}

type Stored = { [column in keyof TipRow]: TipRow[column] };

const SELECT = `SELECT tip_id, key, hash, page_id, owner_id, link_id, points, message, from_id,
  from_name, class, origin, at, state, attempt, asks FROM tips`;

export class TipBook {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(tip_id: string): TipRow | undefined {
    return this.#select("WHERE tip_id = ?1", tip_id)[0];
  }

  findByKey(key: string): TipRow | undefined {
    return this.#select("WHERE key = ?1", key)[0];
  }

  askedUntil(at_ms: number, { at, id }: TipCursor, limit: number): TipRow[] {
    return this.#select(
      `WHERE state = 'asked' AND at <= ?1 AND (at, tip_id) > (?2, ?3)
       ORDER BY at, tip_id LIMIT ?4`,
      at_ms,
      at,
      id,
      limit,
    );
  }

  /** A tip that is sent, or may be, and whose key is remembered still. */
  newest(page_id: string, since_ms: number): TipRow | undefined {
    return this.#select(
      `WHERE key IS NOT NULL AND at >= ?2 AND page_id = ?1 AND state IN ('asked', 'sent')
       ORDER BY at DESC LIMIT 1`,
      page_id,
      since_ms,
    )[0];
  }

  askedSince(): number | null {
    return this.#oldest("state = 'asked'");
  }

  keyedSince(): number | null {
    return this.#oldest("key IS NOT NULL");
  }

  insert(tip_id: string, order: TipOrder, at: number): TipRow {
    const { key, hash, page_id, owner_id, link_id, points, message, from_id, from_name } = order;
    const origin = JSON.stringify(order.origin);
    this.#sql.exec(
      `INSERT INTO tips (tip_id, key, hash, page_id, owner_id, link_id, points, message, from_id,
         from_name, class, origin, at, state, attempt, asks)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 'asked', 1, 1)`,
      tip_id,
      key,
      hash,
      page_id,
      owner_id,
      link_id,
      points,
      message,
      from_id,
      from_name,
      order.class,
      origin,
      at,
    );
    return { ...order, tip_id, origin, at, state: "asked", attempt: 1, asks: 1 };
  }

  /** The hub is asked with the same key, or with a new one if the last one is void. */
  askAgain(tip: TipRow, now: number): TipRow {
    const isVoid = tip.state === "void";
    const again: TipRow = {
      ...tip,
      state: "asked",
      at: isVoid ? now : tip.at,
      attempt: tip.attempt + (isVoid ? 1 : 0),
      asks: isVoid ? 1 : tip.asks + 1,
    };
    this.#sql.exec(
      "UPDATE tips SET state = 'asked', at = ?2, attempt = ?3, asks = ?4 WHERE tip_id = ?1",
      tip.tip_id,
      again.at,
      again.attempt,
      again.asks,
    );
    return again;
  }

  settle(tip_id: string, state: Exclude<TipState, "asked">, transfer_id: string | null): void {
    this.#sql.exec(
      "UPDATE tips SET state = ?2, transfer_id = ?3 WHERE tip_id = ?1",
      tip_id,
      state,
      transfer_id,
    );
  }

  forget(until_ms: number): void {
    this.#sql.exec(
      "DELETE FROM tips WHERE key IS NOT NULL AND at <= ?1 AND state IN ('refused', 'void')",
      until_ms,
    );
    this.#sql.exec(
      "UPDATE tips SET key = NULL WHERE key IS NOT NULL AND at <= ?1 AND state = 'sent'",
      until_ms,
    );
  }

  hasSent(page_id: string): boolean {
    const rows = this.#sql.exec(
      "SELECT 1 AS n FROM tips WHERE page_id = ?1 AND state = 'sent' LIMIT 1",
      page_id,
    );
    return rows.toArray().length > 0;
  }

  sent({ at, id }: TipCursor, limit: number): SentTip[] {
    return this.#select(
      "WHERE state = 'sent' AND (at, tip_id) < (?1, ?2) ORDER BY at DESC, tip_id DESC LIMIT ?3",
      at,
      id,
      limit,
    ).map(sentTip);
  }

  #select(where: string, ...bindings: unknown[]): TipRow[] {
    return this.#sql.exec<Stored>(`${SELECT} ${where}`, ...bindings).toArray();
  }

  #oldest(where: string): number | null {
    const [row] = this.#sql
      .exec<{ at: number | null }>(`SELECT MIN(at) AS at FROM tips WHERE ${where}`)
      .toArray();
    return row?.at ?? null;
  }
}

export function sentTip({ tip_id, page_id, link_id, points, message, at }: TipRow): SentTip {
  return { id: tip_id, page_id, link_id, points, message, at };
}

export function conversionOf(tip: TipRow): Conversion {
  const { tip_id, link_id, from_id, from_name, points, message, at } = tip;
  return {
    id: tip_id,
    link_id,
    class: tip.class,
    origin: JSON.parse(tip.origin) as Conversion["origin"],
    tip: { from_id, from_name, points, message, at },
  };
}

/** The hub's Idempotency-Key differs for each attempt. */
export function hubKey({ tip_id, attempt }: Pick<TipRow, "tip_id" | "attempt">): string {
  return attempt === 1 ? tip_id : `${tip_id}.${attempt}`;
}
