/**
 * Routers, page objects and limiters under a scheduler that decides when power fails, clocks step, calls
 * are lost, clients hang up and D1 returns old data. The weekly run has a thousand seeds.
 */
import { beforeAll, describe, expect, inject, test } from "vitest";
import { load } from "../mutants/breaks.ts";
import type { Fault } from "./faults.ts";
import { loadCode } from "./mutants.ts";
import { parts } from "./parts.ts";
import { firstViolation, missed, runSeed } from "./run.ts";
import type { Code } from "./world.ts";

/** They take a tenth of this alone on two idle cores; other tests run beside them. */
const TIMEOUT_MS = 240_000;
/** So many seeds meet every fault. */
const ENOUGH = 300;

describe("routers, objects and limiters", () => {
  const hits = new Map<Fault, number>();
  let code: Code;
  beforeAll(async () => {
    code = await loadCode(load);
  });

  test.each(parts())(
    "I1–I6: nothing is lost or doubled, D1 heals, limits are exact, each request is answered: $from to $to",
    { timeout: TIMEOUT_MS },
    async (part) => {
      expect(await firstViolation(code, part, hits)).toBeNull();
    },
  );

  // Seeds repeat their runs, so it is known that these are enough.
  test.runIf(inject("seeds").to >= ENOUGH)(
    "meet every fault of F1–F17, F20–F25, F33 and F36",
    () => {
      expect(missed(hits)).toEqual([]);
    },
  );
});

test("a seed makes the same run each time", async () => {
  const code = await loadCode(load);
  const story = async () => {
    const lines: string[] = [];
    await runSeed({ code, seed: 7, trace: (line) => lines.push(line) });
    return lines;
  };
  const first = await story();
  expect(first.length).toBeGreaterThan(50);
  expect(await story()).toEqual(first);
});
