import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { ABSENT_MS } from "../../../objects/page/known-page.ts";
import { GROUP_MAX, GroupCommit } from "../../../objects/platform/group-commit.ts";
import { stopClock } from "../kit/faults.ts";
import { freshPage, pageObject, recordAll, sums } from "../kit/kit.ts";

/** A storage whose writes become durable when the test says so. */
function slowStorage() {
  const syncing: (() => void)[] = [];
  return {
    storage: { sync: () => new Promise<void>((resolve) => syncing.push(resolve)) },
    /** Makes all writes so far durable. */
    synced: () => {
      for (const resolve of syncing.splice(0)) resolve();
    },
  };
}

/** Commits that answer the items themselves, and the groups so far. */
function commitsOn(storage: { sync: () => Promise<void> }, sizeOf?: (item: number) => number) {
  const groups: number[][] = [];
  const work = (items: number[]) => {
    groups.push(items);
    return items;
  };
  return { groups, commits: new GroupCommit<number, number>(work, storage, sizeOf) };
}

/** Runs all pending microtasks. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}

/** An event that stands for `n` refused requests. */
function refused(link_id: string, n: number) {
  const key = n.toString(16).padStart(16, "0");
  return { key, link_id, class: "limited" as const, n, visitor: null, origin: null };
}

describe("group commit", () => {
  test("commits a single item at once, and those that arrive meanwhile together", async () => {
    const { storage, synced } = slowStorage();
    const { groups, commits } = commitsOn(storage);
    const first = commits.submit(1);
    await settle();
    expect(groups).toEqual([[1]]);
    const rest = [2, 3, 4].map((item) => commits.submit(item));
    await settle();
    expect(groups).toHaveLength(1);
    synced();
    expect(await first).toBe(1);
    await settle();
    expect(groups).toEqual([[1], [2, 3, 4]]);
    synced();
    expect(await Promise.all(rest)).toEqual([2, 3, 4]);
  });

  test("commits items of one turn together", async () => {
    const { groups, commits } = commitsOn(slowStorage().storage);
    for (const item of [1, 2, 3]) void commits.submit(item);
    await settle();
    expect(groups).toEqual([[1, 2, 3]]);
  });

  test(`never divides a batch: one that would make a group of ${GROUP_MAX + 1} waits`, async () => {
    const { groups, commits } = commitsOn({ sync: async () => {} }, (events) => events);
    const sizes = [GROUP_MAX - 2, 2, 1, GROUP_MAX];
    expect(await Promise.all(sizes.map((size) => commits.submit(size)))).toEqual(sizes);
    expect(groups).toEqual([[GROUP_MAX - 2, 2], [1], [GROUP_MAX]]);
  });

  test("answers nobody before the commit is durable", async () => {
    const { storage, synced } = slowStorage();
    let durable = false;
    const { commits } = commitsOn(storage);
    const answer = commits.submit(1).then(() => expect(durable).toBe(true));
    await settle();
    durable = true;
    synced();
    await answer;
  });

  test("rejects the group whose commit fails, and none after it", async () => {
    let broken = true;
    const { storage, synced } = slowStorage();
    const commits = new GroupCommit<number, number>((items) => {
      if (broken) throw new Error("disk full");
      return items;
    }, storage);
    await expect(commits.submit(1)).rejects.toThrow("disk full");
    broken = false;
    const second = commits.submit(2);
    await settle();
    synced();
    expect(await second).toBe(2);
  });

  test("writes one row for what a router refused in a second, by link", async () => {
    const { page_id } = await freshPage();
    const object = pageObject(page_id);
    await object.record({ ...refused("", 1), class: "bot" });
    const rows = () =>
      runInDurableObject(object, (_, { storage }) => [
        ...storage.sql.exec("SELECT events FROM journal"),
      ]);
    const before = (await rows()).length;
    await object.recordLimited([refused("", 5), refused("nowhere", 6), refused("", 7)]);
    const after = await rows();
    expect(after).toHaveLength(before + 1);
    const totals = await object.totals();
    const limited = totals.filter((total) => total.class === "limited");
    expect(limited).toMatchObject([{ kind: "view", accepted: 12 }]);
  });

  test("F4: counts the known links of a batch although D1 fails for another link", async () => {
    const { page_id } = await freshPage();
    const object = pageObject(page_id);
    await object.record({ ...refused("", 1), class: "bot" });
    // After that an unknown link is asked for again.
    const clock = stopClock();
    clock.advance(ABSENT_MS);
    const d1: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
    const reading = vi.spyOn(d1, "all").mockRejectedValue(new Error("D1 refuses"));
    const batch = [refused("nowhere", 5), refused("", 6)];
    await runInDurableObject(object, async (instance) => {
      await expect(instance.recordLimited(batch)).rejects.toThrow("D1 refuses");
    });
    reading.mockRestore();
    clock.restart();
    const limited = (await object.totals()).filter((total) => total.class === "limited");
    expect(limited).toMatchObject([{ kind: "view", accepted: 6 }]);
  });

  test("of the largest events that can be sent fits into a row", async () => {
    const { page_id } = await freshPage();
    const long = "\u0635".repeat(100);
    const largest = (i: number) => ({
      key: i.toString(16).padStart(16, "0"),
      link_id: "",
      class: "human" as const,
      visitor: `visitor ${i}`,
      origin: {
        referrer: "a".repeat(253),
        country: "SA",
        device: "desktop",
        utm_source: long,
        utm_medium: long,
        utm_campaign: long,
      },
    });
    const count = GROUP_MAX + 200;
    const all = Array.from({ length: count }, (_, i) => largest(i + 1));
    const receipts = await recordAll(page_id, all);
    expect(receipts.every(({ outcome }) => outcome === "counted")).toBe(true);
    expect((await sums(page_id)).accepted).toBe(count);
  });
});
