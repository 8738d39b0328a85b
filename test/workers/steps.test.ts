/** What the router measures by its clock, while that is set back (FAULTS F14). */
import { expect, test } from "vitest";
import { SECOND_MS } from "../../objects/clock.ts";
import { Admission } from "../../src/counting/admission.ts";
import { keepCounting } from "../../src/counting/keep-counting.ts";
import { KEEP_COUNTING_MS } from "../../src/limits.ts";

const CHECK = { sender: "s", scope: "public", limit: 1 };
const REFUSED = { admitted: false, remaining: 0, reset_ms: 60 * SECOND_MS };
const ADMITTED = { admitted: true, remaining: 0, reset_ms: 60 * SECOND_MS };

test("a refusal that is over is not brought back by a clock that is set back", async () => {
  let now = 0;
  const admission = new Admission({ now: () => now, after: () => () => {} });
  const ask = async () => (now < 60 * SECOND_MS ? REFUSED : ADMITTED);
  expect(await admission.decide(CHECK, ask)).toMatchObject({ admitted: false });
  expect(admission.recall(CHECK)).toMatchObject({ admitted: false });
  now = 61 * SECOND_MS;
  expect(await admission.decide(CHECK, ask)).toMatchObject({ admitted: true });
  now -= 30 * SECOND_MS;
  expect(admission.recall(CHECK)).toBeNull();
});

test("a click is tried again for 25 s, also by a clock that is set back, and fails with its last error", async () => {
  const timers: { at: number; run: () => void }[] = [];
  let elapsed = 0;
  const clock = {
    // It stands still, as if it were set back all the time.
    now: () => 0,
    after: (ms: number, run: () => void) => {
      const timer = { at: elapsed + ms, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  const count = () =>
    new Promise<never>((_, reject) => {
      clock.after(10 * SECOND_MS, () => reject(new Error("no answer of the page")));
    });
  let ended_at = -1;
  const counting = keepCounting(count, () => false, clock).catch((error) => {
    ended_at = elapsed;
    return error;
  });
  while (ended_at < 0) {
    timers.sort((a, b) => a.at - b.at);
    const next = timers.shift();
    elapsed = next?.at ?? Number.POSITIVE_INFINITY;
    next?.run();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  expect(ended_at).toBe(KEEP_COUNTING_MS);
  expect(await counting).toMatchObject({ message: "no answer of the page" });
});
