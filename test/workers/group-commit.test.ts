import { describe, expect, test } from "vitest";
import { GROUP_MAX, GroupCommit } from "../../objects/group-commit.ts";
import { freshPage, pageObject, sums } from "./kit.ts";

/** Storage and a clock for a group commit; a test says when what was written is on disk. */
function ports() {
  const syncing: (() => void)[] = [];
  const pauses: (() => void)[] = [];
  const all: ConstructorParameters<typeof GroupCommit>[1] = {
    storage: { sync: () => new Promise((resolve) => syncing.push(resolve)) },
    clock: {
      after: (_, callback) => {
        pauses.push(callback);
        return () => {};
      },
    },
  };
  return {
    all,
    /** Everything written so far is on disk. */
    synced: () => syncing.splice(0).forEach((resolve) => void resolve()),
    /** The pauses under way are over; tells how many. */
    paused: () => pauses.splice(0).map((callback) => callback()).length,
  };
}

/** Lets everything run that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}

describe("group commit", () => {
  test("commits a lone item at once, and what gathers meanwhile together", async () => {
    const groups: number[][] = [];
    const { all, synced } = ports();
    const commits = new GroupCommit<number, number>((items) => {
      groups.push(items);
      return items.map((item) => item * 10);
    }, all);
    const first = commits.submit(1);
    expect(groups).toEqual([[1]]);
    const rest = [2, 3, 4].map((item) => commits.submit(item));
    expect(groups).toHaveLength(1);
    synced();
    expect(await first).toBe(10);
    await settle();
    expect(groups).toEqual([[1], [2, 3, 4]]);
    synced();
    expect(await Promise.all(rest)).toEqual([20, 30, 40]);
  });

  test("pauses to gather more after a group, and never after a lone item", async () => {
    const groups: number[][] = [];
    const { all, synced, paused } = ports();
    const commits = new GroupCommit<number, number>((items) => {
      groups.push(items);
      return items;
    }, all);
    void commits.submit(1);
    void commits.submit(2);
    void commits.submit(3);
    synced();
    await settle();
    expect(paused()).toBe(0);
    synced();
    await settle();
    void commits.submit(4);
    await settle();
    expect(groups).toEqual([[1], [2, 3]]);
    void commits.submit(5);
    expect(paused()).toBe(1);
    await settle();
    expect(groups).toEqual([[1], [2, 3], [4, 5]]);
    synced();
    await settle();
    // Nobody came during this pause: the object is quiet again, and the next one waits for nothing.
    expect(paused()).toBe(1);
    await settle();
    void commits.submit(6);
    expect(groups.at(-1)).toEqual([6]);
  });

  test("answers nobody before the commit is durable", async () => {
    const { all, synced } = ports();
    let durable = false;
    const commits = new GroupCommit<number, number>((items) => items, all);
    const answer = commits.submit(1).then(() => expect(durable).toBe(true));
    await settle();
    durable = true;
    synced();
    await answer;
  });

  test("fails the group whose commit fails, and none after it", async () => {
    let broken = true;
    const { all, synced } = ports();
    const commits = new GroupCommit<number, number>((items) => {
      if (broken) throw new Error("disk full");
      return items;
    }, all);
    await expect(commits.submit(1)).rejects.toThrow("disk full");
    broken = false;
    const second = commits.submit(2);
    synced();
    expect(await second).toBe(2);
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
    const receipts = await Promise.all(
      Array.from({ length: count }, (_, i) => pageObject(page_id).record(largest(i + 1))),
    );
    expect(receipts.every(({ outcome }) => outcome === "counted")).toBe(true);
    expect((await sums(page_id)).accepted).toBe(count);
  });
});
