/**
 * Rows that wait when the code changes (docs/faults.md F16): from release 3.1, whose statements are written out here, to
 * today's code, and back in a rollback, wherever the object is killed.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TIP_STEPS } from "../../../objects/blocks/tips/tip-book.ts";
import { Tips } from "../../../objects/blocks/tips/tips.ts";
import type { Conversion } from "../../../objects/events/conversion.ts";
import { ConversionOutbox } from "../../../objects/events/conversion-outbox.ts";
import type { PageNewsBatch } from "../../../objects/events/page-news.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { migrate } from "../../../objects/platform/schema.ts";
import { World as WebhooksWorld } from "../blocks/webhooks-kit.ts";
import { atEachStep, Machine, Power, START_MS } from "../machine.ts";

/** The statements of `conversion-outbox.ts` of 3.1. */
const OLD_ADD =
  "INSERT INTO outbox (id, page_id, conversion) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
const OLD_NEXT = "SELECT MIN(page_id) AS page_id FROM outbox WHERE page_id > ?1";
const OLD_READ = "SELECT id, conversion FROM outbox WHERE page_id = ?1 LIMIT ?2";
const STORED = "SELECT id, due, tries FROM outbox ORDER BY id";

const ROWS = [
  ["b", "page-1"],
  ["a", "page-1"],
  ["c", "page-2"],
] as const;

function conversion(id: string): Conversion {
  return { id, link_id: "jar", class: "human", origin: null, tip: null };
}

class TipsWorld extends Power {
  readonly received: string[] = [];
  fails = false;
  readonly machine = new Machine(this, (storage, outside) => {
    const hub = () => Promise.reject(new Error("the hub is not asked"));
    return new Tips({
      storage,
      clock: this.clock,
      random: () => 0,
      abort: () => this.machine.crash(),
      hub: { make: hub, close: hub },
      convert: (page_id, conversions) =>
        outside(() => {
          if (this.fails) throw new Error("the page fails");
          for (const each of conversions) this.received.push(`${each.id} to ${page_id}`);
        }),
      newId: () => "",
      onFailed: () => {},
    });
  });

  get storage() {
    return this.machine.disk.open(
      () => true,
      () => false,
    );
  }

  /** The state that 3.1 leaves in a tipper's object, with the alarm that it had set. */
  fillAs31(): void {
    const { storage } = this;
    migrate(storage, TIP_STEPS.slice(0, 1));
    for (const [id, page_id] of ROWS) {
      storage.sql.exec(OLD_ADD, id, page_id, JSON.stringify(conversion(id)));
    }
    void storage.setAlarm(START_MS + 2 * SECOND_MS);
    this.machine.disk.commit();
  }
}

let world: TipsWorld;
let pages: WebhooksWorld;
beforeEach(() => {
  world = new TipsWorld();
  pages = new WebhooksWorld();
});
afterEach(() => {
  world.close();
  pages.close();
});

describe("conversions", () => {
  test("of 3.1 arrive, each under its id, wherever the object ends", async () => {
    const steps = await atEachStep(async (fault_at) => {
      const world = new TipsWorld(fault_at);
      world.fillAs31();
      await world.machine.pass(2 * MINUTE_MS);
      await world.machine.awake();
      expect([...new Set(world.received)].sort()).toEqual([
        ...["a to page-1", "b to page-1", "c to page-2"],
      ]);
      expect(world.machine.rows(STORED)).toHaveLength(0);
      return world;
    }, 1);
    expect(steps).toBeGreaterThan(5);
  });

  test("that wait are found by 3.1 after a rollback, and what it adds by today's code", async () => {
    world.fillAs31();
    world.fails = true;
    await world.machine.pass(10 * SECOND_MS);
    world.machine.crash();
    const { sql } = world.storage;
    const [next] = sql.exec<{ page_id: string }>(OLD_NEXT, "").toArray();
    const rows = sql.exec<{ id: string; conversion: string }>(OLD_READ, next?.page_id, 100);
    expect(rows.toArray().map((row) => JSON.parse(row.conversion))).toEqual([
      conversion("a"),
      conversion("b"),
    ]);
    sql.exec(OLD_ADD, "d", "page-3", JSON.stringify(conversion("d")));
    // In a queue that waits, and before its first row.
    sql.exec(OLD_ADD, "0", "page-2", JSON.stringify(conversion("0")));
    world.fails = false;
    await world.machine.pass(MINUTE_MS);
    expect(world.received.sort()).toEqual([
      ...["0 to page-2", "a to page-1", "b to page-1", "c to page-2", "d to page-3"],
    ]);
  });

  test("keep how often they have failed when the object wakes again", async () => {
    world.fillAs31();
    world.fails = true;
    await world.machine.pass(10 * SECOND_MS);
    const stored = () => world.machine.rows(STORED).map((row) => ({ ...row }));
    const before = stored();
    expect(before[0]?.tries).toBeGreaterThan(1);
    world.machine.crash();
    await world.machine.awake();
    expect(stored()).toEqual(before);
    const { storage, clock } = world;
    const rules = { exists: () => true, convert: async () => {}, failed: () => {} };
    const outbox = new ConversionOutbox({ storage, clock, random: () => 0 }, rules);
    expect(outbox.dueAt).toBe(Math.min(...["a", "c"].map((id) => dueOf(before, id))));
  });
});

function dueOf(rows: Record<string, unknown>[], id: string): number {
  return Number(rows.find((row) => row.id === id)?.due);
}

describe("news for webhooks", () => {
  const WANTED = { types: ["tip.received"], version: 1 };
  const due_at = START_MS + HOUR_MS / 2;
  let batches: PageNewsBatch[];
  const takes = async (batch: PageNewsBatch) => {
    batches.push(batch);
    return WANTED;
  };
  const storageOf = () =>
    pages.page.disk.open(
      () => true,
      () => false,
    );

  /** The state that 3.1 leaves after four failures. */
  beforeEach(() => {
    const { sql, kv } = storageOf();
    sql.exec("CREATE TABLE webhook_outbox (seq INTEGER PRIMARY KEY, news TEXT NOT NULL)");
    kv.put("webhooks_schema_version", 1);
    for (const seq of [1, 2, 3]) {
      const news = { id: `tip_${seq}`, type: "tip.received", at: START_MS, data: {} };
      sql.exec("INSERT INTO webhook_outbox (seq, news) VALUES (?1, ?2)", seq, JSON.stringify(news));
    }
    kv.put("webhook_outbox", { seq: 3, dropped: 2, failures: 4, due_at });
    kv.put("webhooks", WANTED);
    pages.page.disk.commit();
    batches = [];
    pages.take = takes;
  });

  test("of 3.1 keep their number, their time and their failures", async () => {
    const { outbox } = await pages.page.awake();
    expect(outbox.dueAt).toBe(due_at);
    pages.take = () => Promise.reject(new Error("nobody answers"));
    pages.now_ms = due_at;
    await outbox.deliver();
    // The fifth in a row.
    expect(outbox.dueAt).toBe(due_at + 32 * SECOND_MS);
    await pages.tip("tip_4");
    pages.take = takes;
    await pages.pass(HOUR_MS);
    expect(batches.map(({ dropped, news }) => [dropped, ...news.map(({ seq }) => seq)])).toEqual([
      [2, 1, 2, 3, 4],
    ]);
    expect(outbox.dueAt).toBeNull();
  });

  test("that wait are found by 3.1 after a rollback, at once, and what it adds by today's code", async () => {
    await pages.tip("tip_4");
    pages.page.crash();
    const { sql, kv } = storageOf();
    const state = kv.get<{ seq: number; dropped: number; due_at: number }>("webhook_outbox");
    expect(state).toEqual({ seq: 4, dropped: 2, failures: 0, due_at: pages.now_ms + SECOND_MS });
    const read = "SELECT seq, news FROM webhook_outbox ORDER BY seq LIMIT ?1";
    expect(
      sql
        .exec<{ seq: number }>(read, 100)
        .toArray()
        .map(({ seq }) => seq),
    ).toEqual([...[1, 2, 3, 4]]);
    sql.exec("DELETE FROM webhook_outbox WHERE seq <= ?1", 4);
    const news = { id: "tip_5", type: "tip.received", at: START_MS, data: {} };
    sql.exec("INSERT INTO webhook_outbox (seq, news) VALUES (?1, ?2)", 5, JSON.stringify(news));
    kv.put("webhook_outbox", { ...state, seq: 5, failures: 1, due_at: pages.now_ms + HOUR_MS });
    await pages.pass(SECOND_MS);
    expect(batches.flatMap((batch) => batch.news)).toEqual([{ ...news, seq: 5 }]);
    await pages.tip("tip_6");
    await pages.pass(2 * SECOND_MS);
    expect(batches.at(-1)?.news.map(({ seq }) => seq)).toEqual([6]);
  });
});
