/** The pauses before what failed is tried again. */
import { expect, test } from "vitest";
import { pauseAfter, type RetrySchedule } from "../../../objects/platform/retries.ts";

const SCHEDULE: RetrySchedule = { pauses_ms: [5, 10], growth: 3, longest_ms: 200, jitter: 0.5 };

test("a pause is as listed, then grows up to the longest", () => {
  expect([1, 2, 3, 4, 5, 1_000].map((failures) => pauseAfter(SCHEDULE, failures))).toEqual([
    ...[5, 10, 30, 90, 200, 200],
  ]);
});

test("a pause without growth stays as long as the last that is listed", () => {
  const { growth: _, ...listed } = SCHEDULE;
  expect([1, 2, 3, 1_000].map((failures) => pauseAfter(listed, failures))).toEqual([5, 10, 10, 10]);
});

test("a pause is shortened at random, by its part at most, and is never nothing", () => {
  expect(pauseAfter(SCHEDULE, 5, 0.5)).toBe(150);
  expect(pauseAfter(SCHEDULE, 5, 0.999)).toBe(101);
  expect(pauseAfter({ ...SCHEDULE, jitter: 1 }, 1, 0.999)).toBe(1);
});
