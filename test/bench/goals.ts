import type { Figure } from "./figure.ts";
import type { Results } from "./results.ts";
import type { ScenarioName, Setting } from "./scenarios.ts";
import type { Speed } from "./throughput.ts";
import { sum } from "./visits.ts";

/** Numbers of limiter objects of which the best for one machine is compared with the goals. */
const SHARED = ["16", "4", "1"] as const satisfies readonly Setting[];

interface Bounds {
  text: string;
  /** Digits behind the point. */
  digits: number;
  /** What a larger number means. */
  more: "better" | "worse";
  must: number;
  goal?: number;
}

export interface Goal extends Bounds {
  measured: number;
  reached: boolean;
}

export function goals(results: Results): Goal[] {
  const { speeds, commits, batches, bills, visits, startup_ms, history } = results;
  const hot = best(speeds, "hot");
  const far = best(speeds, "far");
  const hot_bill = bills?.get(`hot_${hot?.setting ?? "1"}`)?.each;
  const refused = bills?.get("refused")?.each;
  return [
    goal(hot?.of_floor, {
      text: `hot page, share of the bare floor's rate, ${hot?.setting ?? ""} limiter objects`,
      digits: 2,
      more: "better",
      must: 0.3,
      goal: 0.4,
    }),
    goal(hot?.cpu_of_floor, {
      text: "its CPU per event, of the bare floor's",
      digits: 1,
      more: "worse",
      must: 3.5,
      goal: 2.5,
    }),
    goal(commits?.get(hot?.setting ?? "16")?.per_event ?? commits?.get("16")?.per_event, {
      text: "fsyncs per event, hot page, the same objects",
      digits: 3,
      more: "worse",
      must: 0.1,
      goal: 0.03,
    }),
    goal(far?.of_floor, {
      text: `hot page at 20 ms, share of the bare floor's rate, ${far?.setting ?? ""} limiter objects`,
      digits: 2,
      more: "better",
      must: 0.2,
      goal: 0.35,
    }),
    goal(batches?.record, {
      text: "page object alone by batches of 100, µs of CPU per event",
      digits: 0,
      more: "worse",
      must: 20,
      goal: 10,
    }),
    goal(hot_bill?.limiter_rows, {
      text: "limiter rows per accept, hot page, the same objects",
      digits: 2,
      more: "worse",
      must: 0.2,
      goal: 0.05,
    }),
    goal(startup_ms, {
      text: "start-up CPU, ms",
      digits: 0,
      more: "worse",
      must: 40,
      goal: 15,
    }),
    goal(timesOf(history), {
      text: "statistics of eleven full years, in times of those of 30 days",
      digits: 1,
      more: "worse",
      must: 10,
      goal: 5,
    }),
    goal(visits && sum(visits.hot), {
      text: "a million visits of hot pages, 16 limiter objects, $",
      digits: 2,
      more: "worse",
      must: 3,
      goal: 2,
    }),
    goal(visits && sum(visits.quiet), {
      text: "a million visits of pages with one event in ten minutes, $",
      digits: 2,
      more: "worse",
      must: 12,
      goal: 8,
    }),
    goal(refused?.limiter_calls, {
      text: "calls of limiter objects per refused request",
      digits: 2,
      more: "worse",
      must: 0,
    }),
  ].filter((goal) => goal !== null);
}

/** The number of limiter objects with the least CPU per event, which varies less than the rate. */
function best(
  speeds: ReadonlyMap<ScenarioName, Speed> | undefined,
  kind: "hot" | "far",
): (Speed & { setting: (typeof SHARED)[number] }) | undefined {
  return SHARED.flatMap((setting) => {
    const speed = speeds?.get(`${kind}_${setting}`);
    return speed === undefined ? [] : [{ ...speed, setting }];
  }).sort((a, b) => cpuOf(a) - cpuOf(b))[0];
}

/** Where the system does not tell, the rate decides. */
function cpuOf({ cpu_of_floor, of_floor }: Speed): number {
  return cpu_of_floor?.median ?? 1 / of_floor.median;
}

function timesOf(history: Results["history"]): number | null {
  const [all, month] = [history?.get("all"), history?.get("month")];
  return all === undefined || month === undefined ? null : all.median / month.median;
}

function goal(measured: Figure | number | null | undefined, bounds: Bounds): Goal | null {
  if (measured === null || measured === undefined) return null;
  const n = typeof measured === "number" ? measured : measured.median;
  return { ...bounds, measured: n, reached: reaches(n, bounds.must, bounds) };
}

export function reaches(n: number, bound: number, { more }: Bounds): boolean {
  return more === "better" ? n >= bound : n <= bound;
}
