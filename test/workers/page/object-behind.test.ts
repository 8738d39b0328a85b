/**
 * F36: a page's object is put back to an older point than D1. It takes over what D1 has, and what came since
 * counts on top of it, once.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { stopClock } from "../kit/faults.ts";
import { count, eventually, expectErrors, freshPage, pageObject } from "../kit/kit.ts";

type Row = Record<string, SqlStorageValue>;

/** What puts the storage of a page's object back to this moment, and evicts the object. */
async function savePoint(page_id: string): Promise<() => Promise<void>> {
  const saved = await runInDurableObject(pageObject(page_id), (_, { storage }) => {
    const { sql, kv } = storage;
    const tables = sql
      .exec<{ name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
      )
      .toArray()
      .map((table) => ({ ...table, rows: sql.exec<Row>(`SELECT * FROM ${table.name}`).toArray() }));
    return { tables, values: [...kv.list()] };
  });
  return async () => {
    await runInDurableObject(pageObject(page_id), async (_, { storage }) => {
      await storage.deleteAll();
      for (const { name, sql, rows } of saved.tables) {
        storage.sql.exec(sql);
        for (const row of rows) {
          const values = Object.values(row);
          storage.sql.exec(
            `INSERT INTO ${name} (${Object.keys(row).join()}) VALUES (${values.map(() => "?").join()})`,
            ...values,
          );
        }
      }
      for (const [key, value] of saved.values) storage.kv.put(key, value);
      await storage.sync();
    });
    await evictDurableObject(pageObject(page_id));
  };
}

/** Events of a page in D1, and those that its object has accepted. */
async function totalsOf(page_id: string): Promise<[in_d1: number, accepted: number]> {
  const row = await env.DB.prepare("SELECT SUM(n) AS n FROM tallies WHERE page_id = ?1")
    .bind(page_id)
    .first<{ n: number }>();
  const totals = await pageObject(page_id).totals();
  return [row?.n ?? 0, totals.reduce((sum, { accepted }) => sum + accepted, 0)];
}

/** The object ends itself after it has taken over what D1 has; the next call finds a new one. */
async function flushed(page_id: string): Promise<void> {
  const flush = () =>
    pageObject(page_id)
      .flush()
      .then(
        () => true,
        () => false,
      );
  await eventually(async () => expect(await flush()).toBe(true));
}

test("what D1 has and what came since count, once, whichever is more", async () => {
  for (const [lost, since] of [
    [30, 5],
    [5, 30],
    [10, 10],
  ] as const) {
    const { page_id } = await freshPage();
    await count(page_id, 20);
    await flushed(page_id);
    const putBack = await savePoint(page_id);
    await count(page_id, lost);
    await flushed(page_id);
    const errors = expectErrors();
    await putBack();
    await count(page_id, since);
    await flushed(page_id);
    expect(errors()).toContain("object_was_behind");
    const all = 20 + lost + since;
    expect(await totalsOf(page_id)).toEqual([all, all]);
    await evictDurableObject(pageObject(page_id));
    await count(page_id, 3);
    await flushed(page_id);
    expect(await totalsOf(page_id)).toEqual([all + 3, all + 3]);
  }
});

test("the hours and the days that it had lost come back without a new event, by the sweep", async () => {
  const clock = stopClock();
  clock.set(Date.parse("2027-03-01T10:00Z"));
  const { page_id } = await freshPage();
  await count(page_id, 7);
  await flushed(page_id);
  const putBack = await savePoint(page_id);
  clock.set(Date.parse("2027-03-01T12:00Z"));
  await count(page_id, 8);
  clock.set(Date.parse("2027-03-02T12:00Z"));
  await count(page_id, 9);
  await flushed(page_id);
  expectErrors();
  await putBack();
  await pageObject(page_id)
    .sweep()
    .catch(() => {});
  await eventually(async () => expect(await totalsOf(page_id)).toEqual([24, 24]));
});

test("the tips that it had lost are its tips again, and those that came since follow them", async () => {
  const { page_id } = await freshPage();
  const tip = async (id: string, points: number) => {
    const sent = { from_id: "u", from_name: "U", points, message: id, at: points };
    const conversion = { id, link_id: "jar", class: "human", origin: null, tip: sent } as const;
    await pageObject(page_id).convert([conversion]);
  };
  await tip("a", 1);
  await flushed(page_id);
  const putBack = await savePoint(page_id);
  await tip("b", 20);
  await tip("c", 300);
  await flushed(page_id);
  expectErrors();
  await putBack();
  await tip("d", 4_000);
  await flushed(page_id);
  const { results } = await env.DB.prepare(
    "SELECT message, total FROM tips WHERE page_id = ?1 ORDER BY seq",
  )
    .bind(page_id)
    .all<{ message: string; total: number }>();
  expect(results.map(({ message, total }) => [message, total])).toEqual([
    ["a", 1],
    ["b", 21],
    ["c", 321],
    ["d", 4_321],
  ]);
  expect(await totalsOf(page_id)).toEqual([4, 4]);
});

test("an object that has lost everything begins where D1 is", async () => {
  const { page_id } = await freshPage();
  const putBack = await savePoint(page_id);
  await count(page_id, 12);
  await flushed(page_id);
  expectErrors();
  await putBack();
  await count(page_id, 5);
  await flushed(page_id);
  expect(await totalsOf(page_id)).toEqual([17, 17]);
});
