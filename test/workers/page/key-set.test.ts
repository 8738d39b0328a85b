import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeyFilter } from "../../../objects/keys/key-filter.ts";
import { hexOf, type Key, KeyList, keyOf, notZero } from "../../../objects/keys/key-list.ts";
import { KeyRun } from "../../../objects/keys/key-run.ts";
import { KeySet } from "../../../objects/keys/key-set.ts";
import { KeyTable } from "../../../objects/keys/key-table.ts";
import { REMEMBER_MS, RecentIds } from "../../../objects/page/tables/recent-ids.ts";
import type { Storage } from "../../../objects/platform/ports.ts";
import { Transaction } from "../../../objects/platform/transaction.ts";
import { hex } from "../../../src/http/bytes.ts";
import { generator } from "../../random.ts";
import { cases } from "../kit/cases.ts";

const CHOSEN = 50_000;

const half = fc.integer();
const key = fc.record({ high: half, low: half });

/** The n-th key of a long series, distributed like hashes. */
function nthKey(n: number): Key {
  return { high: n, low: Math.imul(n + 1, 0x9e3779b1) };
}

/** The same for equal keys; one with a last half of 0 is taken for another one. */
function nameOf({ high, low }: Key): string {
  return `${high}/${notZero(low)}`;
}

/** As older code wrote rows: in the order in which the keys came. */
function packUnsorted(keys: readonly Key[]): ArrayBuffer {
  return new Int32Array(keys.flatMap(({ high, low }) => [high, notZero(low)])).buffer;
}

function pack(keys: readonly Key[]): ArrayBuffer {
  return KeyRun.of([new Int32Array(packUnsorted(keys))]).keys.buffer;
}

/** Keys that somebody might choose so that they collide, made of random ones and their number. */
const CHOSEN_KEYS: [string, (digits: string, n: number) => string][] = [
  ["the same first byte", (k) => `ab${k.slice(2)}`],
  ["the same first 32 bits", (k) => `abcdef01${k.slice(8)}`],
  ["the same last 32 bits", (k) => `${k.slice(0, 8)}abcdef01`],
  ["numbers that follow each other", (_, n) => (n + 1).toString(16).padStart(16, "0")],
  ["their last 16 bits free only", (_, n) => n.toString(16).padEnd(16, "0")],
  ["all but one at one end", (k, n) => (n === 0 ? "f".repeat(16) : `${k.slice(0, 8)}00000001`)],
];

function chosenKeys(chosen: (digits: string, n: number) => string): Key[] {
  const random = generator(27);
  const number = () => Math.floor(random() * 2 ** 32) | 0;
  const digits = Array.from({ length: CHOSEN }, (_, n) =>
    chosen(hexOf({ high: number(), low: number() }), n),
  );
  return [...new Set(digits)].map(keyOf);
}

describe("a key list", () => {
  test("has the keys in the order in which they came, and in digits what was in digits", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 8, maxLength: 8 })), (added) => {
        const digits = added.map(hex).map((k) => k.replace(/0{8}$/, "00000001"));
        const list = new KeyList();
        for (const { high, low } of digits.map(keyOf)) list.push(high, low);
        expect(list.length).toBe(digits.length);
        expect(digits.map((_, i) => hexOf({ high: list.high(i), low: list.low(i) }))).toEqual(
          digits,
        );
        list.clear();
        expect([list.length, list.halves().length]).toEqual([0, 0]);
      }),
    );
  });
});

describe("a run of keys", () => {
  test("is sorted as numbers, lowest byte first, from parts in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.array(key, { maxLength: 40 })), (parts) => {
        const { keys } = KeyRun.of(parts.map((part) => new Int32Array(packUnsorted(part))));
        const numbers = [...new BigUint64Array(packUnsorted(parts.flat()))];
        const sorted = numbers.sort((a, b) => (a < b ? -1 : Number(a > b)));
        expect([...new BigUint64Array(keys.buffer)]).toEqual(sorted);
      }),
    );
  });

  test("keeps the bytes of each key, so that stored rows stay readable", () => {
    const packed = new Uint8Array(pack(["0123456789abcdef", "fedcba9800000000"].map(keyOf)));
    expect(packed).toEqual(
      new Uint8Array([
        ...[0xfe, 0xdc, 0xba, 0x98, 0, 0, 0, 1],
        ...[0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef],
      ]),
    );
  });

  test("uses a sorted row as it is, and sorts one of older code", () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => nthKey(n));
    const [sorted, unsorted] = [pack(keys), packUnsorted(keys)];
    expect(KeyRun.ofRow(sorted).keys.buffer).toBe(sorted);
    expect(KeyRun.ofRow(unsorted).keys).toEqual(new Int32Array(sorted));
  });

  test("finds each of its keys and no other, few or many", () => {
    for (const size of [0, 1, 2, 31, 33, 100, 1_000, 70_000]) {
      const run = KeyRun.ofRow(pack(Array.from({ length: size }, (_, n) => nthKey(n))));
      const found = (from: number) => {
        let n = 0;
        for (let i = from; i < from + size; i += 1) {
          n += Number(run.has(nthKey(i).high, nthKey(i).low));
        }
        return n;
      };
      expect([found(0), found(size)]).toEqual([size, 0]);
    }
  });
});

describe("a table of keys", () => {
  const stepsOf = (keys: readonly Key[]) => {
    const table = new KeyTable();
    for (const { high, low } of keys) table.add(high, low);
    expect(table.size).toBe(keys.length);
    return table.steps;
  };
  const usual = stepsOf(chosenKeys((digits) => digits));

  // If all keys shared a slot of the table, they would take 1,250 million steps instead of half a million.
  test.each(CHOSEN_KEYS)(
    "F27: has keys with %s as spread out as random ones, and a run finds them in n log n",
    (_, chosen) => {
      const keys = chosenKeys(chosen);
      expect(stepsOf(keys)).toBeLessThan(3 * usual);
      const run = KeyRun.ofRow(packUnsorted(keys));
      let found = 0;
      for (const { high, low } of keys) {
        found += Number(run.has(high, low)) + Number(run.has(high ^ 1, low ^ 0x5555));
      }
      expect(found).toBeGreaterThanOrEqual(keys.length);
    },
    20_000,
  );
});

describe("a filter of keys", () => {
  test("seems to have at most 3 % of the keys that it does not have, and has all its own", () => {
    const filter = new KeyFilter(CHOSEN);
    const keys = Array.from({ length: CHOSEN }, (_, n) => nthKey(n));
    for (let from = 0; from < CHOSEN; from += 100) {
      filter.add(new Int32Array(packUnsorted(keys.slice(from, from + 100))));
    }
    expect(filter.room).toBe(0);
    expect(keys.every(({ high, low }) => filter.mayHave(high, low))).toBe(true);
    const others = chosenKeys((digits) => digits);
    const seeming = others.filter(({ high, low }) => filter.mayHave(high, low));
    expect(seeming.length).toBeLessThan(0.03 * CHOSEN);
  });
});

describe("a key set", () => {
  test("behaves like a Set of strings, also after packing", () => {
    fc.assert(
      fc.property(fc.array(key), fc.array(key), (added, asked) => {
        const mine = new KeySet();
        const reference = new Set<string>();
        for (const k of added) {
          expect(mine.add(k.high, k.low)).toBe(!reference.has(nameOf(k)));
          reference.add(nameOf(k));
        }
        expect(mine.size).toBe(reference.size);
        const unpacked = new KeySet();
        unpacked.addPacked(pack(added));
        const older = new KeySet();
        older.addPacked(packUnsorted(added));
        for (const k of [...added, ...asked]) {
          for (const set of [mine, unpacked, older]) {
            expect(set.has(k.high, k.low)).toBe(reference.has(nameOf(k)));
          }
        }
      }),
    );
  });

  test("does so too if rows and single keys alternate", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(400)), { maxLength: 60 }), (steps) => {
        const set = new KeySet();
        let n = 0;
        for (const [packed, count] of steps) {
          const keys = Array.from({ length: count }, () => nthKey(n++));
          if (packed) set.addPacked(pack(keys));
          else for (const { high, low } of keys) expect(set.add(high, low)).toBe(true);
          expect(keys.every(({ high, low }) => !set.add(high, low))).toBe(true);
        }
        expect(set.size).toBe(n);
        for (let i = 0; i < n; i += 1) expect(set.has(nthKey(i).high, nthKey(i).low)).toBe(true);
        expect(set.has(nthKey(n).high, nthKey(n).low)).toBe(false);
      }),
    );
  });
});

/** Memory is changed at once, as after a commit. */
function checkpoint(ids: RecentIds, now: number) {
  const storage = { transactionSync: <T>(work: () => T) => work() };
  const ports = { storage: storage as Storage, abort: (reason: string) => expect.fail(reason) };
  return Transaction.run(ports, (tx) => ids.checkpoint(tx, now));
}

describe("recent ids", () => {
  const minute_ms = 60_000;

  function fill(ids: RecentIds, from: number, to: number) {
    for (let n = from; n < to; n += 1) ids.add(nthKey(n).high, nthKey(n).low);
  }

  function countKnown(ids: RecentIds, from: number, to: number): number {
    let known = 0;
    for (let n = from; n < to; n += 1) known += Number(ids.has(nthKey(n).high, nthKey(n).low));
    return known;
  }

  test("of a page with 1,000 events a second fit into 64 MB, at the fullest moment of its day", () => {
    const ids = new RecentIds();
    // The memory grows with their number: a fifth of them shows it.
    const full = 60_000;
    const per_minute = cases(full);
    let n = 0;
    let most = 0;
    // Ten minutes longer than keys are kept: then the oldest ten minutes are dropped.
    for (let at_ms = 0; at_ms < REMEMBER_MS + 10 * minute_ms; at_ms += minute_ms) {
      fill(ids, n, n + per_minute);
      n += per_minute;
      expect(countKnown(ids, n, n + 5_000)).toBe(0);
      most = Math.max(most, ids.bytes);
      ids.forget(at_ms);
      checkpoint(ids, at_ms);
      most = Math.max(most, ids.bytes);
    }
    expect(n).toBe(75 * per_minute);
    expect(ids.size).toBeGreaterThanOrEqual(65 * per_minute);
    expect((full / per_minute) * most).toBeLessThan(64 * 1_024 * 1_024);
    expect(countKnown(ids, n - ids.size, n - ids.size + 10_000)).toBe(10_000);
    expect(countKnown(ids, n - 10_000, n + 10_000)).toBe(10_000);
  });

  test("are known in the journal, in rows and in rows that a checkpoint has continued", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(1_000), fc.nat(20 * minute_ms)), { minLength: 1, maxLength: 12 }),
        (checkpoints) => {
          const ids = new RecentIds();
          const rows: { at_ms: number; keys: ArrayBuffer }[] = [];
          let now = 0;
          let n = 0;
          for (const [added, later_ms] of checkpoints) {
            now += later_ms;
            fill(ids, n, n + added);
            n += added;
            expect(countKnown(ids, 0, n + 100)).toBe(n);
            if (added === 0) continue;
            for (const { keys, at_ms, continues } of checkpoint(ids, now)) {
              if (continues) rows.pop();
              rows.push({ at_ms, keys });
            }
            expect(countKnown(ids, 0, n + 100)).toBe(n);
            const woken = new RecentIds();
            for (const { at_ms, keys } of rows) woken.addPacked(keys, at_ms);
            expect(countKnown(woken, 0, n + 100)).toBe(n);
            expect(woken.size).toBe(n);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test("of a minute continue the row of the minute before, for ten minutes and 1.5 MB", () => {
    const ids = new RecentIds();
    const continued: boolean[] = [];
    for (let minute = 0; minute < 12; minute += 1) {
      ids.add(minute, 1);
      continued.push(...checkpoint(ids, minute * minute_ms).map(({ continues }) => continues));
    }
    expect(continued.flatMap((continues, minute) => (continues ? [] : [minute]))).toEqual([0, 10]);
    fill(ids, 0, 500_000);
    const rows = checkpoint(ids, 12 * minute_ms);
    expect(rows.map(({ continues }) => continues)).toEqual([false, false, false]);
    expect(Math.max(...rows.map(({ keys }) => keys.byteLength))).toBe(1.5 * 1_024 * 1_024);
  });

  test("are dropped by rows, never within their hour", () => {
    const ids = new RecentIds();
    ids.add(1, 2);
    checkpoint(ids, 0);
    ids.add(3, 4);
    checkpoint(ids, 9 * minute_ms);
    ids.add(5, 6);
    checkpoint(ids, 10 * minute_ms);
    const known = () => [ids.has(1, 2), ids.has(3, 4), ids.has(5, 6)];
    ids.forget(9 * minute_ms + REMEMBER_MS - 1);
    expect(known()).toEqual([true, true, true]);
    ids.forget(9 * minute_ms + REMEMBER_MS);
    expect(known()).toEqual([false, false, true]);
    ids.forget(10 * minute_ms + REMEMBER_MS);
    expect(known()).toEqual([false, false, false]);
    expect(ids.size).toBe(0);
  });

  test("F14: stay for their hour in a row that is continued after the clock was set back", () => {
    const ids = new RecentIds();
    ids.add(1, 2);
    checkpoint(ids, 9 * minute_ms);
    ids.add(3, 4);
    const [row] = checkpoint(ids, 1 * minute_ms);
    expect(row).toMatchObject({ at_ms: 9 * minute_ms, continues: true });
  });
});
