/** The windows of a shard's senders: the same as in a Map, in a small part of its memory. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { keyAt, SENDER_BYTES, viewOf } from "../../../objects/limiter/packed-admissions.ts";
import { expired, type SlidingWindow } from "../../../objects/limiter/sliding-window.ts";
import { WindowTable } from "../../../objects/limiter/window-table.ts";

const WINDOW_MS = 60_000;
const NOW = 1_700_000_000_000;
/** Of a table that is as empty as it gets. */
const BYTES_MIN = new WindowTable().bytes;

/** Keys that begin their search at few places, the last one among them, and differ in one part each. */
function keyOf(sender: number): string {
  const parts = Uint32Array.of(sender & 3, sender & 4 ? 2 ** 32 - 1 : 0, (sender >> 3) & 3, 0);
  return keyAt(viewOf(new Uint8Array(parts.buffer)), 0);
}

/** As evenly spread as keyed hashes. */
function randomKeys(count: number): string[] {
  const bytes = new Uint8Array(SENDER_BYTES);
  return Array.from({ length: count }, () => keyAt(viewOf(crypto.getRandomValues(bytes)), 0));
}

const sender = fc.nat({ max: 31 });
const time = fc.integer({ min: NOW - 2 * WINDOW_MS, max: NOW + WINDOW_MS });
const step = fc.oneof(
  fc.record({ sender, window: fc.array(time, { maxLength: 3 }) }),
  fc.record({ now: time }),
);

/** A window that is dropped while the sender's first admission is still live. */
const FORGOTTEN_FIRST = [{ sender: 0, window: [NOW] }, { sender: 0, window: [] }, { now: NOW }];

test("windows are found, replaced and dropped as in a map", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const table = new WindowTable();
      const map = new Map<string, SlidingWindow>();
      for (const step of steps) {
        if ("now" in step) {
          table.dropExpired(step.now, WINDOW_MS);
          for (const [key, window] of map) {
            if (expired(window, step.now, WINDOW_MS)) map.delete(key);
          }
        } else {
          table.set(keyOf(step.sender), step.window);
          map.set(keyOf(step.sender), step.window);
        }
        for (let n = 0; n <= 31; n += 1) expect(table.get(keyOf(n))).toEqual(map.get(keyOf(n)));
      }
    }),
    { examples: [[FORGOTTEN_FIRST]] },
  );
});

test("a sender that comes once takes 70 bytes at most, until it is dropped", () => {
  const senders = 100_000;
  const table = new WindowTable();
  const keys = randomKeys(senders);
  for (const [i, key] of keys.entries()) table.set(key, [NOW + i]);
  expect(table.bytes).toBeLessThanOrEqual(70 * senders);
  // Half of them are over.
  table.dropExpired(NOW + senders / 2 - 1 + WINDOW_MS, WINDOW_MS);
  expect(table.bytes).toBeLessThanOrEqual(35 * (senders / 2) + BYTES_MIN);
  expect(keys.map((key) => table.get(key)?.length ?? 0)).toEqual(
    keys.map((_, i) => (i < senders / 2 ? 0 : 1)),
  );
  table.dropExpired(NOW + senders + WINDOW_MS, WINDOW_MS);
  expect(table.bytes).toBe(BYTES_MIN);
});

test("senders that come again leave no places behind", () => {
  const table = new WindowTable();
  for (let round = 0; round < 100; round += 1) {
    for (let n = 0; n <= 31; n += 1) {
      table.set(keyOf(n), [NOW + round]);
      table.set(keyOf(n), [NOW + round, NOW + round + 1]);
    }
  }
  expect(table.bytes).toBeLessThanOrEqual(70 * 32 + BYTES_MIN);
});
