import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admit, expired, WINDOW_MS, type Window } from "../../objects/sliding-window.ts";

/** Runs arrivals through a window and gives the times that were admitted. */
function admitted(arrivals: readonly number[], limit: number): number[] {
  const times: number[] = [];
  let window: Window = [];
  for (const now of arrivals) {
    const decision = admit(window, limit, now);
    window = decision.window;
    if (decision.verdict.admitted) times.push(now);
  }
  return times;
}

const arrivals = fc
  .array(fc.oneof(fc.nat(50), fc.nat(5_000), fc.constant(WINDOW_MS), fc.constant(0)), {
    maxLength: 400,
  })
  .map((gaps) => {
    let now = 1_000_000;
    return gaps.map((gap) => {
      now += gap;
      return now;
    });
  });

describe("the sliding window", () => {
  test("admits a request if and only if fewer than N were admitted in the last 60 s", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 60 }), (times, limit) => {
        const history: number[] = [];
        let window: Window = [];
        for (const now of times) {
          const recent = history.filter((at) => now - at < WINDOW_MS).length;
          const { verdict, window: after } = admit(window, limit, now);
          expect(verdict.admitted).toBe(recent < limit);
          expect(verdict.remaining).toBe(limit - recent - (verdict.admitted ? 1 : 0));
          window = after;
          if (verdict.admitted) history.push(now);
        }
      }),
    );
  });

  test("tells a refused request the exact moment from which it is admitted", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (times, limit) => {
        let window: Window = [];
        for (const now of times) {
          const { verdict, window: after } = admit(window, limit, now);
          window = after;
          if (verdict.admitted) continue;
          expect(admit(window, limit, now + verdict.reset_ms - 1).verdict.admitted).toBe(false);
          expect(admit(window, limit, now + verdict.reset_ms).verdict.admitted).toBe(true);
        }
      }),
    );
  });

  test("keeps nothing of a refused request", () => {
    let window: Window = [];
    for (let i = 0; i < 10; i += 1) window = admit(window, 10, 1_000).window;
    expect(admit(window, 10, 2_000).window).toBe(window);
  });

  test("holds at most N times, and none once the newest is 60 s old", () => {
    const { window } = admit(
      Array.from({ length: 60 }, (_, i) => i),
      60,
      WINDOW_MS + 10,
    );
    expect(window.length).toBeLessThanOrEqual(60);
    expect(expired(window, 2 * WINDOW_MS + 9)).toBe(false);
    expect(expired(window, 2 * WINDOW_MS + 10)).toBe(true);
    expect(expired([], 0)).toBe(true);
  });

  test("F14: whatever steps the clock makes, what a refusal promises is true from then on", () => {
    const gap = fc.oneof(fc.nat(5_000), fc.integer({ min: -90_000, max: 90_000 }));
    fc.assert(
      fc.property(
        fc.array(gap, { maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        (gaps, limit) => {
          let now = 10_000_000;
          let window: Window = [];
          for (const step of gaps) {
            now += step;
            const { verdict, window: after } = admit(window, limit, now);
            window = after;
            expect(verdict.reset_ms).toBeLessThanOrEqual(WINDOW_MS);
            if (verdict.admitted) continue;
            expect(admit(after, limit, now + verdict.reset_ms - 1).verdict.admitted).toBe(false);
            expect(admit(after, limit, now + verdict.reset_ms).verdict.admitted).toBe(true);
          }
        },
      ),
    );
  });

  test("F14: after the clock steps back, neither a second burst nor a longer wait", () => {
    const burst = Array.from({ length: 60 }, () => 100_000);
    expect(admitted([...burst, 70_000], 60)).toHaveLength(60);
    const full = burst.reduce<Window>((window, at) => admit(window, 60, at).window, []);
    const { verdict } = admit(full, 60, 70_000);
    expect(verdict).toMatchObject({ admitted: false, reset_ms: WINDOW_MS });
  });

  test("F14: the clock forward 30 s ages the window by 30 s and no more", () => {
    const burst = Array.from({ length: 60 }, () => 100_000);
    expect(admitted([...burst, 130_000, 159_999, 160_000], 60)).toHaveLength(61);
  });
});
