/** Time-outs that share a timer fire in time: never too early, and at most two ticks too late. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../../../objects/platform/ports.ts";
import { RequestTimers, TICK_MS } from "../../../src/http/request-timers.ts";

/** A clock whose timers run when the test says. */
class Timers implements Clock {
  now_ms = 0;
  set = 0;
  readonly #due: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.now_ms;
  }

  after(ms: number, callback: () => void): () => void {
    this.set += 1;
    const timer = { at: this.now_ms + ms, callback };
    this.#due.push(timer);
    return () => {
      const index = this.#due.indexOf(timer);
      if (index !== -1) this.#due.splice(index, 1);
    };
  }

  run(until: number): void {
    for (;;) {
      this.#due.sort((a, b) => a.at - b.at);
      const next = this.#due[0];
      if (next === undefined || next.at > until) break;
      this.#due.shift();
      this.now_ms = next.at;
      next.callback();
    }
    this.now_ms = until;
  }
}

test("a time-out fires never too early and at most two ticks too late", () => {
  const wait = fc.record({ at: fc.nat(3_000), ms: fc.integer({ min: 1, max: 12_000 }) });
  fc.assert(
    fc.property(fc.array(wait, { maxLength: 8 }), (waits) => {
      const clock = new Timers();
      const timers = new RequestTimers(clock);
      const late: number[] = [];
      for (const { at, ms } of waits) {
        clock.after(at, () => {
          timers.after(ms, () => late.push(clock.now_ms - at - ms));
        });
      }
      clock.run(60_000);
      expect(late).toHaveLength(waits.length);
      expect(late.every((by_ms) => by_ms >= 0 && by_ms <= 2 * TICK_MS)).toBe(true);
    }),
  );
});

test("time-outs of a request that is answered in time take one timer together", () => {
  const clock = new Timers();
  const timers = new RequestTimers(clock);
  for (let i = 0; i < 5; i += 1) {
    timers.after(2_000, () => expect.unreachable())();
    clock.run(clock.now_ms + 10);
  }
  clock.run(10_000);
  expect(clock.set).toBe(1);
});
