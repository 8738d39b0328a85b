/** The simulator's random delays of calls and lost answers. */
import { describe, expect, test } from "vitest";
import { generator } from "../random.ts";
import { drawDelay, drawLoss } from "./distance.ts";

const DRAWS = 20_000;
const usual = { percent: 100, drop_per_1000: 2, seed: 1 };

describe("the distance", () => {
  test("a call to an object takes 5 to 80 ms, and two of a hundred up to 500", () => {
    const random = generator(1);
    const delays = Array.from({ length: DRAWS }, () => drawDelay("object", usual, random));
    const tail = delays.filter((ms) => ms > 80);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...delays)).toBeLessThanOrEqual(500);
    expect(tail.length / DRAWS).toBeCloseTo(0.02, 2);
    expect(Math.max(...tail)).toBeGreaterThan(400);
  });

  test("0 percent is no delay, 200 percent is double", () => {
    const delay = (percent: number) => drawDelay("d1", { ...usual, percent }, generator(7));
    expect(delay(0)).toBe(0);
    expect(delay(200)).toBeCloseTo(2 * delay(100));
  });

  test("two of a thousand answers get lost, most of them with an error", () => {
    const random = generator(1);
    const losses = Array.from({ length: DRAWS }, () => drawLoss(usual, random));
    const lost = losses.filter((loss) => loss !== "none");
    const silent = lost.filter((loss) => loss === "silence");
    expect(lost.length / DRAWS).toBeCloseTo(0.002, 3);
    expect(silent.length).toBeGreaterThan(0);
    expect(silent.length).toBeLessThan(lost.length / 2);
    expect(drawLoss({ ...usual, drop_per_1000: 0 }, () => 0)).toBe("none");
  });
});
