/**
 * The journal of a limiter object: what it costs, and that a window read back from it is the window
 * that was in memory. The object around it is in `limits.test.ts` and `limiter-oracle.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, ENTRY_BYTES, SENDER_BYTES } from "../../../objects/limiter/packed-admissions.ts";
import { ScopeChange, ScopeWindows } from "../../../objects/limiter/scope-windows.ts";
import type { Kv } from "../../../objects/platform/ports.ts";
import { Transaction } from "../../../objects/platform/transaction.ts";

const WINDOW_MS = 60_000;
const PREFIX = "journal/public/60000/";
const START_MS = 1_700_000_000_000;
const LIMIT = 3;
/** What fits into a row. */
const ROW_ENTRIES = 170;

/** The storage of an object, and how many rows it was billed. */
class Rows implements Kv {
  readonly rows = new Map<string, Uint8Array>();
  billed = 0;

  get<T>(key: string): T | undefined {
    return this.rows.get(key) as T | undefined;
  }

  put<T>(key: string, value: T): void {
    this.billed += 1;
    this.rows.set(key, (value as Uint8Array).slice());
  }

  delete(key: string): void {
    this.billed += 1;
    this.rows.delete(key);
  }

  list<T>(): Iterable<[string, T]> {
    return this.rows as Map<string, T>;
  }
}

function inTransaction(work: (tx: Transaction) => void): void {
  Transaction.run(
    { storage: { transactionSync: <T>(run: () => T) => run() } as never, abort: () => {} },
    work,
  );
}

/** One scope of a limiter object that is called, swept and evicted. */
class Limiter {
  readonly kv = new Rows();
  #windows = new ScopeWindows(PREFIX, WINDOW_MS);

  /** One group commit; answers as `checkAll`. */
  ask(senders: readonly number[], now: number, limit = LIMIT): number[] {
    const change = new ScopeChange();
    const answer = this.#windows.decide(packed(senders), limit, now, change);
    if (change.windows.size > 0) {
      inTransaction((tx) => this.#windows.save(tx, this.kv, change, now));
    }
    return [...answer];
  }

  sweep(now: number): void {
    inTransaction((tx) => this.#windows.drop(tx, this.kv, now));
  }

  evict(): void {
    this.#windows = new ScopeWindows(PREFIX, WINDOW_MS);
    const numbers = [...this.kv.rows.keys()].map((key) => Number(key.slice(PREFIX.length)));
    for (const number of numbers.sort((a, b) => a - b)) {
      this.#windows.loadRow(number, this.kv.rows.get(PREFIX + number) ?? new Uint8Array());
    }
  }
}

function packed(senders: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(SENDER_BYTES * senders.length);
  senders.forEach((sender, i) => {
    bytes.set(bytesOf(sender.toString(16).padStart(32, "0")), SENDER_BYTES * i);
  });
  return bytes;
}

interface Group {
  after_ms: number;
  senders: number[];
  evict: boolean;
  sweep: boolean;
}

/** Groups of up to six requests of five senders, each some time after the one before. */
const groups = (after_ms: fc.Arbitrary<number>): fc.Arbitrary<Group[]> =>
  fc.array(
    fc.record({
      after_ms,
      senders: fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }),
      evict: fc.boolean(),
      sweep: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  );

/** Sends the same to two limiters, one of which is evicted now and then. */
function expectSame(sent: readonly Group[], { sweeps }: { sweeps: boolean }): void {
  const [awake, evicted] = [new Limiter(), new Limiter()];
  let now = START_MS;
  for (const { after_ms, senders, evict, sweep } of sent) {
    now += after_ms;
    if (evict) evicted.evict();
    if (sweeps && sweep) for (const limiter of [awake, evicted]) limiter.sweep(now);
    expect(evicted.ask(senders, now)).toEqual(awake.ask(senders, now));
  }
}

describe("a window read back from the journal", () => {
  test("F10: decides as the window in memory, while rows are swept", () => {
    const after_ms = fc.oneof(fc.nat(500), fc.nat(40_000), fc.constantFrom(0, 59_999, 60_000));
    fc.assert(fc.property(groups(after_ms), (sent) => expectSame(sent, { sweeps: true })));
  });

  test("F14: decides as the window in memory after steps back of the clock", () => {
    // Shorter than a window in all, because a step back may bring back what is over in memory.
    const after_ms = fc.oneof(fc.nat(1_000), fc.integer({ min: -30_000, max: 0 }));
    fc.assert(fc.property(groups(after_ms), (sent) => expectSame(sent, { sweeps: false })));
  });

  test("F14: remembers that a refusal moved it", () => {
    const limiter = new Limiter();
    for (let i = 0; i < LIMIT; i += 1) limiter.ask([1], START_MS + 30_000);
    expect(limiter.ask([1], START_MS)).toEqual([-1, WINDOW_MS]);
    limiter.evict();
    expect(limiter.ask([1], START_MS + 20_000)).toEqual([-1, WINDOW_MS - 20_000]);
  });

  test.each([
    ["a sweep", (limiter: Limiter, now: number) => limiter.sweep(now)],
    ["another group", (limiter: Limiter, now: number) => limiter.ask([2], now)],
  ])("F14: keeps what moved it through %s, as long as it is there itself", (_, step) => {
    const limiter = new Limiter();
    for (let i = 0; i < LIMIT; i += 1) limiter.ask([1], START_MS + 30_000);
    // Fills the row.
    limiter.ask(
      Array.from({ length: ROW_ENTRIES - LIMIT }, (_, i) => 100 + i),
      START_MS + 30_000,
    );
    limiter.ask([1, 3], START_MS);
    step(limiter, START_MS + WINDOW_MS);
    limiter.evict();
    expect(limiter.ask([1], START_MS + WINDOW_MS)).toEqual([LIMIT - 1, WINDOW_MS]);
  });

  test("loses nothing of rows that were filled, nor of a group larger than a row", () => {
    const limiter = new Limiter();
    const all = Array.from({ length: 2 * ROW_ENTRIES + 1 }, (_, i) => i);
    limiter.ask(all, START_MS, 1);
    limiter.ask([1_000], START_MS, 1);
    for (let i = 0; i < 200; i += 1) limiter.ask([2_000 + i], START_MS + i, 1);
    limiter.evict();
    for (const sender of [...all, 1_000, 2_000, 2_199]) {
      expect(limiter.ask([sender], START_MS + 200, 1)[0]).toBe(-1);
    }
  });
});

describe("rows of the journal", () => {
  test("are one for each group, and none for refusals", () => {
    const limiter = new Limiter();
    limiter.ask([1, 2, 3, 4, 5, 6], START_MS);
    limiter.ask([1, 2, 3], START_MS + 1);
    limiter.ask([1], START_MS + 2);
    expect(limiter.kv.billed).toBe(3);
    limiter.ask([1, 1], START_MS + 3);
    expect(limiter.kv.billed).toBe(3);
  });

  test("are deleted once for 170 admissions, and not before they are over", () => {
    const limiter = new Limiter();
    const { kv } = limiter;
    const groups = (2 * ROW_ENTRIES) / 10;
    for (let i = 0; i < groups; i += 1) {
      limiter.ask(
        Array.from({ length: 10 }, (_, sender) => 100 * i + sender),
        START_MS + i,
      );
    }
    expect(kv.billed).toBe(groups);
    expect([...kv.rows.values()].map(({ length }) => length / ENTRY_BYTES)).toEqual([
      ROW_ENTRIES,
      ROW_ENTRIES,
    ]);
    limiter.sweep(START_MS + WINDOW_MS + groups / 2 - 2);
    expect(kv.rows.size).toBe(2);
    limiter.sweep(START_MS + WINDOW_MS + groups / 2 - 1);
    expect([...kv.rows.keys()]).toEqual([`${PREFIX}1`]);
    expect(kv.billed).toBe(groups + 1);
    limiter.sweep(START_MS + WINDOW_MS + groups - 1);
    expect(kv.rows.size).toBe(0);
  });

  test("do not grow while a few senders come for hours", () => {
    const limiter = new Limiter();
    for (let i = 0; i < 1_000; i += 1) limiter.ask([i % 3], START_MS + i * 10_000);
    const [[key, row] = ["", new Uint8Array()], ...others] = limiter.kv.rows;
    expect(key).toBe(`${PREFIX}0`);
    expect(row.length / ENTRY_BYTES).toBe(WINDOW_MS / 10_000);
    expect(others).toEqual([]);
  });
});
