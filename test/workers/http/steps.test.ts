/** The router's waits and cached times while its clock is set back (docs/faults.md F14). */
import { expect, test } from "vitest";
import type { PageRow } from "../../../objects/page/page-row.ts";
import { HOUR_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { Clicks } from "../../../src/counting/clicks.ts";
import { COUNT_RETRY_MAX_MS, REDIRECT_BUDGET_MS } from "../../../src/counting/limits.ts";
import { limitedEvent, Recorder } from "../../../src/counting/recorder.ts";
import { retryCounting } from "../../../src/counting/retry-counting.ts";
import { Admission } from "../../../src/http/admission.ts";
import { ApiError } from "../../../src/http/api-error.ts";

const CHECK = { sender: "s", scope: "public", limit: 1 };
const REFUSED = { admitted: false, remaining: 0, reset_ms: 60 * SECOND_MS };
const ADMITTED = { admitted: true, remaining: 0, reset_ms: 60 * SECOND_MS };

test("a clock that is set back does not revive a refusal that is over", async () => {
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

/** Timers that run one after the other, with a clock that tests set. */
function steppingClock() {
  const timers: { at: number; run: () => void }[] = [];
  const clock = {
    says: 0,
    elapsed: 0,
    now: () => clock.says,
    after: (ms: number, run: () => void) => {
      const timer = { at: clock.elapsed + ms, run };
      timers.push(timer);
      return () => {
        const i = timers.indexOf(timer);
        if (i >= 0) timers.splice(i, 1);
      };
    },
  };
  /** Runs the timers until the promise settles; returns its value and the time that passed. */
  const settled = async <T>(promise: Promise<T>): Promise<{ value: T; took_ms: number }> => {
    let end: { value: T; took_ms: number } | undefined;
    const ended = promise.then((value) => {
      end = { value, took_ms: clock.elapsed };
    });
    for (;;) {
      // Lets the microtasks of the last timer run first.
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (end !== undefined) return end;
      timers.sort((a, b) => a.at - b.at);
      const next = timers.shift();
      if (next === undefined) await ended;
      clock.elapsed = next?.at ?? clock.elapsed;
      next?.run();
    }
  };
  return { clock, settled };
}

test("a click is tried again for 25 s, also by a clock that stands still, and fails with its last error", async () => {
  const { clock, settled } = steppingClock();
  const count = () =>
    new Promise<never>((_, reject) => {
      clock.after(10 * SECOND_MS, () => reject(new Error("no answer of the page")));
    });
  const { value, took_ms } = await settled(
    retryCounting(count, () => false, clock).catch((error) => error),
  );
  expect(took_ms).toBe(COUNT_RETRY_MAX_MS);
  expect(value).toMatchObject({ message: "no answer of the page" });
});

test.each([
  ["stands still", 0],
  ["is set back by an hour", -HOUR_MS],
  ["is set forward by an hour", HOUR_MS],
])(
  "a redirect waits for its count no longer than 300 ms, by a clock that %s",
  async (_, step_ms) => {
    const { clock, settled } = steppingClock();
    const row: PageRow = {
      status: "published",
      version: 1,
      locale: "en",
      time_zone: "UTC",
      card: null,
      links: JSON.stringify([["shop", "https://shop.example/", 1, null, null]]),
    };
    const all = async () => ({ results: [row] });
    const db = { prepare: () => ({ bind: () => ({ all }) }) };
    const clicks = new Clicks(
      clock,
      new Recorder(
        clock,
        () => "0".repeat(16),
        () => {},
      ),
    );
    const following = clicks.follow(
      {
        db: db as unknown as D1Database,
        limit: 60,
        charge: async () => {
          clock.says += step_ms;
          return { ...ADMITTED, refusals: 0 };
        },
        refusal: () => new ApiError("RATE_LIMITED"),
        counts: true,
        makeEvent: async () => limitedEvent({ key: "1".repeat(16), link_id: "shop" }),
        setLocale: () => {},
        // An object that never answers.
        record: () => new Promise(() => {}),
        recordLimited: async () => {},
        failed: () => {},
        waitUntil: () => {},
        shares: false,
      },
      { page_id: "page", link_id: "shop" },
    );
    const { value, took_ms } = await settled(following);
    expect(value).toEqual({ url: "https://shop.example/" });
    expect(took_ms).toBeLessThanOrEqual(REDIRECT_BUDGET_MS);
  },
);
