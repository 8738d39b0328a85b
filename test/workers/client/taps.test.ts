/** Which activations of a link are one tap (F33, docs/contract.md section 2). */
import { expect, test } from "vitest";
import { makeTaps, SAME_TAP_MS } from "../../../src/client/taps.ts";

function counter() {
  let made = 0;
  return () => `tap-${++made}`;
}

test("a second activation of a link within a second is the same tap, and one a second later is another", () => {
  const taps = makeTaps<string>(counter());
  const first = taps.idOf("shop", 5_000);
  expect(taps.idOf("shop", 5_000 + SAME_TAP_MS - 1)).toBe(first);
  const second = taps.idOf("shop", 5_000 + SAME_TAP_MS);
  expect(second).not.toBe(first);
  // The second is counted from the first: a person who taps on and on makes a click a second.
  expect(taps.idOf("shop", 5_000 + SAME_TAP_MS + 1)).toBe(second);
});

test("each link has taps of its own", () => {
  const taps = makeTaps<string>(counter());
  const shop = taps.idOf("shop", 0);
  expect(taps.idOf("video", 1)).not.toBe(shop);
  expect(taps.idOf("shop", 2)).toBe(shop);
});

test("after a return each activation is a new tap, however soon it comes", () => {
  const taps = makeTaps<string>(counter());
  const before = taps.idOf("shop", 0);
  taps.forget();
  expect(taps.idOf("shop", 1)).not.toBe(before);
});
