/** The service's goals: ratios and rates, checked at the end of a run. */
import type { Bill, PlanName } from "./cost.ts";
import type { ScenarioName } from "./scenarios.ts";
import type { Speed } from "./throughput.ts";

export interface Results {
  speeds: ReadonlyMap<ScenarioName, Speed>;
  bills: ReadonlyMap<PlanName, Bill>;
}

export interface Goal {
  text: string;
  measured: number;
  reached: boolean;
  unit: "ratio" | "per_s" | "rows" | "dollars" | "calls";
}

/** The goals whose scenarios were measured. */
export function goals({ speeds, bills }: Results): Goal[] {
  const ratio = (name: ScenarioName) => speeds.get(name)?.ratio;
  const over = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined ? undefined : a / b;
  const rows = (name: PlanName) =>
    over(bills.get(name)?.reading.page_rows, bills.get(name)?.events);
  const refused = bills.get("refused")?.reading;
  const calls = refused && refused.limiter_calls + refused.page_calls;
  return [
    atLeast(
      2,
      over(ratio("alone"), ratio("naive_alone")),
      "ratio",
      "hot page / naive design, page objects alone",
    ),
    atLeast(
      2,
      over(ratio("hot_shared"), ratio("naive_shared")),
      "ratio",
      "hot page / naive design, whole path, 16 limiters",
    ),
    atLeast(
      2,
      over(ratio("hot_own"), ratio("naive_own")),
      "ratio",
      "hot page / naive design, whole path, a limiter per sender",
    ),
    atLeast(0.1, ratio("hot_own"), "ratio", "hot page / floor, a limiter per sender"),
    atLeast(0.25, ratio("hot_shared"), "ratio", "hot page / floor, 16 limiters"),
    atLeast(2_000, speeds.get("new_shared")?.per_s, "per_s", "never-seen senders, 16 limiters"),
    atMost(0.4, rows("hot_own"), "rows", "page rows per event, hot page"),
    atLeast(0.7, ratio("refused"), "ratio", "refused sender / floor"),
    atMost(0, calls, "calls", "object calls for a refused sender"),
    atLeast(0.5, ratio("cached"), "ratio", "cached page (edge limit's simulator replaced) / floor"),
    atMost(3, bills.get("mixed_own")?.price, "dollars", "price per million events, mixed"),
    atMost(
      3,
      bills.get("mixed_shared")?.price,
      "dollars",
      "price per million events, mixed, 16 limiters",
    ),
  ].filter((goal) => goal !== null);
}

type Measurement = number | undefined;

function atLeast(least: number, measured: Measurement, unit: Goal["unit"], what: string) {
  return goal(measured, unit, `${what}: at least ${show(least, unit)}`, (n) => n >= least);
}

function atMost(most: number, measured: Measurement, unit: Goal["unit"], what: string) {
  return goal(measured, unit, `${what}: at most ${show(most, unit)}`, (n) => n <= most);
}

function goal(
  measured: Measurement,
  unit: Goal["unit"],
  text: string,
  holds: (measured: number) => boolean,
): Goal | null {
  return measured === undefined ? null : { text, measured, reached: holds(measured), unit };
}

/** A figure, formatted. */
export function show(figure: number, unit: Goal["unit"]): string {
  if (unit === "dollars") return `$${figure.toFixed(2)}`;
  if (unit === "per_s") return `${Math.round(figure).toLocaleString("en")}/s`;
  if (unit === "calls") return String(figure);
  return figure.toFixed(2);
}
