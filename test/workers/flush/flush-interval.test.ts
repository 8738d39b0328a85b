/** FLUSH_SECONDS and QUIET_FLUSH_SECONDS in an object: events reach D1 with any value of the settings. */
import { expect, test, vi } from "vitest";
import {
  FLUSH_SECONDS_DEFAULT,
  FLUSH_SECONDS_MAX,
  FLUSH_SECONDS_MIN,
  flushIntervalMs,
  quietIntervalMs,
} from "../../../objects/flush/flush-interval.ts";

test("F26: an object with an invalid FLUSH_SECONDS flushes all the same, and logs one line", () => {
  const lines: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line) => void lines.push(line));
  for (const wrong of [undefined, "", "NaN", "0.999", "-5", "1e3", "3601", "60s"]) {
    expect([wrong, flushIntervalMs(wrong)]).toEqual([wrong, FLUSH_SECONDS_DEFAULT * 1_000]);
  }
  expect(lines).toEqual([
    '{"event":"flush_seconds_refused","setting":"FLUSH_SECONDS","used_s":60}',
  ]);
});

test("a quiet page waits for QUIET_FLUSH_SECONDS, and never less than any other", () => {
  expect(quietIntervalMs("1800", 60_000)).toBe(1_800_000);
  expect(quietIntervalMs("1", 60_000)).toBe(60_000);
});

test("F26: an object takes FLUSH_SECONDS from 1 to 3,600", () => {
  expect(flushIntervalMs(String(FLUSH_SECONDS_MIN))).toBe(1_000);
  expect(flushIntervalMs(String(FLUSH_SECONDS_MAX))).toBe(3_600_000);
  expect(flushIntervalMs("2.5")).toBe(2_500);
});
