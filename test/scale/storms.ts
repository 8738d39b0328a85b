/**
 * The storms of docs/faults.md F30, and what must be true of each: a storm answers the sentences that are
 * not. Half of the numbers are ratios, so that 400 pages and a D1 of 8 writes a second behave as 10,000
 * pages and one of 200.
 */
import { FULL_MAX_MS } from "../../objects/flush/flush-pauses.ts";
import type { PageCounter } from "../../objects/page/page-counter.ts";
import { INTERVAL_MS, quantile, Storm } from "./storm.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The queues that D1 may have; its real one is not known. Of 10,000 pages, seconds at most. */
const QUEUES = {
  short: { of_10_000: 50, seconds_max: 5 },
  middle: { of_10_000: 1_000, seconds_max: 5 },
  "longer than the time-out of old": { of_10_000: 4_000, seconds_max: 30 },
} as const;
type Queue = keyof typeof QUEUES;

/** Writes a second of D1 for 10,000 pages. */
const WRITES_OF_10_000 = 200;
/** Pages that count all the time want a flush each 52 s; D1 has 1.4 times as few. */
const OVERLOADED_BY = 1.4;
const MEAN_INTERVAL_MS = 52_500;

/**
 * To take each page once lasts 50 s, the flushes begin 45 s after the events, and an object that woke reads D1
 * before it sends anything (F36).
 */
const DRAINED_S_MAX = 135;
/** After an outage; D1 needs 50 s. */
const HEALED_S_MAX = 75;
/** The longest wait, by the median. */
const BURST_SPREAD_MAX = 1.6;
const OVERLOAD_SPREAD_MAX = 3.6;
/** Rows of 50,000 events: one for each that came alone, and a few for each flood of 4,000. */
const JOURNAL_MAX = 100;
const LOOKED_AT_S_MAX = 10;

/** To take each of these pages once lasts 50 s. */
const writesFor = (pages: number) => (WRITES_OF_10_000 * pages) / 10_000;

type Counter = typeof PageCounter;

function atMost(most: number, what: string, measured: number): string[] {
  return measured > most ? [`${what}: ${measured}, and at most ${most}`] : [];
}

/** The pages have counted and flushed before. Compares at the end what was acknowledged with what D1 has. */
async function withStorm(
  counter: Counter,
  pages: number,
  queue: Queue,
  writes_per_s: number,
  run: (storm: Storm) => Promise<string[]>,
): Promise<string[]> {
  const { of_10_000, seconds_max } = QUEUES[queue];
  const storm = new Storm({
    pages,
    seed: 1,
    Counter: counter,
    writes_per_s,
    queue_max: Math.max(2, Math.round((of_10_000 * pages) / 10_000)),
    queued_ms_max: seconds_max * SECOND_MS,
  });
  try {
    await storm.settle();
    const untrue = await run(storm);
    return [...storm.judge(), ...untrue];
  } finally {
    storm.close();
  }
}

/** Seconds of the run since `from_ms`. */
const since = ({ scheduler }: Storm, from_ms: number) => (scheduler.now_ms - from_ms) / SECOND_MS;

/** All pages count in one second; every hundredth goes on. D1 takes as many in 50 s. */
export function burst(counter: Counter, pages: number, queue: Queue): Promise<string[]> {
  return withStorm(counter, pages, queue, writesFor(pages), async (storm) => {
    storm.busy.condition = "busy";
    const from_ms = storm.scheduler.now_ms;
    storm.everyPage();
    await storm.run(2 * SECOND_MS);
    const first = storm.pages.map(({ events }) => events.length - 1);
    const beside = storm.pages.filter((_, i) => i % 100 === 0);
    storm.keepCounting(beside, 5 * SECOND_MS, from_ms + 2 * MINUTE_MS);
    const waits = () => storm.pages.map(({ events }, i) => events[first[i] ?? 0]);
    await storm.run(10 * MINUTE_MS, () => waits().every((event) => event?.in_d1_ms !== null));
    const drained_s = since(storm, from_ms);
    const attempts = storm.busy.asked / storm.busy.executed;
    const delays_s = waits().map(
      (event) => ((event?.in_d1_ms ?? Number.POSITIVE_INFINITY) - (event?.at_ms ?? 0)) / SECOND_MS,
    );
    // What was counted beside, too.
    await storm.run(4 * MINUTE_MS);
    return [
      ...atMost(DRAINED_S_MAX, "seconds until D1 had everything", drained_s),
      ...atMost(BURST_SPREAD_MAX, "the longest wait, by the median", spreadOf(delays_s)),
      ...atMost(2.2, "attempts a flush", attempts),
    ];
  });
}

/** The largest number, by the median. */
function spreadOf(numbers: readonly number[]): number {
  return quantile(numbers, 1) / quantile(numbers, 0.5);
}

/** D1 is down for an hour, in which all pages count. Then it takes as many in 50 s. */
export function outage(counter: Counter, pages: number, queue: Queue): Promise<string[]> {
  return withStorm(counter, pages, queue, writesFor(pages), async (storm) => {
    storm.busy.condition = "down";
    storm.everyPage();
    await storm.run(HOUR_MS);
    storm.busy.condition = "busy";
    storm.busy.restart();
    const from_ms = storm.scheduler.now_ms;
    await storm.run(10 * MINUTE_MS, () => storm.waiting === 0);
    return [
      ...atMost(HEALED_S_MAX, "seconds until D1 had everything", since(storm, from_ms)),
      ...atMost(3, "attempts a flush", storm.busy.asked / storm.busy.executed),
    ];
  });
}

/** All pages count all the time for 15 minutes, 1.4 times as much as D1 takes. */
export function overload(counter: Counter, pages: number, queue: Queue): Promise<string[]> {
  const writes_per_s = (pages / MEAN_INTERVAL_MS / OVERLOADED_BY) * SECOND_MS;
  return withStorm(counter, pages, queue, writes_per_s, async (storm) => {
    storm.busy.condition = "busy";
    const from_ms = storm.scheduler.now_ms;
    const length_ms = 15 * MINUTE_MS;
    storm.keepCounting(storm.pages, 50 * SECOND_MS, from_ms + length_ms);
    await storm.run(length_ms);
    const gaps_s: number[] = [];
    const flushes: number[] = [];
    for (const { flushed_ms } of storm.pages) {
      const at_ms = flushed_ms.filter((ms) => ms > from_ms);
      flushes.push(at_ms.length);
      for (const [i, ms] of [...at_ms, from_ms + length_ms].entries()) {
        gaps_s.push((ms - (at_ms[i - 1] ?? from_ms)) / SECOND_MS);
      }
    }
    const useful = usefulFlushes(storm) / ((writes_per_s * length_ms) / SECOND_MS);
    storm.busy.condition = "open";
    await storm.run(3 * MINUTE_MS);
    const [fewest, usual] = [Math.min(...flushes), quantile(flushes, 0.5)];
    return [
      ...atMost(OVERLOAD_SPREAD_MAX, "the longest wait, by the median", spreadOf(gaps_s)),
      ...(fewest < 0.6 * usual ? [`a page flushed ${fewest} times, others ${usual}`] : []),
      ...(useful < 0.85 ? [`of D1's time ${useful} was useful`] : []),
    ];
  });
}

function usefulFlushes({ pages }: Storm): number {
  const of = pages.map(({ events }) => new Set(events.map(({ in_d1_ms }) => in_d1_ms)).size);
  return of.reduce((sum, n) => sum + n, 0);
}

/** D1 is full for four hours while pages count; one of them is flooded. Then there is space. */
export function full(counter: Counter, pages: number, flood: number): Promise<string[]> {
  return withStorm(counter, pages, "middle", WRITES_OF_10_000, async (storm) => {
    storm.busy.condition = "full";
    const from_ms = storm.scheduler.now_ms;
    const length_ms = 4 * HOUR_MS;
    storm.keepCounting(storm.pages, 4 * MINUTE_MS, from_ms + length_ms);
    await storm.run(HOUR_MS);
    const [flooded] = storm.pages;
    if (flooded === undefined) throw new Error("a storm has pages");
    const asked = storm.busy.asked;
    let journal_max = 0;
    for (let i = 0; i < flood; i += 1) {
      // Alone, so that the object reads its copy of the page anew.
      storm.count(flooded);
      await storm.run(SECOND_MS);
      for (let n = 0; n < 4; n += 1) storm.flood(flooded);
      await storm.run(SECOND_MS);
      journal_max = Math.max(journal_max, storm.journalRows(flooded));
    }
    await storm.run(from_ms + length_ms - storm.scheduler.now_ms);
    const hours = (length_ms - HOUR_MS) / HOUR_MS;
    const attempts_per_hour = (storm.busy.asked - asked) / hours / pages;
    storm.busy.condition = "busy";
    const space_ms = storm.scheduler.now_ms;
    flooded.host
      .call((object) => object.snapshot())
      .catch((error) => storm.violations.push(String(error)));
    await storm.run(MINUTE_MS, () => flooded.in_d1 === flooded.events.length);
    const looked_at_s = since(storm, space_ms);
    await storm.run(HOUR_MS, () => storm.waiting === 0);
    const healed_s = since(storm, space_ms);
    await storm.run(INTERVAL_MS);
    return [
      ...atMost(12, "attempts of a page in an hour", attempts_per_hour),
      ...atMost(JOURNAL_MAX, "rows of a journal", journal_max),
      ...atMost(FULL_MAX_MS / SECOND_MS + 60, "seconds until D1 had everything", healed_s),
      ...atMost(LOOKED_AT_S_MAX, "seconds for who looked", looked_at_s),
    ];
  });
}
