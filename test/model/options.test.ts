import { expect, onTestFinished, test, vi } from "vitest";
import { BAD_OPTIONS, BadOption, runCommand } from "../command-line.ts";
import { BLOCK_MUTANTS } from "./blocks/mutants.ts";
import { HELP, readOptions } from "./options.ts";

test("without options a thousand seeds run; one alone is printed step by step", () => {
  expect(readOptions([])).toMatchObject({ from: 1, seeds: 1_000, is_traced: false });
  expect(readOptions(["--seed", "23"])).toMatchObject({ from: 23, seeds: 1, is_traced: true });
  const [name = ""] = Object.keys(BLOCK_MUTANTS);
  expect(readOptions(["--blocks", "--mutant", name])).toMatchObject({ is_blocks: true });
  for (const args of [
    ["--mutant", name],
    ["--sedes", "1"],
    ["--seed", "1", "--seeds", "2"],
  ]) {
    expect(() => readOptions(args)).toThrow(BadOption);
  }
});

test("an invalid command line is refused in both languages, and runs nothing", async () => {
  const run = () => Promise.reject(new Error("it ran"));
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => printed.mockRestore());
  const bad = () => readOptions(["--seeds", "0"]);
  expect(await runCommand(bad, () => HELP, run)).toBe(BAD_OPTIONS);
  const said = printed.mock.lastCall?.[0];
  expect(said).toMatch(/--seeds must be a whole number from 1.*\n.*\p{Script=Arabic}/u);
});
