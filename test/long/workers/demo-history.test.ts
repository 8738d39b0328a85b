/** The invented history of the demo pages: consistent, stored once, and never among the real numbers. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY_MS, dayOf, HOUR_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { DIMENSIONS } from "../../../objects/tables/event.ts";
import type { Tally } from "../../../objects/tables/tallies.ts";
import type { Page } from "../../../src/pages/pages-store.ts";
import { DEMO_PAGES } from "../../demo/data.ts";
import { demoHistory } from "../../demo/history.ts";
import { DEMO_SHARD, seedHistory } from "../../demo/seed-history.ts";
import { storePage } from "../../plain-page.ts";
import { generator } from "../../random.ts";
import { breakD1 } from "../../workers/faults.ts";
import { beacon, pageObject, sums } from "../../workers/kit.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 10, 54, 32);
type Breakdown = Record<string, Record<string, [number, number]>>;

/** People's events of one kind on the UTC day that starts at `day`. */
function peopleOn(tallies: readonly Tally[], day: number, kind: Tally["kind"]): number {
  return tallies
    .filter(({ hour }) => dayOf(hour * SECOND_MS) === day)
    .filter((tally) => tally.kind === kind && tally.class === "human")
    .reduce((sum, { n }) => sum + n, 0);
}

test.each(DEMO_PAGES)(
  "of $slug a day's breakdowns and visitors are never more than its people's views and clicks",
  (page) => {
    const { tallies, days } = demoHistory(page, NOW_MS, generator(1));
    for (const { day, visitors, breakdowns } of days) {
      const [views, clicks] = [peopleOn(tallies, day, "view"), peopleOn(tallies, day, "click")];
      expect(visitors).toBeLessThanOrEqual(views);
      for (const [dimension, values] of Object.entries(JSON.parse(breakdowns) as Breakdown)) {
        expect(DIMENSIONS).toContain(dimension);
        const counts = Object.values(values);
        expect(counts.reduce((sum, [n]) => sum + n, 0)).toBeLessThanOrEqual(views);
        expect(counts.reduce((sum, [, n]) => sum + n, 0)).toBeLessThanOrEqual(clicks);
      }
    }
  },
);

describe("in D1", () => {
  beforeEach(async () => {
    const tables = ["pages", "revisions", "tallies", "days", "milestones"];
    await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
  });

  async function createDemo(): Promise<void> {
    for (const page of DEMO_PAGES) await storePage(env.DB, page);
  }

  /** All rows of both tables, real and invented. */
  async function inD1() {
    const [tallies, days] = await env.DB.batch<{ page_id: string; shard: number }>([
      env.DB.prepare("SELECT * FROM tallies ORDER BY page_id, hour, kind, link_id, class, shard"),
      env.DB.prepare("SELECT * FROM days ORDER BY page_id, day, shard"),
    ]);
    return { tallies: tallies?.results ?? [], days: days?.results ?? [] };
  }

  async function countReal(): Promise<unknown> {
    return env.DB.prepare("SELECT SUM(n) AS n FROM tallies WHERE shard >= 0").first("n");
  }

  test("each demo page gets all of its history, once: later starts change nothing", async () => {
    await createDemo();
    await seedHistory(env.DB, NOW_MS);
    const seeded = await inD1();
    const made = DEMO_PAGES.map((page, i) => demoHistory(page, NOW_MS, generator(i)));
    expect(seeded.tallies.length).toBe(made.reduce((sum, { tallies }) => sum + tallies.length, 0));
    expect(seeded.days.length).toBe(made.reduce((sum, { days }) => sum + days.length, 0));
    for (const later_ms of [0, HOUR_MS, 20 * DAY_MS]) {
      await seedHistory(env.DB, NOW_MS + later_ms);
      expect(await inD1()).toEqual(seeded);
    }
  });

  test("it has a shard of its own, the page's object does not have it, and visits are counted separately", async () => {
    await createDemo();
    await seedHistory(env.DB, NOW_MS);
    const { tallies, days } = await inD1();
    const shards = [...tallies, ...days].map(({ shard }) => shard);
    expect(new Set(shards)).toEqual(new Set([DEMO_SHARD]));
    expect(await countReal()).toBeNull();
    expect(await sums("demo")).toEqual({ accepted: 0, flushed: 0, pending: 0 });

    expect((await beacon({ page_id: "demo" })).status).toBe(202);
    await pageObject("demo").flush();
    expect(await countReal()).toBe(1);
    expect(await sums("demo")).toEqual({ accepted: 1, flushed: 1, pending: 0 });
    const after = await inD1();
    expect(after.tallies.filter(({ shard }) => shard === DEMO_SHARD)).toEqual(tallies);
    expect(after.days.filter(({ shard }) => shard === DEMO_SHARD)).toEqual(days);
    const reached = await env.DB.prepare("SELECT COUNT(*) AS n FROM milestones").first("n");
    expect(reached, "round numbers are reached by real visits alone").toBe(0);
  });

  test.each(["before", "after"] as const)(
    "a start that ends %s D1 wrote leaves all of a page's history or none, and the next one completes it",
    async (when) => {
      await createDemo();
      await seedHistory(env.DB, NOW_MS);
      const whole = await inD1();
      await env.DB.batch([
        env.DB.prepare("DELETE FROM tallies"),
        env.DB.prepare("DELETE FROM days"),
      ]);

      const { mend } = breakD1(when);
      await expect(seedHistory(env.DB, NOW_MS)).rejects.toThrow();
      mend();
      const first = DEMO_PAGES[0]?.page_id;
      const left =
        when === "before" ? 0 : whole.tallies.filter((row) => row.page_id === first).length;
      expect((await inD1()).tallies.length).toBe(left);
      await seedHistory(env.DB, NOW_MS);
      expect(await inD1()).toEqual(whole);
    },
  );

  test("there is none if a creator's own page has the demo's slug", async () => {
    await storePage(env.DB, { ...(DEMO_PAGES[0] as Page), page_id: "somebodys-own" });
    await seedHistory(env.DB, NOW_MS);
    expect(await inD1()).toEqual({ tallies: [], days: [] });
  });
});
