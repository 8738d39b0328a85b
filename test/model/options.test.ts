/** The command line of `npm run model`. */
import { expect, onTestFinished, test, vi } from "vitest";
import { BAD_OPTIONS, BadOption, runCommand } from "../command-line.ts";
import { BLOCK_MUTANTS } from "./blocks/mutants.ts";
import { MUTANTS } from "./mutants.ts";
import { HELP, readOptions } from "./options.ts";

test("without options a thousand seeds run, from the first", () => {
  const usual = { from: 1, seeds: 1_000, is_traced: false, is_blocks: false, mutant: null };
  expect(readOptions([])).toEqual(usual);
  expect(readOptions(["--from", "7", "--seeds", "2"])).toMatchObject({ from: 7, seeds: 2 });
});

test("the model of the blocks has mutants of its own", () => {
  const [name = ""] = Object.keys(BLOCK_MUTANTS);
  expect(readOptions(["--blocks", "--mutant", name])).toMatchObject({ is_blocks: true });
  expect(() => readOptions(["--mutant", name])).toThrow(BadOption);
});

test("one seed is printed step by step", () => {
  expect(readOptions(["--seed", "23"])).toMatchObject({ from: 23, seeds: 1, is_traced: true });
});

test.each([
  [["--sedes", "1"]],
  [["--seeds"]],
  [["--seeds", "0"]],
  [["--seeds", "x"]],
  [["--seed", "-1"]],
  [["--seed", "4294967296"]],
  [["--seed", "1", "--seeds", "2"]],
  [["--mutant", "nobody"]],
])("%j is refused, in both languages", (args) => {
  expect(() => readOptions(args)).toThrow(BadOption);
  expect(() => readOptions(args)).toThrow(
    expect.objectContaining({ arabic: expect.stringMatching(/[\u0600-\u06ff]/) }),
  );
});

test("the help names every option, and a wrong mutant lists them all", () => {
  for (const name of ["seeds", "from", "seed", "blocks", "mutant", "help"])
    expect(HELP).toContain(`--${name}`);
  expect(() => readOptions(["--mutant", "nobody"])).toThrow(Object.keys(MUTANTS)[0]);
});

test("an invalid command line runs nothing, and its exit code says so", async () => {
  const run = () => Promise.reject(new Error("it ran"));
  const bad = () => readOptions(["--seeds", "0"]);
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => printed.mockRestore());
  expect(await runCommand(bad, () => HELP, run)).toBe(BAD_OPTIONS);
  expect(printed.mock.lastCall?.[0]).toContain("--seeds must be a whole number from 1");
});
