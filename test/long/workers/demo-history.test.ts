/** The invented history of the demo pages: believable, consistent, and never among the real numbers. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY_MS, dayOf, HOUR_MS, hourOf, SECOND_MS } from "../../../objects/platform/clock.ts";
import { CONTACT_LINK, DIMENSIONS } from "../../../objects/tables/event.ts";
import type { Tally } from "../../../objects/tables/tallies.ts";
import type { Page } from "../../../src/pages/pages-store.ts";
import { DEMO_PAGES } from "../../demo/data.ts";
import { demoHistory, HISTORY_DAYS } from "../../demo/history.ts";
import { DEMO_SHARD, seedHistory } from "../../demo/seed-history.ts";
import { storePage } from "../../plain-page.ts";
import { generator } from "../../random.ts";
import { breakD1 } from "../../workers/faults.ts";
import { beacon, pageObject, sums } from "../../workers/kit.ts";

const HOUR_S = HOUR_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;
const NOW_MS = Date.UTC(2026, 10, 21, 10, 54, 32);
/** Each run makes a month of about ten thousand visits. */
const RUNS = { numRuns: 25 };
/** Fixed seeds, because a random one could fail the believable ranges by chance. */
const SEEDS = Array.from({ length: 12 }, (_, seed) => seed);

interface History extends ReturnType<typeof demoHistory> {
  page: Page;
  now_ms: number;
}
type Breakdown = Record<string, Record<string, [number, number]>>;

/** Checks the history of either page, of any seed and time. */
function always(check: (history: History) => void): void {
  fc.assert(
    fc.property(
      fc.nat({ max: DEMO_PAGES.length - 1 }),
      fc.integer(),
      fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2030, 0, 1) }),
      (place, seed, now_ms) => {
        const page = DEMO_PAGES[place] as Page;
        check({ page, now_ms, ...demoHistory(page, now_ms, generator(seed)) });
      },
    ),
    RUNS,
  );
}

function sumOf(tallies: readonly Tally[], matches: (tally: Tally) => boolean): number {
  return tallies.reduce((sum, tally) => sum + (matches(tally) ? tally.n : 0), 0);
}

/** Human events of one kind on the UTC day that starts at `day`. */
function peopleOn(tallies: readonly Tally[], day: number, kind: Tally["kind"]): number {
  return sumOf(
    tallies,
    (tally) => dayOf(tally.hour * SECOND_MS) === day && tally.kind === kind && isPerson(tally),
  );
}

function isView({ kind }: Tally): boolean {
  return kind === "view";
}

function isPerson({ class: eventClass }: Tally): boolean {
  return eventClass === "human";
}

function hourAndClass({ hour, class: eventClass }: Tally): string {
  return `${hour}/${eventClass}`;
}

function parse(breakdowns: string): Breakdown {
  return JSON.parse(breakdowns) as Breakdown;
}

test("the same seed in the same hour makes the same history, another seed another", () => {
  for (const page of DEMO_PAGES) {
    const made = demoHistory(page, NOW_MS, generator(7));
    expect(demoHistory(page, hourOf(NOW_MS) * SECOND_MS, generator(7))).toEqual(made);
    expect(demoHistory(page, NOW_MS, generator(8))).not.toEqual(made);
  }
});

test("it is sixty whole days and today, in whole hours, up to the last full one", () => {
  always(({ now_ms, tallies, days }) => {
    const today = dayOf(now_ms);
    const hours = tallies.map(({ hour }) => hour);
    expect(hours.every((hour) => hour % HOUR_S === 0)).toBe(true);
    expect(Math.min(...hours)).toBeGreaterThanOrEqual(today - HISTORY_DAYS * DAY_S);
    expect(Math.max(...hours) + HOUR_S).toBeLessThanOrEqual(now_ms / SECOND_MS);
    const dates = days.map(({ day }) => day);
    // In the first hours of today there may be no visits yet.
    expect(dates.slice(0, HISTORY_DAYS)).toEqual(
      Array.from({ length: HISTORY_DAYS }, (_, i) => today - (HISTORY_DAYS - i) * DAY_S),
    );
    expect(dates.slice(HISTORY_DAYS).every((day) => day === today)).toBe(true);
    expect(dates.length).toBeLessThanOrEqual(HISTORY_DAYS + 1);
  });
});

test("there is one row for each hour, link and class, and it is one that the page can have", () => {
  always(({ page, tallies }) => {
    const keys = tallies.map((tally) => `${tally.link_id}/${hourAndClass(tally)}`);
    expect(new Set(keys).size).toBe(keys.length);
    const links = new Set([CONTACT_LINK, ...page.links.map(({ link_id }) => link_id)]);
    const looked = new Set(tallies.filter(isView).map(hourAndClass));
    const isPossible = (tally: Tally) => {
      if (!Number.isInteger(tally.n) || tally.n < 1) return false;
      // A beacon over the limit is refused, so `limited` has clicks only.
      if (isView(tally)) return tally.link_id === "" && tally.class !== "limited";
      if (!links.has(tally.link_id)) return false;
      return tally.class === "limited" || looked.has(hourAndClass(tally));
    };
    expect(tallies.filter((tally) => !isPossible(tally))).toEqual([]);
  });
});

test("a day's breakdowns and visitors are never more than its people's views and clicks", () => {
  always(({ tallies, days }) => {
    for (const { day, visitors, breakdowns } of days) {
      const [views, clicks] = [peopleOn(tallies, day, "view"), peopleOn(tallies, day, "click")];
      expect(visitors).toBeLessThanOrEqual(views);
      for (const [dimension, values] of Object.entries(parse(breakdowns))) {
        expect(DIMENSIONS).toContain(dimension);
        const counts = Object.values(values);
        expect(counts.reduce((sum, [n]) => sum + n, 0)).toBeLessThanOrEqual(views);
        expect(counts.reduce((sum, [, n]) => sum + n, 0)).toBeLessThanOrEqual(clicks);
      }
    }
  });
});

describe.each(DEMO_PAGES)("the history of $slug", (page) => {
  const months = SEEDS.map((seed) => demoHistory(page, NOW_MS, generator(seed)));

  test("has days of a size, and among them a post that went well", () => {
    const [least, most] = page.locales[0] === "ar" ? [150, 900] : [100, 600];
    for (const { tallies, days } of months) {
      const whole = days.filter(({ day }) => day < dayOf(NOW_MS));
      const views = whole.map(({ day }) => peopleOn(tallies, day, "view"));
      const sorted = views.toSorted((a, b) => a - b);
      expect(sorted[0]).toBeGreaterThanOrEqual(least);
      expect(sorted.at(-1)).toBeLessThanOrEqual(most);
      expect(sorted.at(-1)).toBeGreaterThan(1.5 * (sorted[HISTORY_DAYS / 2] ?? 0));
      const visitors = whole.map((day, i) => day.visitors / (views[i] ?? 0));
      expect(Math.min(...visitors)).toBeGreaterThan(0.65);
      expect(Math.max(...visitors)).toBeLessThan(0.9);
      expect(
        days.filter(({ breakdowns }) => "utm_campaign" in parse(breakdowns)).length,
      ).toBeLessThan(10);
    }
  });

  test("has quiet nights and busy evenings", () => {
    for (const { tallies } of months) {
      const at = (...hours: number[]) =>
        sumOf(tallies, (tally) => isView(tally) && hours.includes((tally.hour % DAY_S) / HOUR_S));
      expect(at(17, 18, 19)).toBeGreaterThan(3 * at(1, 2, 3));
    }
  });

  test("has clicks on every link, most on the first, and on the contact", () => {
    for (const { tallies } of months) {
      const on = (link_id: string) =>
        sumOf(tallies, (tally) => tally.link_id === link_id && isPerson(tally));
      const clicks = page.links.map(({ link_id }) => on(link_id));
      expect(clicks).toEqual(clicks.toSorted((a, b) => b - a));
      expect(clicks.at(-1)).toBeGreaterThan(100);
      expect(on(CONTACT_LINK)).toBeGreaterThan(100);
    }
  });

  test("has a few bots in a hundred, a handful of its owner, and hardly anything over a limit", () => {
    for (const { tallies } of months) {
      const of = (name: string) => sumOf(tallies, (tally) => tally.class === name);
      expect(of("bot") / of("human")).toBeGreaterThan(0.01);
      expect(of("bot") / of("human")).toBeLessThan(0.05);
      expect(of("owner")).toBeGreaterThan(0);
      expect(of("owner")).toBeLessThan(40);
      expect(of("limited")).toBeLessThan(10);
    }
  });

  test("leaves a third of where people come from unknown, and knows the rest by name", () => {
    for (const { tallies, days } of months) {
      const named = days.flatMap(({ breakdowns }) =>
        Object.values(parse(breakdowns).referrer ?? {}),
      );
      const known = named.reduce((sum, [views]) => sum + views, 0);
      const all = sumOf(tallies, (tally) => isView(tally) && isPerson(tally));
      expect(known / all).toBeGreaterThan(0.55);
      expect(known / all).toBeLessThan(0.75);
    }
  });
});

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
