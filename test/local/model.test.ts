/**
 * Routers, page objects and limiters under a scheduler that decides when power fails, clocks step, calls
 * are lost, clients hang up and D1 returns old data: a thousand seeds with every fault among them.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { Fault } from "../model/faults.ts";
import { loadCode, ROOT } from "../model/mutants.ts";
import { firstViolation, missed, runSeed } from "../model/run.ts";
import type { Code } from "../model/world.ts";

const SEEDS = 1_000;
/** In a test: so many that a stuck one is noticed soon. */
const SEEDS_PER_TEST = 100;
/** They take a tenth of this alone on two idle cores; other tests run beside them. */
const TIMEOUT_MS = 240_000;

describe("a thousand seeds", () => {
  const hits = new Map<Fault, number>();
  let code: Code;
  beforeAll(async () => {
    code = await loadCode(ROOT);
  });

  const parts = Array.from({ length: SEEDS / SEEDS_PER_TEST }, (_, n) => ({
    from: n * SEEDS_PER_TEST + 1,
    to: (n + 1) * SEEDS_PER_TEST,
  }));
  test.each(parts)(
    "I1–I6: nothing is lost or doubled, D1 heals, limits are exact, each request is answered: $from to $to",
    { timeout: TIMEOUT_MS },
    async (part) => {
      expect(await firstViolation(code, part, hits)).toBeNull();
    },
  );

  test("meet every fault of F1–F17, F20–F25 and F33", () => {
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
