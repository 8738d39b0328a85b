import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeySet, pack } from "../../objects/key-set.ts";
import { REMEMBER_MS, RecentIds } from "../../objects/recent-ids.ts";

const key = fc
  .tuple(fc.nat(0xffffffff), fc.nat(0xffffffff))
  .map(([high, low]) => high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0"));

/** The n-th of a long row of keys spread like hashes. */
function nthKey(n: number): string {
  const high = Math.imul(n + 1, 0x9e3779b1) >>> 0;
  return high.toString(16).padStart(8, "0") + n.toString(16).padStart(8, "0");
}

describe("a key set", () => {
  test("holds what a Set of strings would hold, packed and unpacked too", () => {
    fc.assert(
      fc.property(fc.array(key), fc.array(key), (added, asked) => {
        const mine = new KeySet();
        // Keys that differ in nothing but a lower half of 0 or 1 are one key: a free slot reads as 0.
        const normal = (k: string) => (k.endsWith("00000000") ? `${k.slice(0, 8)}00000001` : k);
        const reference = new Set<string>();
        for (const k of added) {
          expect(mine.add(k)).toBe(!reference.has(normal(k)));
          reference.add(normal(k));
        }
        expect(mine.size).toBe(reference.size);
        const unpacked = new KeySet();
        unpacked.addPacked(pack(added));
        for (const k of [...added, ...asked]) {
          expect(mine.has(k)).toBe(reference.has(normal(k)));
          expect(unpacked.has(k)).toBe(reference.has(normal(k)));
        }
      }),
    );
  });

  test("survives keys that all want the same place", () => {
    const keys = Array.from(
      { length: 500 },
      (_, i) => `ffffffff${i.toString(16).padStart(8, "0")}`,
    );
    const set = new KeySet();
    for (const k of keys) set.add(k);
    expect(keys.every((k) => set.has(k))).toBe(true);
    expect(set.has("ffffffff00ffffff")).toBe(false);
  });
});

describe("recent ids", () => {
  test("of a page with 1,000 events a second fit into 64 MB", () => {
    const ids = new RecentIds();
    const per_tick = 60_000;
    let n = 0;
    for (let at_ms = 0; at_ms <= REMEMBER_MS; at_ms += 60_000) {
      const keys = Array.from({ length: per_tick }, () => nthKey(n++));
      ids.addPacked(pack(keys), at_ms);
    }
    expect(ids.size).toBe(n);
    expect(n).toBeGreaterThanOrEqual(3_600_000);
    expect(ids.bytes).toBeLessThan(64 * 1_024 * 1_024);
    expect(ids.has(nthKey(0))).toBe(true);
    expect(ids.has(nthKey(n))).toBe(false);
  }, 30_000);

  test("are forgotten a generation at a time, never before their hour", () => {
    const ids = new RecentIds();
    ids.add(nthKey(1), 0);
    ids.forget(REMEMBER_MS);
    expect(ids.has(nthKey(1))).toBe(true);
    ids.forget(REMEMBER_MS + 11 * 60_000);
    expect(ids.has(nthKey(1))).toBe(false);
    expect(ids.size).toBe(0);
  });
});
