/** The caches of an isolate of the router, and their bounds (F24, F29). */
import { describe, expect, test } from "vitest";
import type { PageRow } from "../../../objects/page/page-row.ts";
import { LimitedCounts } from "../../../src/counting/limited-counts.ts";
import { LinkTargets } from "../../../src/counting/link-targets.ts";

/** A clock that tests set; `ring` runs its timers. */
function clockAt(start: number) {
  const timers: (() => void)[] = [];
  const clock = {
    at: start,
    now: () => clock.at,
    after: (_: number, run: () => void) => {
      timers.push(run);
      return () => {};
    },
  };
  return { clock, ring: () => timers.splice(0).forEach((run) => void run()) };
}

/** A D1 with one answer: the row of a page, or none. */
function d1Of(answer: () => Promise<PageRow | undefined>): D1Database {
  const all = async () => ({ results: [await answer()].filter((row) => row !== undefined) });
  const statement = { bind: () => statement, all };
  return { prepare: () => statement } as unknown as D1Database;
}

const ROW: PageRow = {
  status: "published",
  version: 1,
  locale: "ar",
  time_zone: "UTC",
  card: null,
  links: '[["shop","https://a.example/",1,null,null]]',
};
/** A cache that has just read page `p`. */
async function knowing() {
  const { clock } = clockAt(1_000);
  const targets = new LinkTargets(clock);
  const d1 = d1Of(async () => ROW);
  await targets.find(d1, "p", "shop");
  return { clock, targets };
}
const down = () => Promise.reject(new Error("D1 refuses"));

describe("where links lead", () => {
  test("is read from D1 again after two seconds", async () => {
    const { clock, targets } = await knowing();
    clock.at += 1_999;
    expect(targets.recall("p", "shop")?.url).toBe("https://a.example/");
    clock.at += 1;
    expect(targets.recall("p", "shop")).toBeUndefined();
  });

  test("is used for a minute while D1 fails, judged after it has failed", async () => {
    const { clock, targets } = await knowing();
    clock.at += 59_000;
    expect((await targets.find(d1Of(down), "p", "shop"))?.url).toBe("https://a.example/");
    const slow = d1Of(() => {
      clock.at += 1_000;
      return down();
    });
    await expect(targets.find(slow, "p", "shop")).rejects.toThrow("refuses");
    expect(targets.recallStale("p", "shop")).toBeUndefined();
  });

  test("is not evicted by unknown pages", async () => {
    const { targets } = await knowing();
    for (let i = 0; i < 6_000; i += 1)
      await targets.find(
        d1Of(async () => undefined),
        `none-${i}`,
        "x",
      );
    expect(targets.recall("p", "shop")?.url).toBe("https://a.example/");
    expect(targets.recall("none-5999", "x")).toBeNull();
    expect(targets.recall("none-0", "x")).toBeUndefined();
  });
});

describe("what the limit refused", () => {
  function limitedAt(start: number) {
    const { clock, ring } = clockAt(start);
    const dropped: number[] = [];
    const numbers = new LimitedCounts(clock, (n) => dropped.push(n));
    /** What a page gets, by link. */
    const handedOver = async (page_id: string) => {
      const sent: Record<string, number> = {};
      const handing = numbers.deliver(page_id, async (found) => {
        for (const { link_id, n } of found) sent[link_id] = n;
      });
      ring();
      await handing;
      return sent;
    };
    const droppedInAll = () => dropped.reduce((sum, n) => sum + n, 0);
    return { clock, ring, numbers, handedOver, droppedInAll };
  }

  test("of a page's own links is not dropped for unknown ones, and what is dropped is counted", async () => {
    const { numbers, handedOver, droppedInAll } = limitedAt(0);
    numbers.addKnownPage("p");
    expect(numbers.add("p", "shop")).toBe("p");
    for (let i = 0; i < 300; i += 1) {
      numbers.add("p", `x${i}`);
      if (i % 30 === 0) numbers.add("p", "shop");
    }
    const sent = await handedOver("p");
    expect(sent.shop).toBe(11);
    expect(Object.keys(sent)).toHaveLength(200);
    expect(Object.values(sent).reduce((sum, n) => sum + n, 0) + droppedInAll()).toBe(311);
  });

  test("of unknown pages waits: one is asked at a time, and each is handed over once it is known", async () => {
    const { numbers, handedOver, droppedInAll } = limitedAt(0);
    expect(["a", "b", "b", "c"].map((page_id) => numbers.add(page_id, "x"))).toEqual([
      "a",
      ...[null, null, null],
    ]);
    expect(numbers.addKnownPage("b")).toBe(true);
    expect(await handedOver("b")).toEqual({ x: 2 });
    expect(await handedOver("a")).toEqual({ x: 1 });
    // The turn of the one that has waited longest.
    expect(numbers.add("d", "x")).toBe("c");
    expect(await handedOver("c")).toEqual({ x: 1 });
    expect(droppedInAll()).toBe(0);
  });

  test("of a hundred invented pages makes no more room, and one more is counted as dropped", () => {
    const { numbers, droppedInAll } = limitedAt(0);
    for (let i = 0; i < 101; i += 1) numbers.add(`none${i}`, "x");
    expect(droppedInAll()).toBe(0);
    numbers.add("none", "x");
    expect(droppedInAll()).toBe(1);
    // Pages that are known have their own room.
    numbers.addKnownPage("p");
    expect(numbers.add("p", "x")).toBe("p");
  });

  test("does not stay for ever if the request that should hand it over is gone", () => {
    const { clock, numbers, droppedInAll } = limitedAt(0);
    for (let i = 0; i < 100; i += 1) {
      numbers.addKnownPage(`p${i}`);
      expect(numbers.add(`p${i}`, "")).toBe(`p${i}`);
    }
    numbers.addKnownPage("late");
    expect(numbers.add("late", "")).toBeNull();
    expect(droppedInAll()).toBe(1);
    clock.at += 4_999;
    expect(numbers.add("p0", "")).toBeNull();
    clock.at += 1;
    // Another request hands over those of the same page, and makes room for other pages.
    expect(numbers.add("p0", "")).toBe("p0");
    expect(numbers.add("late", "")).toBe("late");
    expect(droppedInAll()).toBe(100);
  });

  test("is counted as dropped where the page's object fails", async () => {
    const { ring, numbers, droppedInAll } = limitedAt(0);
    numbers.addKnownPage("p");
    for (let n = 0; n < 3; n += 1) numbers.add("p", "x");
    const handing = numbers.deliver("p", () => Promise.reject(new Error("the object ended")));
    ring();
    await expect(handing).rejects.toThrow("ended");
    expect(droppedInAll()).toBe(3);
  });
});
