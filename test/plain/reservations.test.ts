/**
 * The exact quota of one user in their limiter object, on a disk that loses power: at most `limit`
 * units in any 24 hours, whatever dies, and no unit lost for longer than a minute.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUOTA_MS, RESERVATION_MS } from "../../objects/limiter/reservations.ts";
import { SenderWindows } from "../../objects/limiter/sender-windows.ts";
import { AI_WINDOW_S } from "../../src/http/limits.ts";
import { Disk } from "../model/disk.ts";

const START_MS = Date.UTC(2026, 0, 15, 12);
const LIMIT = 3;

/** A limiter object whose commits come when the test says so, and which may die before and after. */
class Limiter {
  now = START_MS;
  #commits: (() => void)[] = [];
  readonly disk = new Disk({
    commitDelay: () => 0,
    after: (_, run) => this.#commits.push(run),
    writeFails: () => false,
    broken: () => {},
    committed: () => {},
  });
  #incarnation = 0;
  #windows = this.#open();

  #open(): SenderWindows {
    this.#incarnation += 1;
    const mine = this.#incarnation;
    return new SenderWindows({
      storage: this.disk.open(
        () => mine === this.#incarnation,
        () => false,
      ),
      clock: { now: () => this.now, after: () => () => {} },
      random: () => 0.5,
      abort: (reason) => {
        throw new Error(reason);
      },
    });
  }

  get units() {
    return this.#windows.reservations;
  }

  get windows() {
    return this.#windows;
  }

  /** Lets what was called run until it waits for the disk. */
  async turn(): Promise<void> {
    for (let i = 0; i < 20; i += 1) await null;
  }

  /** Commits what was written, and lets the answers leave. */
  async commit(): Promise<void> {
    await this.turn();
    for (const commit of this.#commits.splice(0)) commit();
    await this.turn();
  }

  /** SIGKILL: what was not committed is gone, and so is everything in memory. */
  async kill(): Promise<void> {
    this.#commits = [];
    this.disk.crash();
    this.#windows = this.#open();
    await this.#windows.ready();
  }

  async answered<T>(call: Promise<T>): Promise<T> {
    let answer: { value: T } | undefined;
    void call.then((value) => {
      answer = { value };
    });
    await this.commit();
    await this.commit();
    if (answer === undefined) throw new Error("no answer");
    return answer.value;
  }

  reserve(id: string, limit = LIMIT) {
    return this.answered(this.units.reserve({ id, limit }));
  }

  settle(id: string, limit = LIMIT) {
    return this.answered(this.units.settle({ id, limit }));
  }

  giveBack(id: string, limit = LIMIT) {
    return this.answered(this.units.giveBack({ id, limit }));
  }

  /** Reserves and settles units, one after the other. */
  async use(...ids: string[]): Promise<void> {
    for (const id of ids) {
      await this.reserve(id);
      await this.settle(id);
    }
  }
}

test("the quota's window is the one that the interface names", () => {
  expect(QUOTA_MS).toBe(AI_WINDOW_S * 1_000);
});

describe("a quota of 3 units in 24 hours", () => {
  test("admits three and refuses the fourth, until the first is 24 hours old", async () => {
    const object = new Limiter();
    const left = [];
    for (const id of ["a", "b", "c"]) {
      left.push((await object.reserve(id)).remaining);
      await object.settle(id);
      object.now += 1_000;
    }
    expect(left).toEqual([2, 1, 0]);
    const refused = await object.reserve("d");
    expect(refused).toEqual({ admitted: false, remaining: 0, reset_ms: QUOTA_MS - 3_000 });
    object.now += refused.reset_ms - 1;
    expect((await object.reserve("d")).admitted).toBe(false);
    object.now += 1;
    expect(await object.reserve("d")).toMatchObject({ admitted: true, remaining: 0 });
    expect((await object.reserve("e")).admitted).toBe(false);
  });

  test("admits three of fifty at once", async () => {
    const object = new Limiter();
    const ids = Array.from({ length: 50 }, (_, i) => `u${i}`);
    const verdicts = await object.answered(
      Promise.all(ids.map((id) => object.units.reserve({ id, limit: LIMIT }))),
    );
    expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(3);
  });

  test("names no time at which a request could be refused again, whatever becomes of the others", async () => {
    const object = new Limiter();
    for (const id of ["a", "b", "c"]) await object.reserve(id);
    const refused = await object.reserve("d");
    expect(refused.reset_ms).toBe(QUOTA_MS);
    for (const id of ["a", "b", "c"]) await object.settle(id);
    object.now += refused.reset_ms;
    expect((await object.reserve("d")).admitted).toBe(true);
  });

  test("follows the plan: fewer units wait for more of them to end, more are free at once", async () => {
    const object = new Limiter();
    for (const id of ["a", "b", "c"]) {
      await object.use(id);
      object.now += 1_000;
    }
    expect(await object.reserve("d", 1)).toEqual({
      admitted: false,
      remaining: 0,
      reset_ms: QUOTA_MS - 1_000,
    });
    expect(await object.reserve("d", 5)).toMatchObject({ admitted: true, remaining: 1 });
  });

  test("does not wait out a step back of the clock, and admits no second burst after it", async () => {
    const object = new Limiter();
    await object.use("a", "b", "c");
    object.now -= 10 * QUOTA_MS;
    expect(await object.reserve("d")).toEqual({
      admitted: false,
      remaining: 0,
      reset_ms: QUOTA_MS,
    });
    await object.kill();
    object.now += QUOTA_MS - 1;
    expect((await object.reserve("d")).admitted).toBe(false);
    object.now += 1;
    expect((await object.reserve("d")).admitted).toBe(true);
  });
});

describe("a SIGKILL", () => {
  test("before the disk has a reservation answers nobody and uses no unit", async () => {
    const object = new Limiter();
    let answered = false;
    void object.units.reserve({ id: "a", limit: LIMIT }).then(() => {
      answered = true;
    });
    await object.turn();
    expect(object.disk.dirty).toBe(true);
    await object.kill();
    expect(answered).toBe(false);
    expect(await object.reserve("b")).toMatchObject({ remaining: 2 });
  });
});

describe("the object", () => {
  test("forgets everything a day after its last unit, by its alarm", async () => {
    const object = new Limiter();
    await object.use("a");
    object.now += 1_000;
    await object.reserve("b");
    expect(object.disk.alarm).toBe(START_MS + QUOTA_MS);
    object.now = START_MS + QUOTA_MS;
    await object.kill();
    object.windows.onAlarm();
    await object.commit();
    expect(object.disk.contents()).toEqual([]);
  });

  test("keeps windows and units apart: neither is read as the other, or deleted with it", async () => {
    const object = new Limiter();
    const check = { sender: "0".repeat(32), scope: "public", limit: 2, window_ms: 2 * QUOTA_MS };
    await object.answered(object.windows.check(check));
    await object.use("a", "b");
    await object.kill();
    object.now += QUOTA_MS - 1;
    object.windows.onAlarm();
    await object.commit();
    expect((await object.reserve("c")).remaining).toBe(0);
    await object.giveBack("c");
    object.now += 1;
    object.windows.onAlarm();
    await object.commit();
    await object.kill();
    expect(object.disk.contents()).toEqual([`journal/public/${2 * QUOTA_MS}/0`, "alarm"]);
    expect(await object.answered(object.windows.check(check))).toMatchObject({ remaining: 0 });
    expect(await object.reserve("d")).toMatchObject({ remaining: 2 });
    object.now += 2 * QUOTA_MS;
    object.windows.onAlarm();
    await object.commit();
    expect(object.disk.contents()).toEqual([]);
  });
});

/** What a unit is, by the words of the contract. */
interface Unit {
  at: number;
  settled: boolean;
}
type Step =
  | { do: "reserve" | "settle" | "giveBack"; id: number }
  | { do: "kill" | "killBeforeCommit" | "alarm"; id: number }
  | { do: "wait"; ms: number };

const calls = fc.record({
  do: fc.constantFrom("reserve" as const, "settle" as const, "giveBack" as const),
  id: fc.nat(4),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: calls },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("kill" as const, "killBeforeCommit" as const, "alarm" as const),
      id: fc.nat(4),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(
        1,
        RESERVATION_MS - 1,
        RESERVATION_MS,
        QUOTA_MS / 2,
        QUOTA_MS - 1,
        QUOTA_MS,
      ),
    }),
  },
);

test("in any order of calls, kills, alarms and waits, the units are those of the contract", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const object = new Limiter();
      const units = new Map<string, Unit>();
      const live = ({ at, settled }: Unit) =>
        object.now - at < (settled ? QUOTA_MS : RESERVATION_MS);
      const used = () => [...units.values()].filter(live).length;
      for (const next of steps) {
        if (next.do === "wait") {
          object.now += next.ms;
          continue;
        }
        const id = `u${next.id}`;
        const unit = units.get(id);
        const is_live = unit !== undefined && live(unit);
        if (next.do === "kill") await object.kill();
        if (next.do === "killBeforeCommit") {
          void object.units.reserve({ id, limit: LIMIT });
          await object.turn();
          await object.kill();
        }
        if (next.do === "alarm") {
          object.windows.onAlarm();
          await object.commit();
        }
        if (next.do === "reserve") {
          const admitted = is_live || used() < LIMIT;
          if (admitted && !is_live) units.set(id, { at: object.now, settled: false });
          expect(await object.reserve(id)).toMatchObject({ admitted, remaining: LIMIT - used() });
        }
        if (next.do === "settle") {
          if (is_live) units.set(id, { ...unit, settled: true });
          expect(await object.settle(id)).toMatchObject({
            admitted: is_live,
            remaining: LIMIT - used(),
          });
        }
        if (next.do === "giveBack") {
          units.delete(id);
          expect(await object.giveBack(id)).toMatchObject({ remaining: LIMIT - used() });
        }
      }
    }),
    { numRuns: 300 },
  );
});
