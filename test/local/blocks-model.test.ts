/**
 * Tips, downloads, newsletter and quotas under a scheduler that decides when power fails, calls and answers are
 * lost, alarms run twice, D1 hangs, and the hub and the mail service answer late or never. Afterwards the hub's
 * books, the mailbox, the objects and D1 are compared as sets.
 */
import { describe, expect, test } from "vitest";
import { BLOCK_MUTANTS, withBlockMutant } from "../model/blocks/mutants.ts";
import { firstBlockViolation } from "../model/blocks/run.ts";

/** In a test: so many that a stuck one is noticed soon. */
const SEEDS_PER_TEST = 50;
const PARTS = 5;
/** A broken rule that is not found with so many seeds counts as not found. */
const SEEDS_OF_A_MUTANT = 300;
const TIMEOUT_MS = 240_000;

describe("blocks of a page", () => {
  const parts = Array.from({ length: PARTS }, (_, n) => ({
    from: n * SEEDS_PER_TEST + 1,
    to: (n + 1) * SEEDS_PER_TEST,
  }));
  test.each(parts)(
    "each tip is sent on both sides or on none, each use and confirmation counts once, no quota is exceeded: $from to $to",
    { timeout: TIMEOUT_MS },
    async (part) => {
      expect(await firstBlockViolation(part)).toBeNull();
    },
  );
});

describe("the model notices", () => {
  test.each(Object.keys(BLOCK_MUTANTS))("%s", { timeout: TIMEOUT_MS }, async (name) => {
    const found = await withBlockMutant(name, (code) =>
      firstBlockViolation({ from: 1, to: SEEDS_OF_A_MUTANT }, code),
    );
    expect(found).not.toBeNull();
  });
});
