/** Every break of `npm run mutants` is noticed. It prints those that are not. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "./breaks.ts";
import { KINDS } from "./kinds.ts";

/** Several times what the slowest kind takes alone. */
const TIMEOUT_MS = 1_500_000;

test.each(Object.keys(KINDS))(
  "%s: every mutant is noticed",
  { timeout: TIMEOUT_MS },
  async (kind) => {
    const command = ["--no-warnings", "test/mutants/mutants.ts", "--only", `${kind}: `];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT });
    expect(stdout).toMatch(/^\d+ mutants noticed, 0 not/m);
  },
);
