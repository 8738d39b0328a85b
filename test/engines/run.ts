import { type Counts, countsInD1, MARKER, settledCounts, sum } from "../browser/browser-kit.ts";
import type { Range, Right, Situation } from "./situations.ts";
import { type Place, TooSlow, Visit } from "./visit.ts";

/** Visits of a situation that a busy machine may spoil; they are made again. */
const SLOW_MAX = 20;

export interface Numbers {
  taps: number;
  requests: number;
  arrivals: number | null;
  counted: number;
}

export interface Result extends Numbers {
  engine: string;
  situation: string;
  notes: Record<string, number>;
  /** What was not as it must be; null where the engine cannot do it, with the reason in `lacks`. */
  wrong: string[] | null;
  lacks?: string;
}

/** The pages of an engine's visits and their counts, which must never change again. */
export type Settled = Map<string, Counts>;

export async function runSituation(
  place: Place,
  situation: Situation,
  taps: number,
  settled: Settled,
): Promise<Result> {
  const { name, link, way, right } = situation;
  const result: Result = {
    ...{ engine: place.engine.name, situation: name, notes: {}, wrong: [] },
    ...{ taps: 0, requests: 0, arrivals: right.arrivals === null ? null : 0, counted: 0 },
  };
  const lacks = way === undefined ? undefined : place.engine.lacks[way];
  if (lacks !== undefined) return { ...result, wrong: null, lacks };
  const wrong: string[] = [];
  const visits: Visited[] = [];
  let slow = 0;
  while (visits.length + wrong.length < taps) {
    try {
      visits.push(await visitOnce(place, situation));
    } catch (error) {
      if (error instanceof TooSlow && slow < SLOW_MAX) {
        slow += 1;
        continue;
      }
      wrong.push(error instanceof Error ? error.message : String(error));
    }
  }
  await Promise.all(
    visits.map(async ({ visit, numbers }) => {
      const counts = await settledCounts(place.service, visit.page_id, 0);
      settled.set(visit.page_id, counts);
      numbers.counted = counts[`click human ${link}`] ?? 0;
      wrong.push(...faultsOf(visit, numbers, counts, right));
      result.taps += numbers.taps;
      result.requests += numbers.requests;
      result.counted += numbers.counted;
      if (result.arrivals !== null) result.arrivals += numbers.arrivals ?? 0;
      for (const note of visit.notes) result.notes[note] = (result.notes[note] ?? 0) + 1;
    }),
  );
  const [least] = [right.requests].flat();
  if (situation.repeats && result.requests <= visits.length * (least ?? 0)) {
    wrong.push("no second request came in time");
  }
  return { ...result, wrong };
}

interface Visited {
  visit: Visit;
  numbers: Numbers;
}

async function visitOnce(place: Place, situation: Situation): Promise<Visited> {
  const { link, right, scripts } = situation;
  const visit = await Visit.begin(place, scripts ?? true);
  try {
    await situation.run(visit);
    await visit.proxy.quiet();
  } finally {
    await visit.tab.close();
  }
  const numbers: Numbers = {
    taps: visit.taps,
    requests: visit.requests(link).length,
    arrivals: right.arrivals === null ? null : visit.arrivals(link),
    counted: 0,
  };
  return { visit, numbers };
}

function faultsOf(visit: Visit, numbers: Numbers, counts: Counts, right: Right): string[] {
  const { requests, arrivals, counted } = numbers;
  const faults = visit.faults.map((fault) => `${visit.page_id}: ${fault}`);
  const expect = (what: string, n: number, range: Range) => {
    const [least, most] = typeof range === "number" ? [range, range] : range;
    if (n < least || n > most) faults.push(`${visit.page_id}: ${what} ${n}, not ${least}–${most}`);
  };
  expect("requests", requests, right.requests);
  if (right.arrivals !== null) expect("arrivals", arrivals ?? 0, right.arrivals);
  expect("counted", counted, right.counted === "requests" ? requests : right.counted);
  const { "view human": views = 0 } = counts;
  expect("views", views, [0, visit.loads]);
  // Nothing else: no click of a bot or an owner, or on another link.
  expect("events of other kinds", sum(counts) - views - counted, 0);
  return faults;
}

export async function changedSince({ service }: Place, settled: Settled): Promise<string[]> {
  const changed: string[] = [];
  for (const [page_id, counts] of settled) {
    const { [MARKER]: _, ...now } = await countsInD1(service, page_id);
    const [before, after] = [counts, now].map((each) =>
      JSON.stringify(Object.entries(each).sort()),
    );
    if (before !== after) changed.push(`${page_id}: ${before} became ${after}`);
  }
  return changed;
}
