/**
 * The exact quota of one user in their limiter object, on a disk that loses power: at most `limit`
 * units in any 24 hours, whatever dies, and no unit lost for longer than a minute.
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { QUOTA_MS, RESERVATION_MS } from "../../../objects/limiter/reservations.ts";
import { SenderWindows } from "../../../objects/limiter/sender-windows.ts";
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import { AI_WINDOW_S } from "../../../src/blocks/ai/limits.ts";
import { Machine, Power, START_MS } from "../machine.ts";

const LIMIT = 3;

/** A limiter object on its disk, and what it answers. */
class Limiter extends Power {
  readonly machine = new Machine(
    this,
    (storage) =>
      new SenderWindows({
        storage,
        clock: this.clock,
        random: () => 0.5,
        abort: (reason) => {
          throw new Error(reason);
        },
      }),
  );

  async call<T>(work: (windows: SenderWindows) => T | Promise<T>): Promise<T> {
    const answer = await this.machine.call(work);
    if (answer === "crashed") throw new Error("no answer");
    return answer as T;
  }

  alarm(): Promise<void> {
    return this.call(async (windows) => {
      windows.onAlarm();
      await this.machine.disk.sync();
    });
  }

  reserve(id: string, limit = LIMIT) {
    return this.call(({ reservations }) => reservations.reserve({ id, limit }));
  }

  settle(id: string, limit = LIMIT) {
    return this.call(({ reservations }) => reservations.settle({ id, limit }));
  }

  giveBack(id: string, limit = LIMIT) {
    return this.call(({ reservations }) => reservations.giveBack({ id, limit }));
  }

  /** Power is lost while a unit is being reserved. */
  async endWhileReserving(id: string): Promise<unknown> {
    const answer = this.machine.call(({ reservations }) =>
      reservations.reserve({ id, limit: LIMIT }),
    );
    await new Promise((go) => setImmediate(go));
    this.machine.crash();
    return answer;
  }

  /** Reserves and settles units, one after the other. */
  async use(...ids: string[]): Promise<void> {
    for (const id of ids) {
      await this.reserve(id);
      await this.settle(id);
    }
  }
}

let object: Limiter;
beforeEach(() => {
  object = new Limiter();
});
afterEach(() => object.close());

test("the quota's window is the one that the interface names", () => {
  expect(QUOTA_MS).toBe(AI_WINDOW_S * 1_000);
});

describe("a quota of 3 units in 24 hours", () => {
  test("admits three and refuses the fourth, until the first is 24 hours old", async () => {
    const left = [];
    for (const id of ["a", "b", "c"]) {
      left.push((await object.reserve(id)).remaining);
      await object.settle(id);
      object.now_ms += 1_000;
    }
    expect(left).toEqual([2, 1, 0]);
    const refused = await object.reserve("d");
    expect(refused).toEqual({ admitted: false, remaining: 0, reset_ms: QUOTA_MS - 3_000 });
    object.now_ms += refused.reset_ms - 1;
    expect((await object.reserve("d")).admitted).toBe(false);
    object.now_ms += 1;
    expect(await object.reserve("d")).toMatchObject({ admitted: true, remaining: 0 });
    expect((await object.reserve("e")).admitted).toBe(false);
  });

  test("admits three of fifty at once", async () => {
    const ids = Array.from({ length: 50 }, (_, i) => `u${i}`);
    const verdicts = await Promise.all(ids.map((id) => object.reserve(id)));
    expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(3);
  });

  test("names no time at which a request could be refused again, whatever becomes of the others", async () => {
    for (const id of ["a", "b", "c"]) await object.reserve(id);
    const refused = await object.reserve("d");
    expect(refused.reset_ms).toBe(QUOTA_MS);
    for (const id of ["a", "b", "c"]) await object.settle(id);
    object.now_ms += refused.reset_ms;
    expect((await object.reserve("d")).admitted).toBe(true);
  });

  test("follows the plan: fewer units wait for more of them to end, more are free at once", async () => {
    for (const id of ["a", "b", "c"]) {
      await object.use(id);
      object.now_ms += 1_000;
    }
    expect(await object.reserve("d", 1)).toEqual({
      admitted: false,
      remaining: 0,
      reset_ms: QUOTA_MS - 1_000,
    });
    expect(await object.reserve("d", 5)).toMatchObject({ admitted: true, remaining: 1 });
  });

  test("of which two are for an hour names the time when neither window refuses any more", async () => {
    const ask = (id: string) =>
      object.call(({ reservations }) => reservations.reserve({ id, limit: LIMIT, per_hour: 2 }));
    const use = async (id: string) => {
      expect((await ask(id)).admitted).toBe(true);
      await object.settle(id);
      object.now_ms += 1_000;
    };
    await use("a");
    await use("b");
    expect(await ask("c")).toEqual({ admitted: false, remaining: 0, reset_ms: HOUR_MS - 2_000 });
    object.now_ms += HOUR_MS - 2_001;
    expect((await ask("c")).admitted).toBe(false);
    object.now_ms += 1;
    await use("c");
    // The hour has room a second later, the day 23 hours later.
    expect((await ask("d")).reset_ms).toBe(QUOTA_MS - HOUR_MS - 1_000);
    object.now_ms += QUOTA_MS - HOUR_MS - 1_000;
    await use("d");
    await use("e");
    // Of a day with room for one more, the hour is full.
    expect((await ask("f")).reset_ms).toBe(HOUR_MS - 2_000);
    expect(await object.reserve("f", 4)).toMatchObject({ admitted: true });
  });

  test("does not wait out a step back of the clock, and admits no second burst after it", async () => {
    await object.use("a", "b", "c");
    object.now_ms -= 10 * QUOTA_MS;
    expect(await object.reserve("d")).toEqual({
      admitted: false,
      remaining: 0,
      reset_ms: QUOTA_MS,
    });
    object.machine.crash();
    object.now_ms += QUOTA_MS - 1;
    expect((await object.reserve("d")).admitted).toBe(false);
    object.now_ms += 1;
    expect((await object.reserve("d")).admitted).toBe(true);
  });
});

test("a SIGKILL before the disk has a reservation answers nobody and uses no unit", async () => {
  expect(await object.endWhileReserving("a")).toBe("crashed");
  expect(await object.reserve("b")).toMatchObject({ remaining: 2 });
});

describe("the object", () => {
  test("forgets everything a day after its last unit, by its alarm", async () => {
    await object.use("a");
    object.now_ms += 1_000;
    await object.reserve("b");
    expect(object.machine.disk.alarm).toBe(START_MS + QUOTA_MS);
    object.now_ms = START_MS + QUOTA_MS;
    object.machine.crash();
    await object.alarm();
    expect(object.machine.disk.contents()).toEqual([]);
  });

  test("keeps windows and units apart: neither is read as the other, or deleted with it", async () => {
    const check = { sender: "0".repeat(32), scope: "public", limit: 2, window_ms: 2 * QUOTA_MS };
    await object.call((windows) => windows.check(check));
    await object.use("a", "b");
    object.machine.crash();
    object.now_ms += QUOTA_MS - 1;
    await object.alarm();
    expect((await object.reserve("c")).remaining).toBe(0);
    await object.giveBack("c");
    object.now_ms += 1;
    await object.alarm();
    object.machine.crash();
    expect(object.machine.disk.contents()).toEqual([`journal/public/${2 * QUOTA_MS}/0`, "alarm"]);
    expect(await object.call((windows) => windows.check(check))).toMatchObject({ remaining: 0 });
    expect(await object.reserve("d")).toMatchObject({ remaining: 2 });
    object.now_ms += 2 * QUOTA_MS;
    await object.alarm();
    expect(object.machine.disk.contents()).toEqual([]);
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
      object.close();
      object = new Limiter();
      const units = new Map<string, Unit>();
      const live = ({ at, settled }: Unit) =>
        object.now_ms - at < (settled ? QUOTA_MS : RESERVATION_MS);
      const used = () => [...units.values()].filter(live).length;
      for (const next of steps) {
        if (next.do === "wait") {
          object.now_ms += next.ms;
          continue;
        }
        const id = `u${next.id}`;
        const unit = units.get(id);
        const is_live = unit !== undefined && live(unit);
        if (next.do === "kill") object.machine.crash();
        if (next.do === "killBeforeCommit") await object.endWhileReserving(id);
        if (next.do === "alarm") await object.alarm();
        if (next.do === "reserve") {
          const admitted = is_live || used() < LIMIT;
          if (admitted && !is_live) units.set(id, { at: object.now_ms, settled: false });
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
