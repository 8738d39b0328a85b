/**
 * An outbox on a disk that loses power: its owner is ended before and after each commit and each call of a target, and
 * each call is lost or loses its answer, once and twice in a run (docs/faults.md F32). The tests of its owners do not
 * repeat this.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Alarm } from "../../../objects/platform/alarm.ts";
import { Outbox, type OutboxTable, retryColumns } from "../../../objects/platform/outbox.ts";
import type { Storage } from "../../../objects/platform/ports.ts";
import type { RetrySchedule } from "../../../objects/platform/retries.ts";
import { hasTables, migrate } from "../../../objects/platform/schema.ts";
import { atEachStep, type Fault, Machine, type Outside, Power } from "../machine.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SCHEDULE: RetrySchedule = { pauses_ms: [2_000], growth: 2, longest_ms: MINUTE_MS };
const TABLE: OutboxTable = { name: "letters", id: "id", target: "house", body: "letter" };
const STEPS = [
  [
    "CREATE TABLE letters (id TEXT PRIMARY KEY, house TEXT NOT NULL, letter TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE written (id TEXT PRIMARY KEY) WITHOUT ROWID",
  ],
  retryColumns(TABLE),
];

interface Letter {
  text: string;
}

/** The least that an owner does: the row and the alarm in one step, a delivery at once, and one by the alarm. */
class Owner {
  readonly outbox: Outbox<Letter>;
  readonly #world: World;
  readonly #storage: Storage;
  readonly #alarm: Alarm;

  constructor(world: World, storage: Storage, outside: Outside) {
    this.#world = world;
    this.#storage = storage;
    this.#alarm = new Alarm(storage);
    this.outbox = new Outbox<Letter>(
      { storage, clock: world.clock, random: () => 0 },
      {
        table: TABLE,
        schedule: SCHEDULE,
        exists: () => hasTables(storage),
        send: (house, rows) =>
          outside(() =>
            world.receive(
              house,
              rows.map(({ id }) => String(id)),
            ),
          ),
        failed: (error) => world.failures.push(error),
      },
    );
    if (hasTables(storage)) world.judge(storage);
  }

  async ready(): Promise<void> {
    await this.#alarm.load();
  }

  /** The fact and its row; resolves when both are on disk. */
  async write(id: string, house: string): Promise<void> {
    const now = this.#world.now_ms;
    this.#storage.transactionSync(() => {
      migrate(this.#storage, STEPS);
      this.#storage.sql.exec("INSERT INTO written (id) VALUES (?1) ON CONFLICT DO NOTHING", id);
      this.outbox.add({ id, body: { text: id } }, house, now);
    });
    this.#alarm.armBy(now + SECOND_MS, now);
    // Not only then: a letter may not arrive before it is on disk.
    void this.outbox.deliver();
    await this.#storage.sync();
  }

  async onAlarm(): Promise<void> {
    this.#alarm.fired();
    await this.outbox.deliver();
    const now = this.#world.now_ms;
    const due_at = this.outbox.dueAt ?? Number.POSITIVE_INFINITY;
    this.#alarm.armBy(Math.max(due_at, now + SECOND_MS), now);
  }
}

class World extends Power {
  readonly arrivals: { house: string; ids: string[]; at: number }[] = [];
  readonly failures: unknown[] = [];
  /** Houses that take nothing. */
  closed = new Set<string>();
  /** Letters that were gone from the disk when an owner woke: their houses have them, for ever. */
  readonly #settled = new Set<string>();
  readonly machine = new Machine(this, (storage, outside) => new Owner(this, storage, outside));

  receive(house: string, ids: string[]): void {
    for (const id of ids) {
      if (this.#settled.has(id)) throw new Error(`${id} comes again after its row was deleted`);
    }
    if (this.closed.has(house)) throw new Error("the house is closed");
    this.arrivals.push({ house, ids, at: this.now_ms });
  }

  /** What a kill has left. */
  judge(storage: Storage): void {
    const ids = (table: string) =>
      storage.sql
        .exec<{ id: string }>(`SELECT id FROM ${table}`)
        .toArray()
        .map(({ id }) => id);
    const waiting = ids("letters");
    if (waiting.length > 0 && !this.machine.hasAlarm) throw new Error("rows wait without an alarm");
    for (const id of ids("written")) {
      if (waiting.includes(id)) continue;
      if (!this.received().includes(id)) throw new Error(`${id} is lost`);
      this.#settled.add(id);
    }
  }

  received(): string[] {
    return this.arrivals.flatMap(({ ids }) => ids);
  }

  write(id: string, house = "a"): Promise<unknown> {
    return this.machine.call((owner) => owner.write(id, house));
  }

  rows(columns = "id"): Record<string, unknown>[] {
    return this.machine
      .rows(`SELECT ${columns} FROM letters ORDER BY id`)
      .map((row) => ({ ...row }));
  }
}

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

/** Two letters to a house that opens late, and one to another. */
async function run(fault: Fault, fault_at: readonly number[]): Promise<World> {
  const world = new World(fault_at, fault);
  world.closed.add("a");
  const acknowledged: string[] = [];
  for (const [id, house] of [
    ["1", "a"],
    ["2", "b"],
    ["3", "a"],
  ] as const) {
    if ((await world.write(id, house)) !== "crashed") acknowledged.push(id);
  }
  await world.machine.pass(3 * SECOND_MS);
  world.closed.clear();
  await world.machine.pass(3 * MINUTE_MS);
  // The last fault may come now.
  await world.machine.awake();
  if (!world.machine.disk.contents().includes("letters")) return world;
  expect(world.rows()).toEqual([]);
  expect(new Set(world.received())).toEqual(
    new Set(world.machine.rows("SELECT id FROM written").map(({ id }) => id)),
  );
  expect(world.received()).toEqual(expect.arrayContaining(acknowledged));
  const failures = world.failures.map(String).filter((text) => /lost|again after/.test(text));
  expect(failures).toEqual([]);
  return world;
}

test.for<Fault>(["end", "error"])(
  "an %s at any step: what was stored arrives, and once its row is deleted never again",
  { timeout: 120_000 },
  async (fault) => {
    expect(await atEachStep((fault_at) => run(fault, fault_at), 1)).toBeGreaterThan(15);
  },
);

describe("a target that fails", () => {
  beforeEach(() => world.closed.add("a"));

  test("holds up no other", async () => {
    await world.write("1", "a");
    await world.write("2", "b");
    await world.machine.pass(0);
    expect(world.received()).toEqual(["2"]);
  });

  test("and never answers holds up no other, and is asked again after ten seconds", async () => {
    const receive = world.receive.bind(world);
    world.receive = (house, ids) =>
      house === "a" ? (new Promise(() => {}) as never) : receive(house, ids);
    await world.write("1", "a");
    await world.write("2", "b");
    await world.machine.pass(0);
    expect(world.received()).toEqual(["2"]);
    expect(await world.endsInTime(world.machine.pass(SECOND_MS))).toBe(true);
    expect(new Set(world.waits)).toEqual(new Set([10_000]));
    expect(world.rows("id, tries")).toEqual([{ id: "1", tries: 1 }]);
  });

  test("is asked after the others, so that ten that never answer hold up no other for a second time", async () => {
    const receive = world.receive.bind(world);
    const hung: string[] = [];
    world.receive = (house, ids) => {
      if (house === "z") return receive(house, ids);
      hung.push(house);
      return new Promise(() => {}) as never;
    };
    for (let n = 0; n < 10; n += 1) await world.write(`${n}`, `h${n}`);
    await world.machine.pass(0);
    expect(hung).toHaveLength(6);
    expect(await world.endsInTime(world.machine.pass(SECOND_MS))).toBe(true);
    expect(new Set(hung).size).toBe(10);
    world.now_ms += MINUTE_MS;
    await world.write("new", "z");
    await world.idle();
    expect(world.received()).toEqual(["new"]);
  });

  test("waits longer each time, whatever is added meanwhile, and has its alarm", async () => {
    const tries: number[] = [];
    world.receive = () => {
      tries.push(world.now_ms);
      throw new Error("closed");
    };
    // Each before the one that waits, by its id.
    for (let n = 999; n >= 900; n -= 1) {
      await world.write(String(n));
      await world.machine.pass(SECOND_MS);
      expect(world.machine.disk.alarm).not.toBeNull();
    }
    const pauses = tries.slice(1).map((at, i) => Math.round((at - (tries[i] ?? 0)) / SECOND_MS));
    expect(pauses).toEqual([2, 4, 8, 16, 32]);
    const [first] = world.rows("due, tries");
    expect(first?.tries).toBe(6);
    expect(first?.due).toBeGreaterThan(world.now_ms);
  });

  test("gets a long queue in its order, in batches, and a failure costs one row", async () => {
    const ids = Array.from({ length: 2_500 }, (_, n) => String(n).padStart(4, "0"));
    const { outbox } = await world.machine.awake();
    await world.write("0000");
    const { promise, resolve } = Promise.withResolvers<void>();
    world.receive = () => promise as never;
    world.closed.clear();
    await world.machine.pass(0);
    await world.machine.call(() => {
      for (const id of ids) outbox.add({ id, body: { text: id } }, "a", world.now_ms);
    });
    world.receive = World.prototype.receive;
    resolve();
    await world.machine.pass(MINUTE_MS);
    expect(world.received().slice(-2_499)).toEqual(ids.slice(1));
    expect(Math.max(...world.arrivals.map((each) => each.ids.length))).toBe(100);
    expect(outbox.dueAt).toBeNull();
  });

  test("waits no longer than its schedule when the clock was set back", async () => {
    await world.write("1");
    await world.machine.pass(5 * SECOND_MS);
    world.now_ms -= 30 * 24 * HOUR_MS;
    world.closed.clear();
    const { outbox } = await world.machine.awake();
    expect(outbox.dueAt).toBe(world.now_ms);
    await outbox.deliver();
    expect(world.received()).toEqual(["1"]);
  });
});

test("a letter that is due later waits, and its queue with it", async () => {
  await world.write("1");
  await world.machine.pass(0);
  const { outbox } = await world.machine.awake();
  const due_at = world.now_ms + 30 * SECOND_MS;
  outbox.add({ id: "2", body: { text: "2" } }, "a", due_at);
  outbox.add({ id: "3", body: { text: "3" } }, "a", world.now_ms);
  expect(outbox.dueAt).toBe(due_at);
  await outbox.deliver();
  expect(world.received()).toEqual(["1"]);
  world.now_ms = due_at;
  await outbox.deliver();
  expect(world.arrivals.at(-1)?.ids).toEqual(["2", "3"]);
});

test("an owner that ends during a call leaves nothing", async () => {
  world.receive = () => {
    void world.machine.call(async (owner) => owner.outbox);
  };
  await world.write("1");
  const { outbox } = await world.machine.awake();
  const storage = world.machine.disk.open(
    () => true,
    () => false,
  );
  world.receive = () => void storage.deleteAll();
  await world.machine.pass(MINUTE_MS);
  await outbox.deliver();
  expect(world.machine.disk.contents()).toEqual([]);
  expect(world.failures).toEqual([]);
});
