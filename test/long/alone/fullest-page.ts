/**
 * The storage of the fullest page (docs/faults.md F28), in an SQLite file: 3.6 million event ids within the hour,
 * a journal of 50,000 events, a million visitors of the day, and breakdowns with all the values and senders
 * that they take.
 */
import { randomFillSync } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { deserialize, serialize } from "node:v8";
import type { Origin } from "../../../objects/events/event.ts";
import { PackedEvents, packEvents } from "../../../objects/events/packed-events.ts";
import { KEY_BYTES, keyOf } from "../../../objects/keys/key-list.ts";
import { Breakdowns, CANDIDATES_MAX } from "../../../objects/page/tables/breakdowns.ts";
import { NewValues, SENDERS_MAX } from "../../../objects/page/tables/new-values.ts";
import { PAGE_STEPS } from "../../../objects/page/tables/page-schema.ts";
import { CHUNK_KEYS } from "../../../objects/page/tables/visitors.ts";
import { dayOf, HOUR_MS, hourOf } from "../../../objects/platform/clock.ts";
import type { Row, Storage } from "../../../objects/platform/ports.ts";
import { migrate } from "../../../objects/platform/schema.ts";
import { generator, integer } from "../../random.ts";

/** A time in the middle of a day, and of the ten minutes of its ids. */
export const NOW = Date.UTC(2026, 10, 21, 12, 5);
export const IDS = 3_600_000;
export const VISITORS = 1_000_000;
export const JOURNAL_EVENTS = 50_000;
/** Keys of a row, which three checkpoints of a full journal have filled. */
const CHECKPOINT_KEYS = 3 * JOURNAL_EVENTS;
const GROUP = 8;
const LINKS = 80;

type Bindable = string | number | null | Uint8Array;

/** A storage in a file. Rows are read one by one, as on the platform; no call fails or is delayed. */
export function openStorage(file: string): Storage & { close(): void } {
  const db = new DatabaseSync(file);
  db.exec("CREATE TABLE IF NOT EXISTS _kv (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
  const statements = new Map<string, StatementSync>();
  const run = (query: string, bindings: readonly unknown[]): Iterable<Row> => {
    let statement = statements.get(query);
    if (statement === undefined) {
      statement = db.prepare(query);
      statements.set(query, statement);
    }
    const bound = bindings.map((value) =>
      value instanceof ArrayBuffer ? new Uint8Array(value) : value,
    ) as Bindable[];
    if (/^\s*SELECT/.test(query)) return read(statement, bound);
    statement.run(...bound);
    return [];
  };
  return {
    sql: {
      exec: <R extends Row>(query: string, ...bindings: unknown[]) => {
        const rows = run(query, bindings) as Iterable<R>;
        return Object.assign(rows, { toArray: () => [...rows] });
      },
    },
    kv: {
      get: <T>(key: string) => {
        const [row] = run("SELECT value FROM _kv WHERE key = ?1", [key]);
        return row && (deserialize(new Uint8Array(row.value as ArrayBuffer)) as T);
      },
      put: (key, value) =>
        run("INSERT OR REPLACE INTO _kv VALUES (?1, ?2)", [key, serialize(value)]),
      delete: (key) => run("DELETE FROM _kv WHERE key = ?1", [key]),
      list: <T>({ prefix = "" } = {}) =>
        [...run("SELECT key, value FROM _kv ORDER BY key", [])]
          .filter(({ key }) => String(key).startsWith(prefix))
          .map(({ key, value }): [string, T] => [
            String(key),
            deserialize(new Uint8Array(value as ArrayBuffer)),
          ]),
    },
    transactionSync: (work) => {
      db.exec("BEGIN");
      try {
        const result = work();
        db.exec("COMMIT");
        return result;
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    },
    sync: async () => {},
    getAlarm: async () => null,
    setAlarm: async () => {},
    deleteAll: async () => {},
    close: () => db.close(),
  };
}

function* read(statement: StatementSync, bound: Bindable[]): Iterable<Row> {
  for (const row of statement.iterate(...bound)) yield toRow(row);
}

function toRow(row: Record<string, unknown>): Row {
  for (const [column, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) {
      const { buffer, byteLength } = value;
      row[column] = buffer.byteLength === byteLength ? buffer : value.slice().buffer;
    }
  }
  return row as Row;
}

/** Writes the state, which is the same each time except for the keys. */
export function fill(storage: Storage): void {
  const random = generator(28);
  const { sql } = storage;
  migrate(storage, PAGE_STEPS);
  const day = dayOf(NOW);
  storage.kv.put(
    "links",
    new Map([["", ""], ...ids("link", LINKS).map((id) => [id, "https://x.example/"] as const)]),
  );
  storage.kv.put(`salt:${day}`, randomFillSync(new Uint8Array(32)));
  storage.transactionSync(() => {
    const checkpoints = IDS / CHECKPOINT_KEYS;
    for (let i = 0; i < checkpoints; i += 1) {
      sql.exec(
        "INSERT INTO checkpoints (at, keys, unflushed_from, people) VALUES (?1, ?2, ?3, ?4)",
        NOW - HOUR_MS + ((i + 1) * HOUR_MS) / checkpoints,
        sorted(CHECKPOINT_KEYS),
        hourOf(NOW),
        JSON.stringify({ view: IDS, click: IDS }),
      );
    }
    const visitors: Uint8Array[] = [];
    for (let left = VISITORS; left > 0; left -= CHUNK_KEYS) {
      const chunk = sorted(Math.min(left, CHUNK_KEYS));
      sql.exec("INSERT INTO visitors VALUES (?1, ?2, ?3)", day, visitors.length, chunk);
      visitors.push(chunk);
    }
    const { breakdowns, new_values } = fullDay();
    sql.exec(
      "INSERT INTO days (day, visitors, breakdowns, version, senders) VALUES (?1, ?2, ?3, 1, ?4)",
      day,
      VISITORS,
      breakdowns.toJson(),
      new_values.toJson(),
    );
    const links = ["", "", ...ids("link", LINKS)];
    for (const link_id of links.slice(1)) {
      sql.exec(
        "INSERT INTO tallies (hour, kind, link_id, class, n) VALUES (?1, ?2, ?3, 'human', 1000000)",
        hourOf(NOW),
        link_id === "" ? "view" : "click",
        link_id,
      );
    }
    for (let i = 0; i < JOURNAL_EVENTS; i += GROUP) {
      const batch = PackedEvents.read(
        packEvents(
          Array.from({ length: GROUP }, () => ({
            key: hex(keys(1)),
            link_id: links[integer(links.length, random)] ?? "",
            class: "human",
            visitor: null,
            origin: originOf(integer(CANDIDATES_MAX, random)),
          })),
        ),
      );
      for (let n = 0; n < GROUP; n += 1) {
        // Half of the visitors came earlier.
        const known = visitors[integer(visitors.length, random)] ?? keys(1);
        const at = integer(known.length / KEY_BYTES, random) * KEY_BYTES;
        const visitor = random() < 0.5 ? known.subarray(at, at + KEY_BYTES) : keys(1);
        batch.setVisitor(n, keyOf(hex(visitor)));
      }
      const row = PackedEvents.row([batch]);
      sql.exec("INSERT INTO journal (at, events) VALUES (?1, ?2)", NOW - 1_000, row);
    }
  });
}

function fullDay() {
  const breakdowns = new Breakdowns();
  const new_values = new NewValues();
  for (let i = 0; i < SENDERS_MAX; i += 1) {
    new_values.add(hex(keys(1)), originOf(i), new Breakdowns());
    breakdowns.count(originOf(i % CANDIDATES_MAX), "view");
  }
  return { breakdowns, new_values };
}

function originOf(i: number): Origin {
  return {
    referrer: `site-number-${i}.example`,
    country: ["SA", "EG", "AE"][i % 3] ?? "SA",
    device: i % 5 === 0 ? "desktop" : "mobile",
    utm_source: `source ${i}`,
    utm_medium: `medium ${i}`,
    utm_campaign: `رمضان ${i}`,
  };
}

function ids(name: string, n: number): string[] {
  return Array.from({ length: n }, (_, i) => `${name}-${i}`);
}

function keys(n: number): Uint8Array {
  return randomFillSync(new Uint8Array(n * KEY_BYTES));
}

function sorted(n: number): Uint8Array {
  const packed = keys(n);
  new BigUint64Array(packed.buffer).sort();
  return packed;
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString("hex");
}
