/** The caches of an isolate of the router, and their bounds (F24, F29). */
import { describe, expect, test } from "vitest";
import type { PageRow } from "../../objects/page/page-row.ts";
import { LimitedCounts } from "../../src/counting/limited-counts.ts";
import { LinkTargets } from "../../src/counting/link-targets.ts";

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
  boundaries: "[]",
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
  async function handedOver(numbers: LimitedCounts, ring: () => void, page_id: string) {
    const sent: Record<string, number> = {};
    const handing = numbers.deliver(page_id, async (found) => {
      for (const { link_id, n } of found) sent[link_id] = n;
    });
    ring();
    await handing;
    return sent;
  }

  test("of a page's own links is not dropped for unknown ones", async () => {
    const { clock, ring } = clockAt(0);
    const numbers = new LimitedCounts(clock);
    numbers.addKnownPage("p");
    expect(numbers.add("p", "shop")).toBe(true);
    for (let i = 0; i < 300; i += 1) {
      numbers.add("p", `x${i}`);
      if (i % 30 === 0) numbers.add("p", "shop");
    }
    const sent = await handedOver(numbers, ring, "p");
    expect(sent.shop).toBe(11);
    expect(Object.keys(sent)).toHaveLength(200);
  });

  test("includes one unknown page at a time", () => {
    const { clock } = clockAt(0);
    const numbers = new LimitedCounts(clock);
    expect([numbers.add("a", ""), numbers.add("b", ""), numbers.add("c", "")]).toEqual([
      true,
      false,
      false,
    ]);
    numbers.addKnownPage("b");
    expect(numbers.add("b", "")).toBe(true);
  });

  test("does not stay for ever if the request that should hand it over is gone", () => {
    const { clock } = clockAt(0);
    const numbers = new LimitedCounts(clock);
    for (let i = 0; i < 100; i += 1) {
      numbers.addKnownPage(`p${i}`);
      expect(numbers.add(`p${i}`, "")).toBe(true);
    }
    numbers.addKnownPage("late");
    expect(numbers.add("late", "")).toBe(false);
    clock.at += 4_999;
    expect(numbers.add("p0", "")).toBe(false);
    clock.at += 1;
    // Another request hands over those of the same page, and makes room for other pages.
    expect(numbers.add("p0", "")).toBe(true);
    expect(numbers.add("late", "")).toBe(true);
  });
});
