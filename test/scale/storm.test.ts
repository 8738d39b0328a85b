/**
 * docs/faults.md F30: more pages want to flush than D1 takes, or D1 is full. The objects' own code
 * in virtual time (`test/scale/storm.ts`). `test/scale/storm-mutants.ts` shows that each
 * measure notices broken code.
 */
import { describe, expect, test } from "vitest";
import { PageCounter } from "../../objects/page/page-counter.ts";
import { burst, full, outage, overload } from "./storms.ts";

/** Several times what they take alone; other tests run beside them. */
const TIMEOUT_MS = 600_000;
const OTHER_QUEUES = ["short", "longer than the time-out of old"] as const;

/** All of them take a minute alone; their number does not change the ratios. */
const PAGES = process.env.TEST_WEEKLY ? 10_000 : 2_000;

describe(`F30: ${PAGES} pages in one second, and a D1 that takes them in 50 s`, () => {
  test("D1 has everything after 125 s, and the last page waits at most 1.6 times as long as the median", {
    timeout: TIMEOUT_MS,
  }, async () => {
    expect(await burst(PageCounter, PAGES, "middle")).toEqual([]);
  });

  test.each(OTHER_QUEUES)(
    "the same with 400 pages, whatever queue D1 has: %s",
    { timeout: TIMEOUT_MS },
    async (queue) => {
      expect(await burst(PageCounter, 400, queue)).toEqual([]);
    },
  );
});

test("F30: after an outage of an hour all pages want to flush at once, and D1 takes them one by one, in 75 s", {
  timeout: TIMEOUT_MS,
}, async () => {
  expect(await outage(PageCounter, 200, "short")).toEqual([]);
});

describe("F30: pages that all the time want 1.4 times what D1 takes", () => {
  test.each(OTHER_QUEUES)(
    "wait evenly, none starves, and D1 does nothing twice: %s",
    { timeout: TIMEOUT_MS },
    async (queue) => {
      expect(await overload(PageCounter, 200, queue)).toEqual([]);
    },
  );
});

test("F30: a full D1 is asked six to twelve times an hour, loses nothing, and heals by itself or when somebody looks", {
  timeout: TIMEOUT_MS,
}, async () => {
  expect(await full(PageCounter, 20, 48)).toEqual([]);
});
