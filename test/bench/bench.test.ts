/**
 * The bench runs: every scenario is answered as expected and exact, else the bench ends with an error, and
 * the meter counts correctly. Speed is not tested here; that is `npm run bench`.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../server/bundle.ts";
import { scratchFolder } from "../server/scratch.ts";
import type { Bill, PlanName } from "./cost.ts";
import { LINES, PLANS, PRICES } from "./cost.ts";
import { replaced } from "./document.ts";
import type { Goal } from "./goals.ts";
import type { LoneEvent } from "./quiet.ts";
import { SCENARIOS, type ScenarioName } from "./scenarios.ts";
import type { Speed } from "./throughput.ts";

const RUN_TIMEOUT_MS = 240_000;
/** Short slices, few events and connections: the figures are meaningless, but complete. */
const SHORT = [
  ...["--parts", "speed,batches,cost,quiet,crowd"],
  ...["--seconds", "0.2", "--rounds", "1", "--connections", "16"],
  ...["--scale", "0.05", "--json"],
];

interface Output {
  checked: { runs: number; events: number };
  results: {
    speeds: Record<ScenarioName, Speed>;
    bills: Record<PlanName, Bill>;
    lone: LoneEvent;
  };
  goals: Goal[];
}

let output: Output;

beforeAll(async () => {
  // In memory: no figure is of interest here, and a busy disk would take most of the time.
  const env = { ...process.env, TMPDIR: await scratchFolder() };
  const stdout = await new Promise<string>((resolve, reject) => {
    const bench = [join(ROOT, "test/bench/bench.ts"), ...SHORT];
    execFile(process.execPath, bench, { cwd: ROOT, env }, (error, stdout, stderr) => {
      // Code 1 means that a goal was missed, which is likely in a run this short.
      if (stdout === "")
        reject(new Error(`the bench said nothing but ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
  output = JSON.parse(stdout);
}, RUN_TIMEOUT_MS);

/** What one event takes. */
function each(name: PlanName) {
  const { each } = output.results.bills[name];
  const calls = each.limiter_calls.median + each.page_calls.median;
  return {
    calls,
    limiter_rows: each.limiter_rows.median,
    page_rows: each.page_rows.median,
    d1_rows: each.d1_rows.median,
  };
}

test.each(Object.keys(SCENARIOS) as ScenarioName[])("%s is measured", (name) => {
  const { per_s, p50_ms, p99_ms } = output.results.speeds[name];
  // How much is up to the machine; in a slice this short perhaps nothing.
  expect([per_s, p50_ms, p99_ms].map(({ median }) => Number.isFinite(median))).toEqual([
    true,
    true,
    true,
  ]);
  expect(p99_ms.median).toBeGreaterThanOrEqual(p50_ms.median);
});

test("each load that counts is checked for exactness", () => {
  const counting = Object.values(SCENARIOS).filter(({ answer }) => answer.endsWith(" counted"));
  expect(output.checked.runs).toBeGreaterThan(counting.length);
  expect(output.checked.events).toBeGreaterThan(0);
});

describe("the meter sees", () => {
  test.each(["hot_16", "hot_own", "mixed_own", "redirect", "naive_16"] as const)(
    "at most two object calls an event, the limiter's and the page's: %s",
    (name) => {
      expect(each(name).calls).toBeGreaterThan(0);
      expect(each(name).calls).toBeLessThanOrEqual(2);
    },
  );

  test("two calls an event and a limiter's row in the naive design", () => {
    expect(each("naive_16").calls).toBe(2);
    expect(each("naive_16").limiter_rows).toBeGreaterThanOrEqual(1);
  });

  test("no call of a limiter for a refused request", () => {
    expect(each("refused").calls).toBe(0);
    expect(each("refused").limiter_rows).toBe(0);
  });

  // How many events share a row is up to the machine: each has one of its own at worst.
  test("two rows an event in the naive design, and fewer on the product's hot page", () => {
    expect(each("naive_16").page_rows).toBeGreaterThanOrEqual(2);
    expect(each("hot_16").page_rows).toBeLessThan(2);
  });

  test("the flush, and the end of every limiter object", () => {
    expect(each("hot_own").d1_rows).toBeGreaterThan(0);
    const { cleanups, senders } = output.results.bills.new_own;
    expect(cleanups).toBe(senders);
  });

  test("the rows of a lone event: the journal's, an alarm, and D1's", () => {
    const { all, page, alarms, d1 } = output.results.lone;
    expect(page.median + d1.median).toBe(all.median);
    expect(alarms.median).toBeGreaterThanOrEqual(1);
    expect(d1.median).toBeGreaterThanOrEqual(1);
  });
});

test.each(Object.keys(PLANS) as PlanName[])("the price of %s is the sum of its lines", (name) => {
  const { each, price } = output.results.bills[name];
  const sum = LINES.reduce((sum, line) => sum + each[line].median * PRICES[line], 0);
  expect(sum).toBeCloseTo(price.median, 9);
});

test("what must be reached is compared with what was measured", () => {
  expect(output.goals.length).toBeGreaterThanOrEqual(7);
  for (const { must, measured, more, reached } of output.goals) {
    expect(reached).toBe(more === "better" ? measured >= must : measured <= must);
  }
});

test("the document's tables are written between their comments", () => {
  const text = "before\n<!-- bench:goals -->\nold\n<!-- /bench:goals -->\nafter";
  expect(replaced(text, "goals", "new")).toBe(
    "before\n<!-- bench:goals -->\nnew\n<!-- /bench:goals -->\nafter",
  );
  expect(() => replaced("no place", "goals", "new")).toThrow("bench:goals");
});
