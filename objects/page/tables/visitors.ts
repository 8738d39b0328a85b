/**
 * The people who came to a page on a day, so that each is counted once.
 *
 * A visitor is HMAC(the day's random key, address and user agent): it distinguishes two people of
 * one day and nothing else. Key and visitors are deleted when their day is over (docs/contract.md
 * section 2, privacy; docs/security.md S16).
 */
import { createHmac, randomBytes } from "node:crypto";
import { KEY_BYTES, type Key, type KeyList, notZero } from "../../keys/key-list.ts";
import { KeyRun } from "../../keys/key-run.ts";
import { KeySet } from "../../keys/key-set.ts";
import type { Kv, Sql, Storage } from "../../platform/ports.ts";

/** Visitors in one row: 256 KiB. A million take 31 rows, and one more rewrites one row. */
export const CHUNK_KEYS = 32_768;
const SALT_BYTES = 32;
const SALT_PREFIX = "salt:";
const LINE_FEED = 0x0a;

export class Visitors {
  readonly #sql: Sql;
  readonly #kv: Kv;

  constructor(storage: Storage) {
    this.#sql = storage.sql;
    this.#kv = storage.kv;
  }

  /** The random key of the day that starts at this unix second; makes it if there is none. */
  salt(day: number): Uint8Array {
    const name = SALT_PREFIX + day;
    let salt = this.#kv.get<Uint8Array>(name);
    if (salt === undefined) {
      salt = new Uint8Array(randomBytes(SALT_BYTES));
      this.#kv.put(name, salt);
    }
    return salt;
  }

  read(day: number): KeySet {
    const visitors = new KeySet();
    const rows = this.#sql.exec<{ keys: ArrayBuffer }>(
      "SELECT keys FROM visitors WHERE day = ?1",
      day,
    );
    for (const { keys } of rows) visitors.addPacked(keys);
    return visitors;
  }

  /** Fills the last row first. All rows are sorted. */
  append(day: number, visitors: KeyList): void {
    if (visitors.length === 0) return;
    const last = this.#sql
      .exec<{ chunk: number; keys: ArrayBuffer }>(
        "SELECT chunk, keys FROM visitors WHERE day = ?1 ORDER BY chunk DESC LIMIT 1",
        day,
      )
      .toArray()[0];
    let chunk = last?.chunk ?? 0;
    let stored = new Int32Array(last?.keys ?? new ArrayBuffer(0));
    for (let from = 0; from < visitors.length; ) {
      const room = CHUNK_KEYS - stored.length / 2;
      if (room > 0) {
        const { keys } = KeyRun.of([stored, visitors.halves(from, from + room)]);
        this.#sql.exec(
          `INSERT INTO visitors (day, chunk, keys) VALUES (?1, ?2, ?3)
           ON CONFLICT DO UPDATE SET keys = excluded.keys`,
          day,
          chunk,
          keys.buffer,
        );
      }
      from += room;
      chunk += 1;
      stored = new Int32Array(0);
    }
  }

  days(): number[] {
    return [...this.#kv.list({ prefix: SALT_PREFIX })].map(([name]) =>
      Number(name.slice(SALT_PREFIX.length)),
    );
  }

  forget(day: number): void {
    this.#sql.exec("DELETE FROM visitors WHERE day = ?1", day);
    this.#kv.delete(SALT_PREFIX + day);
  }
}

/** `visitor` is an address, a line feed and a user agent in UTF-8. */
export function visitorKey(salt: Uint8Array, visitor: Uint8Array): Key {
  return firstKey(createHmac("sha256", salt).update(visitor).digest());
}

/** No visitor's text begins with "sender", so no sender's key equals a visitor's. */
export function senderKey(salt: Uint8Array, visitor: Uint8Array): Key {
  const end = visitor.indexOf(LINE_FEED);
  const address = end === -1 ? visitor : visitor.subarray(0, end);
  return firstKey(createHmac("sha256", salt).update("sender\n").update(address).digest());
}

function firstKey(hash: Buffer): Key {
  return { high: hash.readInt32LE(0), low: notZero(hash.readInt32LE(KEY_BYTES / 2)) };
}
