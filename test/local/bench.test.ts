/**
 * The bench runs: every scenario is answered as expected, else the bench ends with an error, and the
 * meter counts correctly. Speed is not tested here; that is `npm run bench`.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Bill, PlanName } from "../bench/cost.ts";
import { PLANS } from "../bench/cost.ts";
import type { Memory } from "../bench/memory.ts";
import { SCENARIOS, type ScenarioName } from "../bench/scenarios.ts";
import type { Speed } from "../bench/throughput.ts";
import { ROOT } from "../server/bundle.ts";

const RUN_TIMEOUT_MS = 120_000;
/** Short slices, few events and connections: the figures are meaningless, but complete. */
const SHORT = [
  ...["--seconds", "0.2", "--rounds", "1", "--connections", "16"],
  ...["--scale", "0.05", "--json"],
];

interface Output {
  speeds: Record<ScenarioName, Speed>;
  bills: Record<PlanName, Bill>;
  memory: Memory;
}

let output: Output;

beforeAll(async () => {
  const stdout = await new Promise<string>((resolve, reject) => {
    const bench = [join(ROOT, "test/bench/bench.ts"), ...SHORT];
    execFile(process.execPath, bench, { cwd: ROOT }, (error, stdout, stderr) => {
      // Code 1 means that a goal was missed, which is likely in a run this short.
      if (stdout === "")
        reject(new Error(`the bench said nothing but ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
  output = JSON.parse(stdout);
}, RUN_TIMEOUT_MS);

/** The cost of one event. */
function each(name: PlanName) {
  const { events, reading } = output.bills[name];
  return {
    calls: (reading.limiter_calls + reading.page_calls) / events,
    limiter_rows: reading.limiter_rows / events,
    page_rows: reading.page_rows / events,
    d1_rows: reading.d1_rows,
    cleanups: reading.cleanups,
  };
}

test.each(Object.keys(SCENARIOS) as ScenarioName[])("%s is measured", (name) => {
  const { per_s, p50_ms, p99_ms } = output.speeds[name];
  expect(per_s).toBeGreaterThan(0);
  expect(p99_ms).toBeGreaterThanOrEqual(p50_ms);
});

describe("the meter sees", () => {
  test.each(["hot_own", "hot_shared", "mixed_own", "redirect", "naive_own"] as const)(
    "two object calls an event, the limiter's and the page's: %s",
    (name) => expect(each(name).calls).toBe(2),
  );

  test("a limiter's row an event in the naive design", () => {
    expect(each("naive_own").limiter_rows).toBeGreaterThanOrEqual(1);
  });

  test.each(["refused", "cached", "uncached"] as const)("no object call: %s", (name) => {
    expect(each(name)).toMatchObject({ calls: 0, limiter_rows: 0, page_rows: 0 });
  });

  test("two rows an event in the naive design, and less than one on the product's hot page", () => {
    expect(each("naive_own").page_rows).toBeGreaterThanOrEqual(2);
    expect(each("hot_own").page_rows).toBeLessThan(1);
  });

  test("the flush, and the end of every limiter object", () => {
    expect(each("hot_own").d1_rows).toBeGreaterThan(0);
    expect(each("new_own").cleanups).toBe(output.bills.new_own.events);
    expect(each("new_own").limiter_rows).toBe(2);
  });
});

test.each(Object.keys(PLANS) as PlanName[])("the price of %s is the sum of its lines", (name) => {
  const { lines, price } = output.bills[name];
  expect(Object.values(lines).reduce((sum, line) => sum + line)).toBeCloseTo(price, 9);
  expect(lines.worker).toBe(0.3);
});

test("memory is weighed", () => {
  expect(output.memory.page_bytes).toBeGreaterThan(1_000_000 * 8);
  expect(output.memory.window_bytes).toBeGreaterThan(0);
});
