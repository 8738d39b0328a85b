import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeySet, pack } from "../../objects/tables/key-set.ts";
import { REMEMBER_MS, RecentIds } from "../../objects/tables/recent-ids.ts";
import { randomKey } from "../../src/counting/event-key.ts";

const CHOSEN = 40_000;

const key = fc
  .tuple(fc.nat(0xffffffff), fc.nat(0xffffffff))
  .map(([high, low]) => high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0"));

/** The n-th key of a long series, distributed like hashes. */
function nthKey(n: number): string {
  const high = Math.imul(n + 1, 0x9e3779b1) >>> 0;
  return high.toString(16).padStart(8, "0") + n.toString(16).padStart(8, "0");
}

describe("a key set", () => {
  test("behaves like a Set of strings, also after packing", () => {
    fc.assert(
      fc.property(fc.array(key), fc.array(key), (added, asked) => {
        const mine = new KeySet();
        // Keys that differ only in a lower half of 0 or 1 are one key, because a free slot reads as 0.
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

  test("does so too if rows and single keys alternate", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(400)), { maxLength: 60 }), (steps) => {
        const set = new KeySet();
        const reference = new Set<string>();
        let n = 0;
        for (const [packed, count] of steps) {
          const keys = Array.from({ length: count }, () => nthKey(n++));
          if (packed) set.addPacked(pack(keys));
          else for (const k of keys) expect(set.add(k)).toBe(true);
          for (const k of keys) reference.add(k);
          expect(keys.every((k) => !set.add(k))).toBe(true);
        }
        expect(set.size).toBe(reference.size);
        for (const k of reference) expect(set.has(k)).toBe(true);
        expect(set.has(nthKey(n))).toBe(false);
      }),
    );
  });

  test("packs keys in the order of their digits, so that stored rows stay readable", () => {
    const packed = new Uint8Array(pack(["0123456789abcdef", "fedcba9800000000"]));
    expect(packed).toEqual(
      new Uint8Array([
        ...[0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef],
        ...[0xfe, 0xdc, 0xba, 0x98, 0, 0, 0, 1],
      ]),
    );
  });

  // If many shared a slot, 40,000 keys would take 800 million steps instead of 400,000.
  test.each([
    ["the same first byte", (k: string) => `ab${k.slice(2)}`],
    ["the same first 32 bits", (k: string) => `abcdef01${k.slice(8)}`],
    ["the same last 32 bits", (k: string) => `${k.slice(0, 8)}abcdef01`],
    [
      "numbers that follow each other",
      (_: string, n: number) => (n + 1).toString(16).padStart(16, "0"),
    ],
    ["their last 16 bits free only", (_: string, n: number) => n.toString(16).padEnd(16, "0")],
  ])("F27: 40,000 keys with %s are as spread out as random ones", (_, chosen) => {
    const random = Array.from({ length: CHOSEN }, () => randomKey());
    const same = [...new Set(random.map((k, n) => chosen(k, n)))];
    const [usual, longest] = [random, same].map((keys) => {
      const loaded = new KeySet();
      loaded.addPacked(pack(keys));
      const added = new KeySet();
      for (const k of keys) added.add(k);
      expect([loaded.size, added.size]).toEqual([keys.length, keys.length]);
      return Math.max(loaded.steps, added.steps);
    });
    expect(longest).toBeLessThan(3 * (usual ?? 0));
  });
});

describe("recent ids", () => {
  test("of a page with 1,000 events a second fit into 64 MB, at the fullest moment of its day", () => {
    const ids = new RecentIds();
    const minute_ms = 60_000;
    const per_minute = 60_000;
    let n = 0;
    let most = 0;
    // Ten minutes longer than keys are kept: then the oldest ten minutes are dropped at once.
    for (let at_ms = 0; at_ms < REMEMBER_MS + 10 * minute_ms; at_ms += minute_ms) {
      ids.forget(at_ms);
      for (let i = 0; i < per_minute; i += 1) ids.add(nthKey(n++), at_ms);
      most = Math.max(most, ids.bytes);
    }
    expect(ids.size).toBe(n);
    expect(n).toBe(4_500_000);
    expect(most).toBeLessThan(64 * 1_024 * 1_024);
    expect(ids.has(nthKey(0))).toBe(true);
    expect(ids.has(nthKey(n))).toBe(false);
  }, 60_000);

  test("are dropped by generations, never within their hour", () => {
    const ids = new RecentIds();
    ids.add(nthKey(1), 0);
    ids.forget(REMEMBER_MS);
    expect(ids.has(nthKey(1))).toBe(true);
    ids.forget(REMEMBER_MS + 11 * 60_000);
    expect(ids.has(nthKey(1))).toBe(false);
    expect(ids.size).toBe(0);
  });
});
