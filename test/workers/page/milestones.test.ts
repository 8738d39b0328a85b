/**
 * Milestones: the round numbers that a page has reached are in D1 exactly once each, through every fault.
 */
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { EventClass } from "../../../objects/events/event.ts";
import { type Milestone, milestonesUpTo } from "../../../objects/page/tables/milestones.ts";
import { JOURNAL_KEPT_MAX } from "../../../objects/page/tables/page-tables.ts";
import { breakD1, breakStorage, stopClock } from "../kit/faults.ts";
import { count, freshPage, pageObject, revertSchema } from "../kit/kit.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The page's milestones in D1, views before clicks. */
async function milestoneRows(page_id: string): Promise<Milestone[]> {
  const { results } = await env.DB.prepare(
    "SELECT kind, n, reached_at FROM milestones WHERE page_id = ?1 ORDER BY kind DESC, n",
  )
    .bind(page_id)
    .all<Milestone>();
  return results;
}

/** The same without times: `view 100`. */
async function milestones(page_id: string): Promise<string[]> {
  return (await milestoneRows(page_id)).map(({ kind, n }) => `${kind} ${n}`);
}

type Arrival = [n: number, link_id?: string, eventClass?: EventClass];

/** A flush after `n` more events. */
async function flush(page_id: string, ...arrival: Arrival): Promise<void> {
  await count(page_id, ...arrival);
  await pageObject(page_id).flush();
}

async function milestonesAfter(page_id: string, ...arrival: Arrival): Promise<string[]> {
  await flush(page_id, ...arrival);
  return milestones(page_id);
}

/** A flush that fails in D1; its work in the object before that is done. */
async function flushInVain(page_id: string): Promise<void> {
  await expect(Promise.resolve(pageObject(page_id).flush())).rejects.toThrow();
}

/** D1 without any of the page's numbers. */
async function forgetInD1(page_id: string): Promise<void> {
  for (const table of ["tallies", "milestones"]) {
    await env.DB.prepare(`DELETE FROM ${table} WHERE page_id = ?1`).bind(page_id).run();
  }
}

/** Reverts the object's storage to the first version of its schema, without milestones. */
async function asOlderCodeLeftIt(page_id: string): Promise<void> {
  await runInDurableObject(pageObject(page_id), (_, { storage }) => {
    revertSchema(storage, 1);
    for (const [key] of storage.kv.list({ prefix: "milestone:" })) storage.kv.delete(key);
  });
  await env.DB.prepare("DELETE FROM milestones WHERE page_id = ?1").bind(page_id).run();
}

describe("a milestone", () => {
  test("is 100, 1,000, 10,000 and so on, from the number itself on", () => {
    expect(milestonesUpTo(99)).toEqual([]);
    expect(milestonesUpTo(100)).toEqual([100]);
    expect(milestonesUpTo(1_234_567)).toEqual([100, 1_000, 10_000, 100_000, 1_000_000]);
  });

  test("is reached by the 100th and not by the 99th, and is not skipped where a flush reaches two", async () => {
    const { page_id } = await freshPage();
    expect(await milestonesAfter(page_id, 99)).toEqual([]);
    expect(await milestonesAfter(page_id, 1)).toEqual(["view 100"]);
    const { page_id: other } = await freshPage();
    expect(await milestonesAfter(other, 1_000)).toEqual(["view 100", "view 1000"]);
  });

  test("is one of views or one of clicks, of all links together", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 99);
    for (const link_id of ["shop", "video", "contact"])
      expect(await milestonesAfter(page_id, 33, link_id)).toEqual([]);
    expect(await milestonesAfter(page_id, 1, "mail")).toEqual(["click 100"]);
    expect(await milestonesAfter(page_id, 1)).toEqual(["view 100", "click 100"]);
  });

  test("is not reached by events of bots, of the owner, or over a limit", async () => {
    const { page_id } = await freshPage();
    for (const link_id of ["", "shop"]) {
      await count(page_id, 99, link_id);
      for (const one of ["bot", "owner", "limited"] as const) await count(page_id, 2, link_id, one);
    }
    await pageObject(page_id).flush();
    await evictDurableObject(pageObject(page_id));
    for (const one of ["bot", "owner", "limited"] as const)
      expect(await milestonesAfter(page_id, 1, "", one)).toEqual([]);
  });

  test("has the time of the checkpoint that reached it, for ever", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    await count(page_id, 100);
    clock.advance(MINUTE_MS);
    const reached_at = Date.now();
    await pageObject(page_id).flush();
    clock.advance(HOUR_MS);
    await flush(page_id, 100);
    expect(await milestoneRows(page_id)).toEqual([{ kind: "view", n: 100, reached_at }]);
  });
});

describe("the totals that decide it", () => {
  test("are not summed from history again when the object starts", async () => {
    const { page_id } = await freshPage();
    await flush(page_id, 60);
    await evictDurableObject(pageObject(page_id));
    const { mend } = await breakStorage(page_id, "SELECT kind, SUM(n)");
    await flush(page_id, 40);
    mend();
    expect(await milestones(page_id)).toEqual(["view 100"]);
  });

  test("outlive the checkpoints that are deleted after an hour, and steps of the clock", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    for (const [step_ms, n] of [
      [0, 50],
      [2 * HOUR_MS, 20],
      [-3 * HOUR_MS, 20],
      [30 * 24 * HOUR_MS, 9],
    ] as const) {
      clock.advance(step_ms);
      await flush(page_id, n);
      await evictDurableObject(pageObject(page_id));
    }
    expect(await milestones(page_id)).toEqual([]);
    clock.advance(365 * 24 * HOUR_MS);
    expect(await milestonesAfter(page_id, 1)).toEqual(["view 100"]);
  });

  test("F17: do not grow by a checkpoint that fails at its last statement, however often", async () => {
    const { page_id } = await freshPage();
    await flush(page_id, 30);
    await count(page_id, 30);
    // The journal becomes too long to stay.
    await count(page_id, JOURNAL_KEPT_MAX, "", "bot");
    const { mend } = await breakStorage(page_id, "DELETE FROM checkpoints");
    for (let i = 0; i < 3; i += 1) await flushInVain(page_id);
    mend();
    await pageObject(page_id).flush();
    expect(await milestonesAfter(page_id, 39)).toEqual([]);
    expect(await milestonesAfter(page_id, 1)).toEqual(["view 100"]);
  });

  test("F16: are summed if older code without totals has counted, and milestones are recorded", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 999);
    await count(page_id, 250, "shop");
    await flush(page_id, 900, "shop", "bot");
    await asOlderCodeLeftIt(page_id);
    await evictDurableObject(pageObject(page_id));
    expect(await milestonesAfter(page_id, 1, "", "bot")).toEqual(["view 100", "click 100"]);
    expect(await milestonesAfter(page_id, 1)).toEqual(["view 100", "view 1000", "click 100"]);
  });

  test("F16: are summed again after older code ran in between; recorded milestones keep their time", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    await flush(page_id, 150);
    const noted = await milestoneRows(page_id);
    // Older code counts without keeping totals, and the newest checkpoint has none.
    await flush(page_id, 849);
    await runInDurableObject(pageObject(page_id), (_, { storage }) => {
      storage.sql.exec("UPDATE checkpoints SET people = NULL");
    });
    await evictDurableObject(pageObject(page_id));
    clock.advance(HOUR_MS);
    await flush(page_id, 1);
    const rows = [...noted, { kind: "view", n: 1_000, reached_at: Date.now() }];
    expect(await milestoneRows(page_id)).toEqual(rows);
    // The object has kept the time, and sends the same to a D1 that lost everything.
    await forgetInD1(page_id);
    await pageObject(page_id).sweep();
    await pageObject(page_id).flush();
    expect(await milestoneRows(page_id)).toEqual(rows);
  });

  test("F16: code that was rolled back keeps the newer schema's version", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 1);
    await runInDurableObject(pageObject(page_id), (_, { storage }) => {
      storage.kv.put("schema_version", 99);
    });
    await evictDurableObject(pageObject(page_id));
    await flush(page_id, 1);
    const version = await runInDurableObject(pageObject(page_id), (_, { storage }) =>
      storage.kv.get("schema_version"),
    );
    expect(version).toBe(99);
  });
});

describe("D1 gets each milestone once", () => {
  test("F3: the object died between D1's write and its reply: sent again, with the same time", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    await count(page_id, 100);
    // A refusal confirms nothing.
    for (const when of ["before", "after"] as const) {
      const { mend } = breakD1(when);
      await flushInVain(page_id);
      mend();
    }
    const [before] = await milestoneRows(page_id);
    await abortAllDurableObjects();
    clock.advance(HOUR_MS);
    await flush(page_id, 900);
    expect(await milestoneRows(page_id)).toEqual([
      before,
      { kind: "view", n: 1_000, reached_at: Date.now() },
    ]);
  });

  test("one that was confirmed is not sent again", async () => {
    const { page_id } = await freshPage();
    await flush(page_id, 100);
    // If it was sent again, it would be a row again.
    await env.DB.prepare("DELETE FROM milestones WHERE page_id = ?1").bind(page_id).run();
    expect(await milestonesAfter(page_id, 1)).toEqual([]);
  });
});
