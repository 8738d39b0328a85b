/**
 * Tips on a disk that loses power: the object is ended before each commit, and before and after each
 * request to the hub and each call of a page, once and twice in a run. Afterwards the hub's books and the page
 * hold the same tips, as sets of ids.
 */
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Transfer } from "../../../objects/blocks/tips/hub-transfers.ts";
import type { TipAnswer, TipOrder } from "../../../objects/blocks/tips/tip.ts";
import { KEY_KEPT_MS } from "../../../objects/blocks/tips/tip-book.ts";
import { CLOSE_AFTER_MS, Tips } from "../../../objects/blocks/tips/tips.ts";
import type { Storage } from "../../../objects/platform/ports.ts";
import { atEachStep, Machine, type Outside, Power } from "../machine.ts";

const MINUTE_MS = 60_000;

const ORDER: TipOrder = {
  key: "key",
  hash: "hash",
  page_id: "page",
  owner_id: "owner",
  link_id: "jar",
  points: 5,
  message: "",
  from_id: "tipper",
  from_name: "Mara",
  class: "human",
  origin: null,
};

/** How the hub behaves: `late` takes a request only after its answer was given up. */
type Mood = "well" | "poor" | "signed out" | "loses answers" | "down" | "late" | "late, then poor";
const MOODS: readonly Mood[] = [
  "well",
  "poor",
  "signed out",
  "loses answers",
  "down",
  "late",
  "late, then poor",
];

/** Requests that fail before the hub recovers. */
const FAILURES = 2;

/** The hub and the page, which survive the object. */
class World extends Power {
  /** The hub's books, by key. */
  readonly booked = new Set<string>();
  readonly closed = new Set<string>();
  /** Tips that the page has counted, by id. */
  readonly counted = new Set<string>();
  make = (key: string): Transfer => this.#make(key);
  closes = (key: string): string | null => this.#close(key);
  convert = async (ids: string[]): Promise<void> => {
    for (const id of ids) this.counted.add(id);
  };
  readonly machine: Machine<Tips>;
  readonly #mood: Mood;
  #failures = 0;
  #ids = 0;
  /** The key of a request that is still on its way. */
  #late: string | null = null;

  constructor(mood: Mood = "well", fault_at: readonly number[] = []) {
    super(fault_at);
    this.#mood = mood;
    this.machine = new Machine(this, (storage, outside) => this.#tips(storage, outside));
  }

  /** The answer of the object, or that it has ended before. */
  send(order: Partial<TipOrder> = {}): Promise<TipAnswer | "crashed"> {
    return this.machine.call((tips) => tips.send({ ...ORDER, ...order }, "cookie"));
  }

  async pass(ms: number): Promise<void> {
    if (this.#late !== null) this.#book(this.#late);
    await this.machine.pass(ms);
  }

  states(): unknown[] {
    if (!this.machine.disk.contents().includes("tips")) return [];
    return this.machine.rows("SELECT state FROM tips").map(({ state }) => state);
  }

  #tips(storage: Storage, outside: Outside): Tips {
    return new Tips({
      storage,
      clock: this.clock,
      random: () => 0.5,
      abort: () => this.machine.crash(),
      hub: {
        make: (_, key) => outside(() => this.make(key)),
        close: (_, key) => outside(() => this.closes(key)),
      },
      convert: (_, conversions) => outside(() => this.convert(conversions.map(({ id }) => id))),
      newId: () => {
        this.#ids += 1;
        return `tip_${String(this.#ids).padStart(3, "0")}`;
      },
      onFailed: () => {},
    });
  }

  #make(key: string): Transfer {
    if (this.#mood === "signed out") return { outcome: "signed_out" };
    if (this.#mood === "poor") return { outcome: "refused" };
    if (this.#mood === "down" && this.#fails()) return { outcome: "failed" };
    if (this.#mood === "late" && this.#fails()) {
      // Taken by the hub when the object has long closed it.
      setImmediate(() => this.#book(key));
      return { outcome: "late" };
    }
    if (this.#mood === "late, then poor") {
      this.#failures += 1;
      if (this.#failures > 1) return { outcome: "refused" };
      // The first request reaches the hub after the second was refused, with points that came then.
      this.#late = key;
      return { outcome: "late" };
    }
    const isBooked = this.#book(key);
    if (this.#mood === "loses answers" && this.#fails()) return { outcome: "failed" };
    return isBooked ? { outcome: "completed", id: `tr_${key}` } : { outcome: "failed" };
  }

  #close(key: string): string | null {
    if (this.#mood === "down" && this.#fails()) throw new Error("the hub is down");
    if (!this.booked.has(key)) this.closed.add(key);
    if (this.#mood === "loses answers" && this.#fails()) throw new Error("the answer is lost");
    return this.booked.has(key) ? `tr_${key}` : null;
  }

  #book(key: string): boolean {
    if (!this.closed.has(key)) this.booked.add(key);
    return this.booked.has(key);
  }

  #fails(): boolean {
    this.#failures += 1;
    return this.#failures <= FAILURES;
  }
}

/** One tip, perhaps sent again by its client, and the minutes after. */
async function run(mood: Mood, retries: number, ends_at: readonly number[]): Promise<World> {
  const world = new World(mood, ends_at);
  const answers = [await world.send()];
  for (let i = 0; i < retries; i += 1) {
    world.now_ms += i === 0 ? 1_000 : CLOSE_AFTER_MS + 1_000;
    answers.push(await world.send());
  }
  await world.pass(MINUTE_MS);
  await world.pass(MINUTE_MS);
  const tips = [...world.booked].map((key) => key.replace(/\.\d+$/, ""));
  expect(tips.length, "one transfer").toBeLessThanOrEqual(1);
  expect([...world.counted], "the same on both sides").toEqual(tips);
  expect(world.states()).not.toContain("asked");
  expect(world.states().includes("sent")).toBe(tips.length === 1);
  const wasSent = answers.some((answer) => answer !== "crashed" && answer.outcome === "sent");
  if (wasSent) expect(tips, "what was answered holds").toHaveLength(1);
  return world;
}

test.for(MOODS)(
  "a tip is sent on both sides or on none, wherever the object ends: the hub is %s",
  { timeout: 120_000 },
  async (mood) => {
    for (const retries of [0, 1, 2]) {
      const steps = await atEachStep((ends_at) => run(mood, retries, ends_at), retries + 1);
      expect(steps).toBeGreaterThan(3);
    }
  },
);

test("the newest tip to a page is known for a quarter of an hour, also while nobody knows whether it has arrived", async () => {
  const world = new World();
  onTestFinished(() => world.close());
  const recent = async (page_id = ORDER.page_id) => (await world.machine.awake()).recent(page_id);
  expect(await recent()).toBeNull();
  await world.send({ key: "first" });
  expect(await recent()).toEqual({ points: 5, is_sent: true });
  for (const [outcome, points] of [
    ["failed", 6],
    ["refused", 7],
    ["signed_out", 8],
  ] as const) {
    world.now_ms += 1_000;
    world.make = () => ({ outcome });
    await world.send({ key: outcome, points });
    expect(await recent()).toEqual({ points: 6, is_sent: false });
  }
  expect(await recent("another")).toBeNull();
  world.now_ms += 15 * MINUTE_MS;
  expect(await recent()).toBeNull();
});

describe("the alarm", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
    world.make = () => ({ outcome: "failed" });
    world.closes = (key) => `tr_${key}`;
  });
  afterEach(() => world.close());
  const list = async () => (await world.machine.awake()).list(100, null).map(({ id }) => id);

  test("settles later tips, tells pages and forgets keys while the hub does not close the oldest", async () => {
    const { make } = world;
    world.make = () => ({ outcome: "refused" });
    await world.send({ key: "refused" });
    world.now_ms += KEY_KEPT_MS;
    world.make = () => ({ outcome: "completed", id: "tr" });
    world.convert = () => Promise.reject(new Error("the page fails"));
    await world.send({ key: "known" });
    world.make = make;
    for (let n = 0; n < 45; n += 1) await world.send({ key: `key-${n}` });
    world.convert = async (ids) => ids.forEach((id) => void world.counted.add(id));
    world.closes = (key) => {
      if (key <= "tip_042") throw new Error("the hub does not close it");
      return `tr_${key}`;
    };
    await world.pass(CLOSE_AFTER_MS + 1);
    const settled = [47, 46, 45, 44, 43, 2].map((n) => `tip_0${String(n).padStart(2, "0")}`);
    expect(await list()).toEqual(settled);
    expect([...world.counted].sort()).toEqual(settled.toReversed());
    const tips = await world.machine.awake();
    expect(await tips.recall("refused", ORDER.hash)).toBeNull();
    expect(world.machine.disk.alarm).toBeGreaterThan(world.now_ms);
  });

  test("waits ever longer for a page that fails, also where the user is deleted", async () => {
    const { convert } = world;
    let tries = 0;
    world.convert = () => {
      tries += 1;
      return Promise.reject(new Error("the page fails"));
    };
    await world.send();
    await world.machine.call((tips) => tips.end());
    await world.pass(60 * MINUTE_MS);
    expect(tries).toBeGreaterThan(60);
    expect(tries).toBeLessThan(130);
    world.convert = convert;
    await world.pass(MINUTE_MS);
    expect([...world.counted]).toEqual(["tip_001"]);
    expect(world.machine.disk.contents()).toEqual([]);
  });

  test.for([
    ["lost", () => world.machine.loseAlarm()],
    ["given up long ago", () => (world.now_ms += 60 * MINUTE_MS)],
  ] as const)("that was %s is set again when the object wakes up", async ([, lose]) => {
    await world.send();
    await lose();
    world.machine.crash();
    await world.machine.awake();
    const { alarm } = world.machine.disk;
    expect(alarm).toBeGreaterThan(world.now_ms);
    expect(alarm).toBeLessThanOrEqual(world.now_ms + CLOSE_AFTER_MS);
    await world.pass(CLOSE_AFTER_MS);
    expect(await list()).toHaveLength(1);
  });

  test("that was lost deletes what is left of a deleted user", async () => {
    await world.send();
    await world.machine.call((tips) => tips.end());
    await world.machine.loseAlarm();
    await world.pass(2 * CLOSE_AFTER_MS);
    expect(world.machine.disk.contents()).toEqual([]);
  });
});
