/**
 * Tips on a disk that loses power: the object is ended before each commit, and before and after each
 * request to the hub and each call of a page, once and twice in a run. Afterwards the hub's books and the page
 * hold the same tips, as sets of ids.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Transfer, Transfers } from "../../objects/tips/hub-transfers.ts";
import type { TipAnswer, TipOrder } from "../../objects/tips/tip.ts";
import { KEY_KEPT_MS } from "../../objects/tips/tip-book.ts";
import { CLOSE_AFTER_MS, Tips } from "../../objects/tips/tips.ts";
import { Disk } from "../model/disk.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 15, 12);

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
/** Turns of the event loop that a commit takes. */
const COMMIT_TURNS = 4;

/** The hub, the page and the disk, which survive the object. */
class World {
  now_ms = START_MS;
  steps = 0;
  crashes = 0;
  /** The hub's books, by key. */
  readonly booked = new Set<string>();
  readonly closed = new Set<string>();
  /** Tips that the page has counted, by id. */
  readonly counted = new Set<string>();
  readonly #crash_at: readonly number[];
  readonly #disk: Disk;
  #mood: Mood;
  #failures = 0;
  #tips: Tips | null = null;
  #life = 0;
  #crashed = Promise.withResolvers<"crashed">();
  #ids = 0;
  #isCutOff = false;
  /** The key of a request that is still on its way. */
  #late: string | null = null;

  constructor(mood: Mood, crash_at: readonly number[]) {
    this.#mood = mood;
    this.#crash_at = crash_at;
    this.#disk = new Disk({
      commitDelay: () => 0,
      after: (_, run) => void this.#commit(run),
      writeFails: () => false,
      broken: () => {},
      committed: () => {},
    });
  }

  close(): void {
    this.#disk.close();
  }

  /** The answer of the object, or that it has ended before. */
  async send(): Promise<TipAnswer | "crashed"> {
    const tips = await this.#awake();
    // Taken first: the object may end before its method returns.
    const { promise } = this.#crashed;
    return Promise.race([tips.send(ORDER, "cookie"), promise]);
  }

  /** A minute passes, and the alarm fires whenever it is set. */
  async minute(): Promise<void> {
    const until_ms = this.now_ms + MINUTE_MS;
    if (this.#late !== null) this.#book(this.#late);
    for (;;) {
      const tips = await this.#awake();
      const { promise } = this.#crashed;
      // The platform fires an alarm again whose handler has not come to its end.
      const alarm = this.#isCutOff ? this.now_ms : this.#disk.alarm;
      if (alarm === null || alarm > until_ms) break;
      this.now_ms = Math.max(this.now_ms, alarm);
      this.#disk.clearAlarm();
      const ended = tips.onAlarm().then(() => this.#disk.sync());
      this.#isCutOff = (await Promise.race([ended, promise])) === "crashed";
      await this.#idle();
    }
    this.now_ms = until_ms;
  }

  states(): string[] {
    if (!this.#disk.contents().includes("tips")) return [];
    return this.#disk
      .open(
        () => true,
        () => false,
      )
      .sql.exec<{ state: string }>("SELECT state FROM tips")
      .toArray()
      .map(({ state }) => state);
  }

  async #awake(): Promise<Tips> {
    if (this.#tips !== null) return this.#tips;
    const life = this.#life;
    const tips = new Tips({
      storage: this.#disk.open(
        () => life === this.#life,
        () => false,
      ),
      clock: { now: () => this.now_ms, after: () => () => {} },
      random: () => 0.5,
      abort: () => this.#crash(),
      hub: this.#hub(life),
      convert: async (_, conversions) => {
        await this.#step(life);
        for (const { id } of conversions) this.counted.add(id);
        await this.#step(life);
      },
      newId: () => {
        this.#ids += 1;
        return `tip_${this.#ids}`;
      },
      onFailed: () => {},
    });
    await tips.ready();
    this.#tips = tips;
    return tips;
  }

  #hub(life: number): Transfers {
    return {
      make: async (_, key) => {
        await this.#step(life);
        const answer = this.#make(key);
        await this.#step(life);
        return answer;
      },
      close: async (_, key) => {
        await this.#step(life);
        if (this.#mood === "down" && this.#fails()) throw new Error("the hub is down");
        if (!this.booked.has(key)) this.closed.add(key);
        await this.#step(life);
        if (this.#mood === "loses answers" && this.#fails()) throw new Error("the answer is lost");
        return this.booked.has(key) ? `tr_${key}` : null;
      },
    };
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

  #book(key: string): boolean {
    if (!this.closed.has(key)) this.booked.add(key);
    return this.booked.has(key);
  }

  #fails(): boolean {
    this.#failures += 1;
    return this.#failures <= FAILURES;
  }

  /** A commit takes longer than a request to the hub, so one that is not waited for is noticed. */
  async #commit(run: () => void): Promise<void> {
    for (let i = 0; i < COMMIT_TURNS; i += 1) await new Promise((go) => setImmediate(go));
    if (this.#survives()) run();
  }

  /**
   * A point at which the object of this life may end, while all its code waits; never resolves if it
   * has ended.
   */
  #step(life: number): Promise<void> {
    return new Promise((go) => {
      setImmediate(() => {
        if (life === this.#life && this.#survives()) go();
      });
    });
  }

  /** False if the object ends here. */
  #survives(): boolean {
    this.steps += 1;
    if (!this.#crash_at.includes(this.steps)) return true;
    this.#crash();
    return false;
  }

  #crash(): void {
    this.crashes += 1;
    this.#life += 1;
    this.#tips = null;
    this.#disk.crash();
    this.#crashed.resolve("crashed");
    this.#crashed = Promise.withResolvers();
  }

  /** Lets deliveries that nobody waits for come to their end. */
  async #idle(): Promise<void> {
    for (let i = 0; i < 20; i += 1) await new Promise((go) => setImmediate(go));
  }
}

let world: World;
afterEach(() => world.close());

/** One tip, perhaps sent again by its client, and the minute after. */
async function run(mood: Mood, crash_at: readonly number[], retries: number): Promise<void> {
  world = new World(mood, crash_at);
  const answers = [await world.send()];
  for (let i = 0; i < retries; i += 1) {
    world.now_ms += i === 0 ? 1_000 : CLOSE_AFTER_MS + 1_000;
    answers.push(await world.send());
  }
  await world.minute();
  await world.minute();
  const told = `${mood}, ends at ${crash_at}, answers ${JSON.stringify(answers)}`;
  const tips = [...world.booked].map((key) => key.replace(/\.\d+$/, ""));
  expect(tips.length, `one transfer: ${told}`).toBeLessThanOrEqual(1);
  expect([...world.counted], `the same on both sides: ${told}`).toEqual(tips);
  expect(world.states(), told).not.toContain("asked");
  expect(world.states().includes("sent"), told).toBe(tips.length === 1);
  const wasSent = answers.some((answer) => answer !== "crashed" && answer.outcome === "sent");
  if (wasSent) expect(tips, `what was answered holds: ${told}`).toHaveLength(1);
}

test.for(MOODS)(
  "a tip is sent on both sides or on none, wherever the object ends: the hub is %s",
  {
    timeout: 120_000,
  },
  async (mood) => {
    let ends = 0;
    for (const retries of [0, 1, 2]) {
      for (let first = 1; ; first += 1) {
        await run(mood, [first], retries);
        if (world.crashes === 0) break;
        ends += 1;
        const { steps } = world;
        world.close();
        for (let second = first + 1; second <= steps; second += retries + 1) {
          await run(mood, [first, second], retries);
          world.close();
        }
        world = new World(mood, []);
      }
      world.close();
      world = new World(mood, []);
    }
    expect(ends).toBeGreaterThan(10);
  },
);

describe("the alarm", () => {
  const MINUTES_MS = 5 * MINUTE_MS;
  let disk: Disk;
  let now_ms: number;
  let waits: number[];
  /** Keys whose close fails, and what the page does. */
  let failing: (key: string) => boolean;
  let convert: (ids: string[]) => Promise<void>;
  let ids: number;

  beforeEach(() => {
    world = new World("well", []);
    disk = new Disk({
      commitDelay: () => 0,
      after: (_, run) => void setImmediate(run),
      writeFails: () => false,
      broken: () => {},
      committed: () => {},
    });
    now_ms = START_MS;
    waits = [];
    ids = 0;
    failing = () => false;
    convert = async () => {};
  });
  afterEach(() => disk.close());

  /** An object on the disk, whose hub makes transfers and loses its answers. */
  async function tipsOfDisk(make: Transfer = { outcome: "failed" }): Promise<Tips> {
    const tips = new Tips({
      storage: disk.open(
        () => true,
        () => false,
      ),
      clock: {
        now: () => now_ms,
        after: (ms, callback) => {
          const timer = setImmediate(() => setImmediate(() => setImmediate(callback)));
          waits.push(ms);
          return () => clearImmediate(timer);
        },
      },
      random: () => 0.5,
      abort: () => {},
      hub: {
        make: async () => make,
        close: async (_, key) => {
          if (failing(key)) throw new Error("the hub does not close it");
          return `tr_${key}`;
        },
      },
      convert: (_, conversions) => convert(conversions.map(({ id }) => id)),
      newId: () => {
        ids += 1;
        return `tip_${String(ids).padStart(3, "0")}`;
      },
      onFailed: () => {},
    });
    await tips.ready();
    return tips;
  }

  async function fire(tips: Tips): Promise<void> {
    disk.clearAlarm();
    await tips.onAlarm();
    await disk.sync();
  }

  test("settles later tips, tells pages and forgets keys while the hub does not close the oldest", async () => {
    const refused = await tipsOfDisk({ outcome: "refused" });
    await refused.send({ ...ORDER, key: "refused" }, "cookie");
    now_ms += KEY_KEPT_MS;
    const known = await tipsOfDisk({ outcome: "completed", id: "tr" });
    convert = () => Promise.reject(new Error("the page fails"));
    await known.send({ ...ORDER, key: "known" }, "cookie");
    const tips = await tipsOfDisk();
    for (let n = 0; n < 45; n += 1) await tips.send({ ...ORDER, key: `key-${n}` }, "cookie");
    const told: string[] = [];
    convert = async (arrived) => void told.push(...arrived);
    failing = (key) => key <= "tip_042";
    now_ms += CLOSE_AFTER_MS + 1;
    await fire(tips);
    expect(tips.list(100, null).map(({ id }) => id)).toEqual([
      ...["tip_047", "tip_046", "tip_045", "tip_044", "tip_043"],
      "tip_002",
    ]);
    await expect
      .poll(() => [...told].sort())
      .toEqual(
        tips
          .list(100, null)
          .map(({ id }) => id)
          .sort(),
      );
    expect(await tips.recall("refused", ORDER.hash)).toBeNull();
    expect(disk.alarm).toBeGreaterThan(now_ms);
  });

  test("does not wait for ever for a page", async () => {
    const tips = await tipsOfDisk();
    await tips.send(ORDER, "cookie");
    convert = () => new Promise(() => {});
    now_ms += CLOSE_AFTER_MS + 1;
    await fire(tips);
    expect(new Set(waits)).toEqual(new Set([10_000]));
    expect(disk.alarm).toBeGreaterThan(now_ms);
    const told: string[] = [];
    convert = async (arrived) => void told.push(...arrived);
    now_ms += MINUTES_MS;
    await fire(tips);
    expect(told).toEqual(["tip_001"]);
  });

  test.for([
    ["lost", () => disk.clearAlarm()],
    ["given up long ago", () => (now_ms += 60 * MINUTE_MS)],
  ] as const)("that was %s is set again when the object wakes up", async ([, lose]) => {
    const tips = await tipsOfDisk();
    await tips.send(ORDER, "cookie");
    lose();
    const woken = await tipsOfDisk();
    expect(disk.alarm).toBeGreaterThan(now_ms);
    expect(disk.alarm).toBeLessThanOrEqual(now_ms + CLOSE_AFTER_MS);
    now_ms += CLOSE_AFTER_MS;
    await fire(woken);
    expect(woken.list(1, null)).toHaveLength(1);
  });

  test("that is set stays, and an object with nothing to do sets none", async () => {
    await tipsOfDisk();
    expect(disk.alarm).toBeNull();
    const tips = await tipsOfDisk();
    await tips.send(ORDER, "cookie");
    const alarm = disk.alarm;
    now_ms += MINUTE_MS;
    await tipsOfDisk();
    expect(disk.alarm).toBe(alarm);
  });

  test("that was lost deletes what is left of a deleted user", async () => {
    const tips = await tipsOfDisk();
    await tips.send(ORDER, "cookie");
    await tips.end();
    disk.clearAlarm();
    const woken = await tipsOfDisk();
    now_ms += CLOSE_AFTER_MS;
    await fire(woken);
    await fire(woken);
    expect(disk.contents()).toEqual([]);
  });
});
