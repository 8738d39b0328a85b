/** A broken rule is found by the model: each mutant breaks one. */
import { describe, expect, test } from "vitest";
import { MUTANTS, withMutant } from "../model/mutants.ts";
import { firstViolation } from "../model/run.ts";

/** A broken rule that is not found with so many seeds counts as not found. */
const SEEDS = 1_000;
/** The slowest takes a tenth of this alone on two idle cores; other tests run beside it. */
const TIMEOUT_MS = 480_000;

describe("the model notices", () => {
  test.each(Object.keys(MUTANTS))("%s", { timeout: TIMEOUT_MS }, async (name) => {
    const violation = await withMutant(name, (code) =>
      firstViolation(code, { from: 1, to: SEEDS }),
    );
    expect(violation).toMatch(/: (I[1-6]|F2[1-5]): /);
  });
});
