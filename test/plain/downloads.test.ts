/**
 * Uses of downloads on a disk that loses power: the object is ended before and after each commit, each
 * call of the page's object and each write to D1, once and twice in a run. Afterwards those who were
 * admitted, the page's clicks and D1 agree, as sets of ids, and no more were admitted than the limit.
 */
import { afterEach, expect, test } from "vitest";
import {
  ANNOUNCED_MAX,
  PageDownloads,
  REPORT_WITHIN_MS,
  type Use,
  type UseOutcome,
} from "../../objects/downloads/page-downloads.ts";
import type { Database, Statement } from "../../objects/platform/ports.ts";
import type { AnnouncedNumbers, LinkDownloads } from "../../objects/tables/announced.ts";
import { Disk } from "../model/disk.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 15, 12);
const LIMIT = 2;
const PEOPLE = ["a", "b", "c", "d"];

function useOf(token_id: string, members: Partial<Use> = {}): Use {
  return {
    ...{ link_id: "book", token_id, class: "human", origin: null },
    ...{ until: START_MS + 60 * MINUTE_MS, uses_max: LIMIT, voucher: null, takes: true },
    ...members,
  };
}

type Mood = "well" | "page fails" | "page loses replies" | "D1 fails" | "D1 loses replies";
const MOODS: readonly Mood[] = [
  "well",
  "page fails",
  "page loses replies",
  "D1 fails",
  "D1 loses replies",
];

/** Calls that fail before a dependency recovers. */
const FAILURES = 3;

/** The page, D1 and the disk, which survive the object. */
class World {
  now_ms = START_MS;
  steps = 0;
  crashes = 0;
  /** Conversions that the page has counted, by id. */
  readonly counted = new Set<string>();
  readonly d1 = new Map<string, LinkDownloads>();
  /** What was announced to the page, in the order in which it arrived. */
  readonly announced: (AnnouncedNumbers["downloads"] & { at_ms: number })[] = [];
  readonly #crash_at: readonly number[];
  readonly #disk: Disk;
  readonly #mood: Mood;
  #failures = 0;
  #downloads: PageDownloads | null = null;
  #isAlarmRunning = false;
  #life = 0;
  #crashed = Promise.withResolvers<"crashed">();

  constructor(mood: Mood, crash_at: readonly number[]) {
    this.#mood = mood;
    this.#crash_at = crash_at;
    this.#disk = new Disk({
      commitDelay: () => 0,
      after: (_, run) => void setImmediate(() => this.#commit(run)),
      writeFails: () => false,
      broken: () => {},
      committed: () => {},
    });
  }

  close(): void {
    this.#life = Number.NaN;
    this.#disk.close();
  }

  contents(): string[] {
    return this.#disk.contents();
  }

  async use(use: Use): Promise<UseOutcome | "crashed"> {
    const downloads = await this.awake();
    return Promise.race([this.#crashed.promise, downloads.use(use)]);
  }

  /**
   * Time passes, and the alarm fires whenever it is set; as on the platform again, if the object ended
   * meanwhile and had not set another.
   */
  async pass(ms: number): Promise<void> {
    const until_ms = this.now_ms + ms;
    for (;;) {
      const downloads = await this.awake();
      const { alarm } = this.#disk;
      if (alarm === null || alarm > until_ms) break;
      this.now_ms = Math.max(this.now_ms, alarm);
      this.#isAlarmRunning = true;
      const over = await Promise.race([this.#crashed.promise, downloads.onAlarm()]);
      this.#isAlarmRunning = false;
      if (over !== "crashed" && this.#disk.alarm === alarm) this.#disk.clearAlarm();
      await this.idle();
    }
    this.now_ms = until_ms;
  }

  async awake(): Promise<PageDownloads> {
    if (this.#downloads !== null) return this.#downloads;
    const life = this.#life;
    const downloads = new PageDownloads({
      storage: this.#disk.open(
        () => life === this.#life,
        () => this.#isAlarmRunning,
      ),
      db: this.#db(),
      clock: { now: () => this.now_ms, after: () => () => {} },
      random: () => 0.5,
      abort: () => this.#crash(),
      pageId: () => "page",
      convert: async (_, conversions) => {
        if (!this.#survives()) return never();
        await null;
        if (this.#mood === "page fails" && this.#fails()) throw new Error("the page fails");
        for (const { id } of conversions) this.counted.add(id);
        if (!this.#survives()) return never();
        if (this.#mood === "page loses replies" && this.#fails()) throw new Error("lost");
      },
      announce: async (links, version) => {
        if (!this.#survives()) return never();
        await null;
        if (this.#mood === "page fails" && this.#fails()) throw new Error("the page fails");
        this.announced.push({ links, version, at_ms: this.now_ms });
        if (!this.#survives()) return never();
        if (this.#mood === "page loses replies" && this.#fails()) throw new Error("lost");
      },
      flush_interval_ms: MINUTE_MS,
      onFailed: () => {},
    });
    await downloads.ready();
    this.#downloads = downloads;
    return downloads;
  }

  /** D1, as far as its only statement goes. */
  #db(): Database {
    const statement = (bound: unknown[]): Statement => ({
      bind: (...values) => statement(values),
      all: async <R>() => {
        if (!this.#survives()) return never();
        await null;
        if (this.#mood === "D1 fails" && this.#fails()) throw new Error("D1 refuses");
        for (const row of JSON.parse(String(bound[1])) as LinkDownloads[]) {
          const before = this.d1.get(row.link_id) ?? { uses: 0, bytes: 0 };
          this.d1.set(row.link_id, {
            link_id: row.link_id,
            uses: Math.max(row.uses, before.uses),
            bytes: Math.max(row.bytes, before.bytes),
          });
        }
        if (!this.#survives()) return never();
        if (this.#mood === "D1 loses replies" && this.#fails()) throw new Error("lost");
        return { results: [] as R[] };
      },
    });
    return { prepare: () => statement([]), batch: () => never() };
  }

  #fails(): boolean {
    this.#failures += 1;
    return this.#failures <= FAILURES;
  }

  #commit(run: () => void): void {
    if (Number.isNaN(this.#life) || !this.#survives()) return;
    run();
    this.#survives();
  }

  /** A point at which the object may end; false if it has. */
  #survives(): boolean {
    this.steps += 1;
    if (!this.#crash_at.includes(this.steps)) return true;
    this.#crash();
    return false;
  }

  #crash(): void {
    this.crashes += 1;
    this.#life += 1;
    this.#downloads = null;
    this.#disk.crash();
    this.#crashed.resolve("crashed");
    this.#crashed = Promise.withResolvers();
  }

  /** Lets deliveries that nobody waits for come to their end. */
  async idle(): Promise<void> {
    for (let i = 0; i < 6; i += 1) await new Promise((go) => setTimeout(go, 0));
  }
}

/** A promise of an object that has ended. */
function never<T>(): Promise<T> {
  return new Promise(() => {});
}

let world: World;
afterEach(() => world.close());

/** All people at once, then each again, as a browser resumes; and the minutes after. */
async function run(mood: Mood, crash_at: readonly number[]): Promise<void> {
  world = new World(mood, crash_at);
  const answers = new Map<string, (UseOutcome | "crashed")[]>(PEOPLE.map((who) => [who, []]));
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(
      PEOPLE.map(async (who) => answers.get(who)?.push(await world.use(useOf(who)))),
    );
  }
  await world.pass(3 * MINUTE_MS);
  const last = new Map<string, UseOutcome | "crashed">();
  for (const who of PEOPLE) {
    // The last end may come now.
    do last.set(who, await world.use(useOf(who, { takes: false })));
    while (last.get(who) === "crashed");
  }
  const told = `${mood}, ends at ${crash_at}, answers ${JSON.stringify([...answers])}`;
  const admitted = PEOPLE.filter((who) => last.get(who) === "admitted");
  expect(admitted, `as many as the limit: ${told}`).toHaveLength(LIMIT);
  for (const [who, given] of answers) {
    if (given.includes("admitted"))
      expect(admitted, `what was answered holds: ${told}`).toContain(who);
    if (given.includes("used_up")) expect(admitted, `for ever: ${told}`).not.toContain(who);
  }
  const clicks = admitted.map((who) => `book.${who}`);
  expect([...world.counted].sort(), `each is one click: ${told}`).toEqual(clicks);
  const total = { link_id: "book", uses: LIMIT, bytes: 0 };
  expect([...world.d1.values()], told).toEqual([total]);
  expect(newest(), `the page has the numbers: ${told}`).toEqual([total]);
  const versions = new Map<number, string>();
  for (const { version, links } of world.announced) {
    const numbers = JSON.stringify(links);
    expect(versions.get(version) ?? numbers, `a version has one number: ${told}`).toBe(numbers);
    versions.set(version, numbers);
  }
}

/** The numbers that the page keeps, in whatever order they arrived. */
function newest(): LinkDownloads[] | undefined {
  const [last] = world.announced.toSorted((one, other) => other.version - one.version);
  return last?.links.map((each) => ({ ...each }));
}

test.for(MOODS)(
  "exactly as many are admitted as the limit, wherever the object ends: %s",
  {
    timeout: 120_000,
  },
  async (mood) => {
    let ends = 0;
    for (let first = 1; ; first += 1) {
      await run(mood, [first]);
      if (world.crashes === 0) break;
      ends += 1;
      const { steps } = world;
      world.close();
      // Of the second ends every ninth, from another one on each time.
      for (let second = first + 1 + (first % 9); second <= steps; second += 9) {
        await run(mood, [first, second]);
        world.close();
      }
      world = new World(mood, []);
    }
    expect(ends).toBeGreaterThan(10);
  },
);

test("a creator's link admits as many as it says, and the block no more than it says", async () => {
  world = new World("well", []);
  const voucher = { id: "v", uses_max: 1, until: START_MS + MINUTE_MS };
  expect(await world.use(useOf("a", { voucher }))).toBe("admitted");
  expect(await world.use(useOf("b", { voucher }))).toBe("used_up");
  expect(await world.use(useOf("a", { voucher }))).toBe("admitted");
  expect(await world.use(useOf("c"))).toBe("admitted");
  expect(await world.use(useOf("d", { voucher: { ...voucher, id: "w" } }))).toBe("used_up");
});

test("a bot uses up nothing that is limited, and is no use of what is not", async () => {
  world = new World("well", []);
  expect(await world.use(useOf("bot", { class: "bot" }))).toBe("used_up");
  expect(world.contents()).toEqual([]);
  expect(await world.use(useOf("bot", { class: "bot", uses_max: null }))).toBe("admitted");
  const totals = (await world.awake()).totals().map((total) => ({ ...total }));
  expect(totals).toEqual([{ link_id: "book", uses: 0, bytes: 0 }]);
});

test("a question stores nothing", async () => {
  world = new World("well", []);
  expect(await world.use(useOf("a", { takes: false }))).toBe("admitted");
  (await world.awake()).sent("book", 10);
  await world.idle();
  expect(world.contents()).toEqual([]);
});

test("tokens are forgotten when they have expired, personal ones never, and the uses stay", async () => {
  world = new World("well", []);
  const voucher = { id: "v", uses_max: 5, until: START_MS + 60 * MINUTE_MS };
  await world.use(useOf("a", { voucher }));
  await world.use(useOf("b", { until: null }));
  await world.pass(24 * 60 * MINUTE_MS);
  expect(await world.use(useOf("b", { takes: false }))).toBe("admitted");
  expect(await world.use(useOf("a", { takes: false }))).toBe("used_up");
  expect(world.contents()).not.toContain("alarm");
});

test("bytes are added and reach D1", async () => {
  world = new World("well", []);
  await world.use(useOf("a"));
  const downloads = await world.awake();
  downloads.sent("book", 10);
  downloads.sent("book", 20);
  downloads.sent("none", 20);
  await world.pass(3 * MINUTE_MS);
  expect([...world.d1.values()]).toEqual([{ link_id: "book", uses: 1, bytes: 30 }]);
});

test("uses and bytes are announced within a second, in one call a second at most", async () => {
  world = new World("well", []);
  for (let i = 0; i < 20; i += 1) {
    await world.use(useOf(`t${i}`, { uses_max: null }));
    (await world.awake()).sent("book", 10);
    await world.idle();
    await world.pass(100);
  }
  const began_ms = world.now_ms;
  await world.pass(REPORT_WITHIN_MS);
  expect(newest()).toEqual([{ link_id: "book", uses: 20, bytes: 200 }]);
  expect(world.announced.at(-1)?.at_ms).toBeLessThanOrEqual(began_ms + REPORT_WITHIN_MS);
  const times = world.announced.map(({ at_ms }) => at_ms);
  expect(times.length).toBeGreaterThan(1);
  for (const [i, at_ms] of times.slice(1).entries()) {
    expect(at_ms - (times[i] ?? 0)).toBeGreaterThanOrEqual(REPORT_WITHIN_MS);
  }
  await world.pass(60 * MINUTE_MS);
  expect(world.announced).toHaveLength(times.length);
});

test("the page gets the numbers while D1 is down, and D1 while the page is", async () => {
  for (const mood of ["D1 fails", "page fails"] as const) {
    world = new World(mood, []);
    await world.use(useOf("a"));
    await world.pass(REPORT_WITHIN_MS);
    expect([mood, newest()?.length, world.d1.size]).toEqual(
      mood === "D1 fails" ? [mood, 1, 0] : [mood, undefined, 1],
    );
  }
});

test.for([0, 1])("of %i blocks more than are announced the most used are", async (more) => {
  world = new World("well", []);
  const blocks = ANNOUNCED_MAX + more;
  for (let i = 0; i < blocks; i += 1) {
    for (const person of i === blocks - 1 ? ["a", "b"] : ["a"]) {
      await world.use(useOf(person, { link_id: `block ${i}`, uses_max: null }));
    }
  }
  await world.pass(2 * REPORT_WITHIN_MS);
  expect(newest()).toHaveLength(ANNOUNCED_MAX);
  expect(newest()?.[0]).toMatchObject({ link_id: `block ${blocks - 1}`, uses: 2 });
});

test("F20: a D1 that has less than it confirmed gets everything again, once a reader notices", async () => {
  world = new World("well", []);
  await world.use(useOf("a"));
  await world.use(useOf("b", { link_id: "song" }));
  (await world.awake()).sent("book", 10);
  await world.pass(3 * MINUTE_MS);
  const look = async (in_d1: LinkDownloads[]) =>
    (await world.awake()).look(in_d1).map((each) => ({ ...each }));
  const whole = [...world.d1.values()];
  expect(whole).toHaveLength(2);
  // One who finds everything changes nothing.
  const before = world.contents();
  expect(await look(whole)).toEqual(whole);
  expect(world.contents()).toEqual(before);
  const [book, song] = whole as [LinkDownloads, LinkDownloads];
  for (const lost of [[], [song], [{ ...book, bytes: 9 }, song], [{ ...book, uses: 0 }, song]]) {
    world.d1.clear();
    for (const row of lost) world.d1.set(row.link_id, row);
    expect(await look(lost)).toEqual(whole);
    await world.pass(2 * MINUTE_MS);
    expect(world.d1).toEqual(new Map(whole.map((row) => [row.link_id, row])));
  }
});

test("nothing is left of a page that has ended, and nothing comes back", async () => {
  world = new World("page fails", []);
  await world.use(useOf("a"));
  await (await world.awake()).end();
  await world.idle();
  expect(await world.use(useOf("b"))).toBe("used_up");
  (await world.awake()).sent("book", 10);
  expect(world.contents()).toEqual(["ended"]);
  await world.pass(10 * MINUTE_MS);
  expect(world.contents()).toEqual(["ended"]);
});

test("the end of a page without downloads stores nothing", async () => {
  world = new World("well", []);
  await (await world.awake()).end();
  expect(world.contents()).toEqual([]);
});
