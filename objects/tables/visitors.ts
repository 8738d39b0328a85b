/**
 * The people who came to a page on a day, so that each is counted once.
 *
 * A visitor is HMAC(the day's random key, address and user agent): it distinguishes two people of
 * one day and nothing else. Key and visitors are deleted when their day is over (docs/contract.md
 * section 2, privacy; docs/security.md S16).
 */
import { createHmac, randomBytes } from "node:crypto";
import type { Kv, Sql, Storage } from "../platform/ports.ts";
import { KEY_BYTES, KeySet, pack } from "./key-set.ts";

/**
 * Visitors in one row: 256 KiB. A million visitors take 31 rows, and one more visitor rewrites one
 * row.
 */
export const CHUNK_KEYS = 32_768;
const SALT_BYTES = 32;
const SALT_PREFIX = "salt:";

export class Visitors {
  readonly #sql: Sql;
  readonly #kv: Kv;

  constructor(storage: Storage) {
    this.#sql = storage.sql;
    this.#kv = storage.kv;
  }

  /** The visitor's key on the day that starts at this unix second, 16 hex digits. */
  key(visitor: string, day: number): string {
    return this.#hash(visitor, day);
  }

  /**
   * The key of the visitor's address on this day, 16 hex digits. The text that is hashed for a
   * visitor begins with an address, never with "sender", so no sender's key equals a visitor's.
   */
  senderKey(visitor: string, day: number): string {
    return this.#hash(`sender\n${visitor.split("\n", 1)[0]}`, day);
  }

  /** Makes the day's random key if there is none. */
  #hash(text: string, day: number): string {
    const name = SALT_PREFIX + day;
    let salt = this.#kv.get<Uint8Array>(name);
    if (salt === undefined) {
      salt = new Uint8Array(randomBytes(SALT_BYTES));
      this.#kv.put(name, salt);
    }
    return createHmac("sha256", salt)
      .update(text)
      .digest("hex")
      .slice(0, 2 * KEY_BYTES);
  }

  /** The stored visitors of a day. */
  read(day: number): KeySet {
    const visitors = new KeySet();
    const rows = this.#sql.exec<{ keys: ArrayBuffer }>(
      "SELECT keys FROM visitors WHERE day = ?1",
      day,
    );
    for (const { keys } of rows) visitors.addPacked(keys);
    return visitors;
  }

  /** Stores the day's new visitors: fills the last row and begins new ones as needed. */
  append(day: number, visitors: readonly string[]): void {
    if (visitors.length === 0) return;
    const last = this.#sql
      .exec<{ chunk: number; keys: ArrayBuffer }>(
        "SELECT chunk, keys FROM visitors WHERE day = ?1 ORDER BY chunk DESC LIMIT 1",
        day,
      )
      .toArray()[0];
    let chunk = last?.chunk ?? 0;
    let stored = new Uint8Array(last?.keys ?? new ArrayBuffer(0));
    for (let from = 0; from < visitors.length; ) {
      const room = CHUNK_KEYS - stored.length / KEY_BYTES;
      const added = new Uint8Array(pack(visitors.slice(from, from + room)));
      const keys = new Uint8Array(stored.length + added.length);
      keys.set(stored);
      keys.set(added, stored.length);
      if (added.length > 0) {
        this.#sql.exec(
          `INSERT INTO visitors (day, chunk, keys) VALUES (?1, ?2, ?3)
           ON CONFLICT DO UPDATE SET keys = excluded.keys`,
          day,
          chunk,
          keys,
        );
      }
      from += room;
      chunk += 1;
      stored = new Uint8Array(0);
    }
  }

  /** The days that have visitors or a random key. */
  days(): number[] {
    return [...this.#kv.list({ prefix: SALT_PREFIX })].map(([name]) =>
      Number(name.slice(SALT_PREFIX.length)),
    );
  }

  /** Deletes the visitors and the random key of a day. */
  forget(day: number): void {
    this.#sql.exec("DELETE FROM visitors WHERE day = ?1", day);
    this.#kv.delete(SALT_PREFIX + day);
  }
}
