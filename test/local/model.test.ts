/**
 * Routers, page objects and limiters under a scheduler that decides when power fails, clocks step, calls
 * are lost, clients hang up and D1 returns old data: a thousand seeds with every fault among them, and a
 * proof that a broken rule is found.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { Fault } from "../model/faults.ts";
import { loadCode, MUTANTS, ROOT, withMutant } from "../model/mutants.ts";
import { missed, runSeed } from "../model/run.ts";
import type { Code } from "../model/world.ts";

const SEEDS = 1_000;
/** It takes a sixth of this alone on two idle cores; other tests run beside it. */
const SEEDS_TIMEOUT_MS = 300_000;
/** A broken rule that is not found with so many seeds counts as not found. */
const MUTANT_SEEDS = 1_000;

/** The first violation of the first seed that has one, or null. */
async function firstViolation(code: Code, seeds: number, hits?: Map<Fault, number>) {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { violations } = await runSeed({ code, seed, ...(hits && { hits }) });
    if (violations[0] !== undefined) return `npm run model -- --seed ${seed}: ${violations[0]}`;
  }
  return null;
}

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

describe("the model notices", () => {
  test.each(Object.keys(MUTANTS))("%s", { timeout: SEEDS_TIMEOUT_MS }, async (name) => {
    const violation = await withMutant(name, (code) => firstViolation(code, MUTANT_SEEDS));
    expect(violation).toMatch(/: (I[1-6]|F2[1-5]): /);
  });
});
