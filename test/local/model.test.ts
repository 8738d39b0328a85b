/**
 * Routers, page objects and limiters under a scheduler that decides when power fails, clocks step, calls
 * are lost, clients hang up and D1 returns old data: a thousand seeds with every fault among them.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { Fault } from "../model/faults.ts";
import { loadCode, ROOT } from "../model/mutants.ts";
import { firstViolation, missed, runSeed } from "../model/run.ts";

const SEEDS = 1_000;
/** It takes an eighth of this alone on two idle cores; other tests run beside it. */
const SEEDS_TIMEOUT_MS = 1_200_000;
describe("a thousand seeds", () => {
  const hits = new Map<Fault, number>();
  let violation: string | null = "not run";
  beforeAll(async () => {
    violation = await firstViolation(await loadCode(ROOT), SEEDS, hits);
  }, SEEDS_TIMEOUT_MS);

  test("I1–I6: nothing is lost or doubled, D1 heals, limits are exact, each request is answered", () => {
    expect(violation).toBeNull();
  });

  test("meet every fault of F1–F17 and F20–F25", () => {
    expect(missed(hits)).toEqual([]);
  });
});

test("a seed makes the same run each time", async () => {
  const code = await loadCode(ROOT);
  const story = async () => {
    const lines: string[] = [];
    await runSeed({ code, seed: 7, trace: (line) => lines.push(line) });
    return lines;
  };
  const first = await story();
  expect(first.length).toBeGreaterThan(50);
  expect(await story()).toEqual(first);
});
