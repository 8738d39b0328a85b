/**
 * docs/faults.md F30: more pages want to flush than D1 takes, or D1 is full. The objects' own code
 * in virtual time (`test/scale/storm.ts`). Each measure is also shown to notice broken code.
 */
import { describe, expect, test } from "vitest";
import { FULL_MAX_MS } from "../../objects/flush/flush-pauses.ts";
import { PageCounter } from "../../objects/page/page-counter.ts";
import { type Break, loadCode, withBroken } from "../model/mutants.ts";
import {
  type Burst,
  burst,
  type Full,
  full,
  type Outage,
  type Overload,
  outage,
  overload,
  QUEUES,
  type Queue,
} from "../scale/storms.ts";

/** Several times what they take alone; other tests run beside them. */
const TIMEOUT_MS = 600_000;
const EVERY_QUEUE = Object.keys(QUEUES) as Queue[];

/** To take each page once lasts 50 s, and the flushes begin 45 s after the events. */
const DRAINED_S_MAX = 125;
/** After an outage; D1 needs 50 s. */
const HEALED_S_MAX = 75;
/** The longest wait, by the median. */
const BURST_SPREAD_MAX = 1.6;
const OVERLOAD_SPREAD_MAX = 3.6;
/** Rows of 50,000 events: one for each that came alone, and a few for each flood of 4,000. */
const JOURNAL_MAX = 100;

function judgeBurst({
  drained_s,
  median_s,
  longest_s,
  asked_per_flush,
  violations,
}: Burst): string[] {
  return [
    ...violations,
    ...(drained_s > DRAINED_S_MAX ? [`it took ${drained_s} s`] : []),
    ...(longest_s > BURST_SPREAD_MAX * median_s ? [`${longest_s} s, median ${median_s} s`] : []),
    ...(asked_per_flush > 2.2 ? [`${asked_per_flush} attempts a flush`] : []),
  ];
}

function judgeOutage({ drained_s, asked_per_flush, violations }: Outage): string[] {
  return [
    ...violations,
    ...(drained_s > HEALED_S_MAX ? [`it took ${drained_s} s`] : []),
    ...(asked_per_flush > 3 ? [`${asked_per_flush} attempts a flush`] : []),
  ];
}

function judgeOverload({
  median_s,
  longest_s,
  flushes,
  fewest,
  useful,
  violations,
}: Overload): string[] {
  return [
    ...violations,
    ...(longest_s > OVERLOAD_SPREAD_MAX * median_s ? [`${longest_s} s, median ${median_s} s`] : []),
    ...(fewest < 0.6 * flushes ? [`a page flushed ${fewest} times, others ${flushes}`] : []),
    ...(useful < 0.85 ? [`of D1's time ${useful} was useful`] : []),
  ];
}

function judgeFull({
  attempts_per_hour,
  journal_max,
  healed_s,
  looked_at_s,
  violations,
}: Full): string[] {
  return [
    ...violations,
    ...(attempts_per_hour > 12 ? [`${attempts_per_hour} attempts an hour`] : []),
    ...(journal_max > JOURNAL_MAX ? [`a journal of ${journal_max} rows`] : []),
    ...(healed_s > FULL_MAX_MS / 1_000 + 60 ? [`it took ${healed_s} s`] : []),
    ...(looked_at_s > 10 ? [`who looked waited for ${looked_at_s} s`] : []),
  ];
}

/** All of them take a minute alone; their number does not change the ratios. */
const PAGES = process.env.TEST_LONG ? 10_000 : 2_000;

describe(`F30: ${PAGES} pages in one second, and a D1 that takes them in 50 s`, () => {
  test("D1 has everything after 125 s, and the last page waits at most 1.6 times as long as the median", {
    timeout: TIMEOUT_MS,
  }, async () => {
    expect(judgeBurst(await burst(PageCounter, PAGES, "middle"))).toEqual([]);
  });

  test.each(EVERY_QUEUE)(
    "the same with 400 pages, whatever queue D1 has: %s",
    { timeout: TIMEOUT_MS },
    async (queue) => {
      expect(judgeBurst(await burst(PageCounter, 400, queue))).toEqual([]);
    },
  );
});

test("F30: after an outage of an hour all pages want to flush at once, and D1 takes them one by one, in 75 s", {
  timeout: TIMEOUT_MS,
}, async () => {
  expect(judgeOutage(await outage(PageCounter, 200, "short"))).toEqual([]);
});

describe("F30: pages that all the time want 1.4 times what D1 takes", () => {
  test.each(EVERY_QUEUE)(
    "wait evenly, none starves, and D1 does nothing twice: %s",
    { timeout: TIMEOUT_MS },
    async (queue) => {
      expect(judgeOverload(await overload(PageCounter, 200, queue))).toEqual([]);
    },
  );
});

test("F30: a full D1 is asked six to twelve times an hour, loses nothing, and heals by itself or when somebody looks", {
  timeout: TIMEOUT_MS,
}, async () => {
  expect(judgeFull(await full(PageCounter, 20, 48))).toEqual([]);
});

const PAUSES = "objects/flush/flush-pauses.ts";
const SCHEDULER = "objects/flush/flush-scheduler.ts";

/** A storm in which each broken rule shows, and what is broken. */
const MUTANTS: Record<string, [Break, (counter: typeof PageCounter) => Promise<string[]>]> = {
  "an overload that is taken for an outage": [
    {
      file: PAUSES,
      from: '  if (/D1 DB is overloaded/i.test(message)) return "overloaded";\n',
      to: "",
    },
    async (counter) => judgeOverload(await overload(counter, 200, "short")),
  ],
  "pages that retry the later the longer they have waited": [
    { file: PAUSES, from: "OVERLOADED_MAX_MS / failures", to: "OVERLOADED_MIN_MS * failures" },
    async (counter) => judgeOutage(await outage(counter, 200, "short")),
  ],
  "a flush that gives up before a long queue has ended": [
    {
      file: PAUSES,
      from: "FLUSH_TIMEOUT_MS = 30 * SECOND_MS",
      to: "FLUSH_TIMEOUT_MS = 10 * SECOND_MS",
    },
    async (counter) =>
      judgeOverload(await overload(counter, 200, "longer than the time-out of old")),
  ],
  "pauses without jitter": [
    { file: PAUSES, from: "(1 - JITTER * random)", to: "(1 - 0 * random)" },
    async (counter) => judgeBurst(await burst(counter, 400, "short")),
  ],
  "no back-off": [
    { file: PAUSES, from: "Math.ceil(longest(refusal, failures) *", to: "Math.ceil(SECOND_MS *" },
    async (counter) => judgeBurst(await burst(counter, 400, "short")),
  ],
  "a full D1 that is taken for an outage": [
    { file: PAUSES, from: 'return "full";', to: 'return "failed";' },
    async (counter) => judgeFull(await full(counter, 20, 48)),
  ],
  "events that end a pause": [
    { file: SCHEDULER, from: "if (!urgent && until_ms > now) {", to: "if (until_ms === 0) {" },
    async (counter) => judgeFull(await full(counter, 20, 48)),
  ],
  "a pause that is kept in memory alone": [
    { file: PAUSES, from: "this.#until_ms = alarm_ms;", to: "void alarm_ms;" },
    async (counter) => judgeFull(await full(counter, 20, 48)),
  ],
  "a journal that is not cleared in a pause": [
    {
      file: SCHEDULER,
      from: "await this.runExclusive((now) => this.#prepare(now));",
      to: "await null;",
    },
    async (counter) => judgeFull(await full(counter, 20, 48)),
  ],
};

describe("the storms notice", () => {
  test.each(Object.keys(MUTANTS))("%s", { timeout: TIMEOUT_MS }, async (name) => {
    const [broken, storm] = MUTANTS[name] ?? [];
    if (broken === undefined || storm === undefined) throw new Error(`no mutant ${name}`);
    const found = await withBroken([broken], async (root) =>
      storm((await loadCode(root)).PageCounter),
    );
    expect(found).not.toEqual([]);
  });
});
