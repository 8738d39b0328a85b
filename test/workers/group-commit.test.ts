import { describe, expect, test } from "vitest";
import { GROUP_MAX, GroupCommit } from "../../objects/group-commit.ts";
import { freshPage, pageObject, sums } from "./kit.ts";

describe("group commit", () => {
  test("commits a lone item at once, and what gathers meanwhile together", async () => {
    const groups: number[][] = [];
    let release: () => void = () => {};
    const commits = new GroupCommit<number, number>(
      (items) => {
        groups.push(items);
        return items.map((item) => item * 10);
      },
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    const first = commits.submit(1);
    expect(groups).toEqual([[1]]);
    const rest = [2, 3, 4].map((item) => commits.submit(item));
    expect(groups).toHaveLength(1);
    release();
    expect(await first).toBe(10);
    await Promise.resolve();
    expect(groups).toEqual([[1], [2, 3, 4]]);
    release();
    expect(await Promise.all(rest)).toEqual([20, 30, 40]);
  });

  test("answers nobody before the commit is durable", async () => {
    let durable = false;
    let release: () => void = () => {};
    const commits = new GroupCommit<number, number>(
      (items) => items,
      () =>
        new Promise((resolve) => {
          release = () => {
            durable = true;
            resolve();
          };
        }),
    );
    const answer = commits.submit(1).then(() => expect(durable).toBe(true));
    release();
    await answer;
  });

  test("fails the group whose commit fails, and none after it", async () => {
    let broken = true;
    const commits = new GroupCommit<number, number>(
      (items) => {
        if (broken) throw new Error("disk full");
        return items;
      },
      () => Promise.resolve(),
    );
    await expect(commits.submit(1)).rejects.toThrow("disk full");
    broken = false;
    expect(await commits.submit(2)).toBe(2);
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
