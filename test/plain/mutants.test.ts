/** The tables of `npm run mutants`. What notices the mutants is a matter of minutes, and `npm run test:long`'s. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BLOCK_MUTANTS } from "../model/blocks/mutants.ts";
import { MUTANTS } from "../model/mutants.ts";
import { type Break, brokenTexts, ROOT } from "../mutants/breaks.ts";
import { DRAWN_MUTANTS } from "../mutants/drawn-mutants.ts";
import { ROOM_MUTANTS } from "../mutants/room-mutants.ts";
import { STORM_MUTANTS } from "../scale/storm-mutants.ts";

const STORMS = Object.entries(STORM_MUTANTS).map(([name, [one]]) => [name, [one]] as const);
const INSIDE = { ...MUTANTS, ...BLOCK_MUTANTS, ...Object.fromEntries(STORMS) };
const IN_ROOMS = { ...ROOM_MUTANTS, ...DRAWN_MUTANTS };

describe("a mutant breaks what the code says today", () => {
  test.each(Object.entries(INSIDE))("in the objects: %s", (_name, breaks) => {
    expect(() => brokenTexts(breaks)).not.toThrow();
  });

  test.each(Object.entries(IN_ROOMS))("in a room, once: %s", (_name, mutant) => {
    const count = codeOf(mutant).split(mutant.from).length - 1;
    expect(count, `times that ${mutant.file} says it`).toBe(1);
  });
});

function codeOf({ file }: Break): string {
  return readFileSync(join(ROOT, file), "utf8");
}
