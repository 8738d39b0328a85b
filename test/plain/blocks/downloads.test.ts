/**
 * Uses of downloads on a disk that loses power: the object is ended before and after each commit, each
 * call of the page's object and each write to D1, once and twice in a run. Afterwards those who were
 * admitted, the page's clicks and D1 agree, as sets of ids, and no more were admitted than the limit.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  ANNOUNCED_MAX,
  PageDownloads,
  REPORT_WITHIN_MS,
  type Use,
  type UseOutcome,
} from "../../../objects/blocks/downloads/page-downloads.ts";
import type { AnnouncedNumbers, LinkDownloads } from "../../../objects/events/announced.ts";
import type { Database, Statement, Storage } from "../../../objects/platform/ports.ts";
import { atEachStep, Machine, type Outside, Power, START_MS } from "../machine.ts";

const MINUTE_MS = 60_000;
const LIMIT = 2;
const PEOPLE = ["a", "b", "c", "d"];

const USE: Omit<Use, "token_id"> = {
  ...{ link_id: "book", class: "human", origin: null, voucher: null, takes: true },
  ...{ until: START_MS + 60 * MINUTE_MS, uses_max: LIMIT },
};

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

/** The page and D1, which survive the object. */
class World extends Power {
  /** Conversions that the page has counted, by id. */
  readonly counted = new Set<string>();
  readonly d1 = new Map<string, LinkDownloads>();
  /** What was announced to the page, in the order in which it arrived. */
  readonly announced: (AnnouncedNumbers["downloads"] & { at_ms: number })[] = [];
  readonly machine: Machine<PageDownloads>;
  readonly #mood: Mood;
  #failures = 0;

  constructor(mood: Mood = "well", fault_at: readonly number[] = []) {
    super(fault_at);
    this.#mood = mood;
    this.machine = new Machine(this, (storage, outside) => this.#downloads(storage, outside));
  }

  use(token_id: string, members: Partial<Use> = {}): Promise<UseOutcome | "crashed"> {
    return this.machine.call((downloads) => downloads.use({ ...USE, token_id, ...members }));
  }

  sent(link_id: string, bytes: number): Promise<unknown> {
    return this.machine.call((downloads) => downloads.sent(link_id, bytes));
  }

  pass(ms: number): Promise<void> {
    return this.machine.pass(ms);
  }

  contents(): string[] {
    return this.machine.disk.contents();
  }

  /** The numbers that the page keeps, in whatever order they arrived. */
  newest(): LinkDownloads[] | undefined {
    const [last] = this.announced.toSorted((one, other) => other.version - one.version);
    return last?.links.map((each) => ({ ...each }));
  }

  #downloads(storage: Storage, outside: Outside): PageDownloads {
    const toPage = (effect: () => void) => outside(() => this.#ask("page", effect));
    return new PageDownloads({
      storage,
      db: database((bound) => outside(() => this.#ask("D1", () => this.#write(bound)))),
      clock: this.clock,
      random: () => 0.5,
      abort: () => this.machine.crash(),
      pageId: () => "page",
      convert: (_, conversions) =>
        toPage(() => {
          for (const { id } of conversions) this.counted.add(id);
        }),
      announce: (links, version) =>
        toPage(() => void this.announced.push({ links, version, at_ms: this.now_ms })),
      flush_interval_ms: MINUTE_MS,
      onFailed: () => {},
    });
  }

  #ask(whom: "page" | "D1", effect: () => void): void {
    if (this.#mood === `${whom} fails` && this.#fails()) throw new Error("refused");
    effect();
    if (this.#mood === `${whom} loses replies` && this.#fails()) throw new Error("lost");
  }

  #write([, rows]: unknown[]): void {
    for (const { link_id, uses, bytes } of JSON.parse(String(rows)) as LinkDownloads[]) {
      const before = this.d1.get(link_id) ?? { uses: 0, bytes: 0 };
      this.d1.set(link_id, {
        link_id,
        uses: Math.max(uses, before.uses),
        bytes: Math.max(bytes, before.bytes),
      });
    }
  }

  #fails(): boolean {
    this.#failures += 1;
    return this.#failures <= FAILURES;
  }
}

/** D1, as far as its only statement goes. */
function database(write: (bound: unknown[]) => Promise<void>): Database {
  const statement = (bound: unknown[]): Statement => ({
    bind: (...values) => statement(values),
    all: async <R>() => {
      if (bound.length > 1) await write(bound);
      return { results: [{ n: 1 }] as R[] };
    },
  });
  return {
    prepare: () => statement([]),
    batch: <R>(statements: Statement[]) => Promise.all(statements.map((each) => each.all<R>())),
  };
}

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

/** All people at once, then each again, as a browser resumes; and the minutes after. */
async function run(mood: Mood, ends_at: readonly number[]): Promise<World> {
  const world = new World(mood, ends_at);
  const answers = new Map<string, (UseOutcome | "crashed")[]>(PEOPLE.map((who) => [who, []]));
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(PEOPLE.map(async (who) => answers.get(who)?.push(await world.use(who))));
  }
  await world.pass(3 * MINUTE_MS);
  const last = new Map<string, UseOutcome | "crashed">();
  for (const who of PEOPLE) {
    // The last end may come now.
    do last.set(who, await world.use(who, { takes: false }));
    while (last.get(who) === "crashed");
  }
  const admitted = PEOPLE.filter((who) => last.get(who) === "admitted");
  expect(admitted, "as many as the limit").toHaveLength(LIMIT);
  for (const [who, given] of answers) {
    if (given.includes("admitted")) expect(admitted, "what was answered holds").toContain(who);
    if (given.includes("used_up")) expect(admitted, "for ever").not.toContain(who);
  }
  const clicks = admitted.map((who) => `book.${who}`);
  expect([...world.counted].sort(), "each is one click").toEqual(clicks);
  const total = { link_id: "book", uses: LIMIT, bytes: 0 };
  expect([...world.d1.values()]).toEqual([total]);
  expect(world.newest(), "the page has the numbers").toEqual([total]);
  const versions = new Map<number, string>();
  for (const { version, links } of world.announced) {
    const numbers = JSON.stringify(links);
    expect(versions.get(version) ?? numbers, "a version has one number").toBe(numbers);
    versions.set(version, numbers);
  }
  return world;
}

test.for(MOODS)(
  "exactly as many are admitted as the limit, wherever the object ends: %s",
  { timeout: 120_000 },
  async (mood) => {
    expect(await atEachStep((ends_at) => run(mood, ends_at), 9)).toBeGreaterThan(10);
  },
);

test("a creator's link admits as many as it says, and the block no more than it says", async () => {
  const voucher = { id: "v", uses_max: 1, until: START_MS + MINUTE_MS };
  expect(await world.use("a", { voucher })).toBe("admitted");
  expect(await world.use("b", { voucher })).toBe("used_up");
  expect(await world.use("a", { voucher })).toBe("admitted");
  expect(await world.use("c")).toBe("admitted");
  expect(await world.use("d", { voucher: { ...voucher, id: "w" } })).toBe("used_up");
});

test("a question stores nothing", async () => {
  expect(await world.use("a", { takes: false })).toBe("admitted");
  await world.sent("book", 10);
  await world.idle();
  expect(world.contents()).toEqual([]);
});

test("tokens are forgotten when they have expired, personal ones never, and the uses stay", async () => {
  const voucher = { id: "v", uses_max: 5, until: START_MS + 60 * MINUTE_MS };
  await world.use("a", { voucher });
  await world.use("b", { until: null });
  await world.pass(24 * 60 * MINUTE_MS);
  expect(await world.use("b", { takes: false })).toBe("admitted");
  expect(await world.use("a", { takes: false })).toBe("used_up");
  expect(world.contents()).not.toContain("alarm");
});

test("uses and bytes are announced within a second, in one call a second at most", async () => {
  for (let i = 0; i < 20; i += 1) {
    await world.use(`t${i}`, { uses_max: null });
    await world.sent("book", 10);
    await world.idle();
    await world.pass(100);
  }
  const began_ms = world.now_ms;
  await world.pass(REPORT_WITHIN_MS);
  expect(world.newest()).toEqual([{ link_id: "book", uses: 20, bytes: 200 }]);
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
    world = new World(mood);
    await world.use("a");
    await world.pass(REPORT_WITHIN_MS);
    expect([mood, world.newest()?.length, world.d1.size]).toEqual(
      mood === "D1 fails" ? [mood, 1, 0] : [mood, undefined, 1],
    );
  }
});

test("of more blocks than are announced the most used are", async () => {
  const blocks = ANNOUNCED_MAX + 1;
  for (let i = 0; i < blocks; i += 1) {
    for (const person of i === blocks - 1 ? ["a", "b"] : ["a"]) {
      await world.use(person, { link_id: `block ${i}`, uses_max: null });
    }
  }
  await world.pass(2 * REPORT_WITHIN_MS);
  expect(world.newest()).toHaveLength(ANNOUNCED_MAX);
  expect(world.newest()?.[0]).toMatchObject({ link_id: `block ${blocks - 1}`, uses: 2 });
});

test("F20: a D1 that has less than it confirmed gets everything again, once a reader notices", async () => {
  await world.use("a");
  await world.use("b", { link_id: "song" });
  await world.sent("book", 10);
  await world.pass(3 * MINUTE_MS);
  const look = async (in_d1: LinkDownloads[]) =>
    (await world.machine.awake()).look(in_d1).map((each) => ({ ...each }));
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
  world = new World("page fails");
  await world.use("a");
  await (await world.machine.awake()).end();
  await world.idle();
  expect(await world.use("b")).toBe("used_up");
  await world.sent("book", 10);
  expect(world.contents()).toEqual(["ended"]);
  await world.pass(10 * MINUTE_MS);
  expect(world.contents()).toEqual(["ended"]);
});
