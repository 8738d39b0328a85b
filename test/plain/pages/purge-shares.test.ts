/**
 * Creators who save often and once, against the purges that the platform grants the whole account: what
 * each waits until the edge has dropped the old page (docs/contract.md section 10). The real statements
 * in a real SQLite, under a clock of the test.
 */
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../../objects/platform/ports.ts";
import { type DeliveryPorts, keepDelivering } from "../../../src/pages/cache/change-delivery.ts";
import {
  notePageChanged,
  type PageChange,
} from "../../../src/pages/document/page-changes-store.ts";

const MIGRATIONS = fileURLToPath(new URL("../../../migrations/", import.meta.url));
/** A call to D1 and back, and a purge. */
const D1_MS = 20;
const PURGE_MS = 100;
const SECOND_MS = 1_000;
/** What the platform grants. */
const GRANTED = { at_once: 25, a_minute: 5 };

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Bound {
  sql: string;
  values: SQLInputValue[];
}

/** D1 with those of its methods that deliveries use. */
function openD1(): D1Database {
  const db = new DatabaseSync(":memory:");
  db.function("unixepoch", { varargs: true }, () => Date.now() / 1_000);
  for (const file of readdirSync(MIGRATIONS).sort()) {
    if (!file.endsWith(".sql")) continue;
    db.exec(readFileSync(`${MIGRATIONS}${file}`, "utf8"));
  }
  const prepared = new Map<string, StatementSync>();
  const all = ({ sql, values }: Bound) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values);
  };
  const run = async (statements: readonly Bound[]) => {
    await pause(D1_MS / 2);
    db.exec("BEGIN");
    const results = statements.map((statement) => ({ results: all(statement) }));
    db.exec("COMMIT");
    await pause(D1_MS / 2);
    return results;
  };
  const prepare = (sql: string, values: SQLInputValue[] = []) => ({
    sql,
    values,
    bind: (...bound: SQLInputValue[]) => prepare(sql, bound),
    all: async () => (await run([{ sql, values }]))[0],
    first: async () => (await run([{ sql, values }]))[0]?.results[0] ?? null,
  });
  return { prepare, batch: run } as unknown as D1Database;
}

let db: D1Database;
let ports: DeliveryPorts;
/** When each page was purged, in milliseconds since the beginning. */
let purges: { at_ms: number; pages: string[] }[];
let began_ms: number;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 22) });
  began_ms = Date.now();
  purges = [];
  db = openD1();
  let granted = GRANTED.at_once;
  let filled_ms = began_ms;
  ports = {
    db,
    clock: systemClock,
    announce: async () => {},
    purge: async (changes: readonly PageChange[]) => {
      const gained = ((Date.now() - filled_ms) / 60_000) * GRANTED.a_minute;
      granted = Math.min(GRANTED.at_once, granted + gained) - 1;
      filled_ms = Date.now();
      // The purges of the account are used by nobody but this.
      expect(granted).toBeGreaterThanOrEqual(-1e-6);
      const pages = changes.map(({ page_id }) => page_id);
      await pause(PURGE_MS);
      purges.push({ at_ms: Date.now() - began_ms, pages });
    },
    failed: (_, error) => {
      throw error;
    },
  };
});
afterEach(() => {
  vi.useRealTimers();
});

/** Saves the page at these times and delivers each save as a request does. Answers the longest waits. */
async function save(saves: { page_id: string; at_ms: number }[]) {
  const running = saves.map(async ({ page_id, at_ms }) => {
    await pause(at_ms);
    await db.batch([
      db
        .prepare(
          `INSERT INTO pages (page_id, slug, status, version, save_id, document, created_at, updated_at)
           VALUES (?1, ?1, 'published', 1, '', '{"locales":["ar"],"time_zone":"UTC"}', 0, 0)
           ON CONFLICT DO NOTHING`,
        )
        .bind(page_id),
      notePageChanged(db, page_id, Date.now()),
    ]);
    await keepDelivering(ports);
  });
  await vi.advanceTimersByTimeAsync(300 * SECOND_MS);
  await Promise.all(running);
  const waits = new Map<string, number[]>();
  for (const { page_id, at_ms } of saves) {
    const purge = purges.find((each) => each.at_ms > at_ms && each.pages.includes(page_id));
    const list = waits.get(page_id) ?? [];
    list.push((purge?.at_ms ?? Number.POSITIVE_INFINITY) - at_ms);
    waits.set(page_id, list);
  }
  return waits;
}

/** The times from one to another, a step apart. */
function every(step_ms: number, from_ms: number, to_ms: number): number[] {
  return Array.from(
    { length: Math.ceil((to_ms - from_ms) / step_ms) },
    (_, i) => from_ms + i * step_ms,
  );
}

const TWO_MINUTES_MS = 120 * SECOND_MS;
/** Longest waits of a page that was not purged a moment ago, and of one that is saved all the time. */
const OTHERS_MS = 2_500;
const BUSY_MS = 20_000;
/** The same where twenty are saved all the time: more than the platform's purges suffice for. */
const CROWDED_MS = 25_000;

/** Saves of other pages, one each, while the busy ones are saved. */
function onceEach(step_ms: number) {
  return every(step_ms, 345, TWO_MINUTES_MS).map((at_ms, i) => ({ page_id: `once-${i}`, at_ms }));
}

/** The longest waits of busy pages and of those that are saved once. */
function longest(waits: ReadonlyMap<string, number[]>) {
  const of = (prefix: string) =>
    [...waits].flatMap(([page_id, list]) => (page_id.startsWith(prefix) ? list : []));
  return { busy: Math.max(...of("busy")), once: Math.max(...of("once")) };
}

test("F19: a creator who saves every second for two minutes delays nobody", async () => {
  const busy = every(SECOND_MS, 0, TWO_MINUTES_MS).map((at_ms) => ({ page_id: "busy", at_ms }));
  const { busy: busy_ms, once: once_ms } = longest(await save([...busy, ...onceEach(7_345)]));
  expect(once_ms).toBeLessThan(OTHERS_MS);
  expect(busy_ms).toBeLessThan(BUSY_MS);
  // Each of the 17 others is purged twice at most, the busy page four times a minute.
  expect(purges.length).toBeLessThanOrEqual(17 * 2 + 11);
});

test("twenty creators who each save every second share their purges, and delay nobody", {
  timeout: 60_000,
}, async () => {
  const saves = Array.from({ length: 20 }, (_, i) =>
    every(SECOND_MS + i * 47, i * 347, TWO_MINUTES_MS).map((at_ms) => ({
      page_id: `busy-${i}`,
      at_ms,
    })),
  );
  const waits = longest(await save([...saves.flat(), ...onceEach(20_345)]));
  expect(waits.once).toBeLessThan(OTHERS_MS);
  expect(waits.busy).toBeLessThan(CROWDED_MS);
});

test.for([3, 4])("the last of %i saves, a second apart, is shown within 20 s", async (n) => {
  const saves = every(SECOND_MS, 0, n * SECOND_MS).map((at_ms) => ({ page_id: "busy", at_ms }));
  const { busy } = longest(await save(saves));
  expect(busy).toBeLessThan(n <= 3 ? OTHERS_MS : BUSY_MS);
});

test("a page has its whole share again 45 s after its last purge, and no row is left of it", async () => {
  const at_s = [0, 1, 2, 60, 61, 62];
  const waits = await save(at_s.map((s) => ({ page_id: "busy", at_ms: s * SECOND_MS })));
  expect(longest(waits).busy).toBeLessThan(OTHERS_MS);
  // The first of them takes the busy page's repeated purge with it.
  for (const page_id of ["once", "twice"]) await save([{ page_id, at_ms: 0 }]);
  const reading = db.prepare("SELECT page_id FROM page_purges").all();
  await vi.advanceTimersByTimeAsync(D1_MS);
  const rows = await reading;
  expect(rows.results).toEqual([{ page_id: "twice" }]);
});
