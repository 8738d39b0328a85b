import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  admit,
  expired,
  type SlidingWindow,
  WINDOW_MS,
} from "../../../objects/limiter/sliding-window.ts";

/** The admitted times of these arrivals. */
function admitted(arrivals: readonly number[], limit: number): number[] {
  const times: number[] = [];
  let window: SlidingWindow = [];
  for (const now of arrivals) {
    const decision = admit(window, limit, now);
    window = decision.window;
    if (decision.verdict.admitted) times.push(now);
  }
  return times;
}

const HOUR_MS = 3_600_000;

/** Times of requests near the edges of a window of this length. */
const arrivalsAt = (window_ms: number) =>
  fc
    .array(
      fc.oneof(
        fc.nat(50),
        fc.nat(Math.ceil(window_ms / 12)),
        fc.constantFrom(0, window_ms - 1, window_ms),
      ),
      { maxLength: 400 },
    )
    .map((gaps) => {
      let now = 1_000_000;
      return gaps.map((gap) => {
        now += gap;
        return now;
      });
    });

describe.each([WINDOW_MS, HOUR_MS, 1])("the sliding window of %i ms", (window_ms) => {
  const arrivals = arrivalsAt(window_ms);

  test("admits a request if and only if fewer than N were admitted within its length", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 60 }), (times, limit) => {
        const history: number[] = [];
        let window: SlidingWindow = [];
        for (const now of times) {
          const recent = history.filter((at) => now - at < window_ms).length;
          const { verdict, window: after } = admit(window, limit, now, window_ms);
          expect(verdict.admitted).toBe(recent < limit);
          expect(verdict.remaining).toBe(limit - recent - (verdict.admitted ? 1 : 0));
          window = after;
          if (verdict.admitted) history.push(now);
        }
      }),
    );
  });

  test("is empty when its newest time is as old as its length", () => {
    const { window } = admit([5], 2, 5, window_ms);
    expect(window).toEqual([5, 5]);
    expect(expired(window, 5 + window_ms - 1, window_ms)).toBe(false);
    expect(expired(window, 5 + window_ms, window_ms)).toBe(true);
    expect(expired([], 0, window_ms)).toBe(true);
  });

  test("F14: through any steps of the clock, a refusal's Retry-After is true from then on", () => {
    const far_ms = Math.ceil(1.5 * window_ms);
    const gap = fc.oneof(
      fc.nat(Math.ceil(window_ms / 12)),
      fc.integer({ min: -far_ms, max: far_ms }),
    );
    fc.assert(
      fc.property(
        fc.array(gap, { maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        (gaps, limit) => {
          let now = 1_000_000_000;
          let window: SlidingWindow = [];
          const admitsAt = (at: number) => admit(window, limit, at, window_ms).verdict.admitted;
          for (const step of gaps) {
            now += step;
            const { verdict, window: after } = admit(window, limit, now, window_ms);
            window = after;
            expect(verdict.reset_ms).toBeLessThanOrEqual(window_ms);
            if (verdict.admitted) continue;
            expect(admitsAt(now + verdict.reset_ms - 1)).toBe(false);
            expect(admitsAt(now + verdict.reset_ms)).toBe(true);
          }
        },
      ),
    );
  });
});

describe("the sliding window", () => {
  test("is 60 s long where no length is given", () => {
    expect(admit([1_000], 1, 1_000 + WINDOW_MS - 1).verdict.admitted).toBe(false);
    expect(admit([1_000], 1, 1_000 + WINDOW_MS).verdict.admitted).toBe(true);
    expect(expired([1_000], 1_000 + WINDOW_MS - 1)).toBe(false);
    expect(expired([1_000], 1_000 + WINDOW_MS)).toBe(true);
  });

  test("keeps nothing of a refused request", () => {
    let window: SlidingWindow = [];
    for (let i = 0; i < 10; i += 1) window = admit(window, 10, 1_000).window;
    expect(admit(window, 10, 2_000).window).toBe(window);
  });

  test("F14: after the clock steps back, neither a second burst nor a longer wait", () => {
    const burst = Array.from({ length: 60 }, () => 100_000);
    expect(admitted([...burst, 70_000], 60)).toHaveLength(60);
    const full = burst.reduce<SlidingWindow>((window, at) => admit(window, 60, at).window, []);
    const { verdict } = admit(full, 60, 70_000);
    expect(verdict).toMatchObject({ admitted: false, reset_ms: WINDOW_MS });
  });
});
