/** The reporters that end a run which hangs and say what has failed before, in a run of their own. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../server/bundle.ts";
import { SILENT } from "../silence.ts";
import { leftOvers, MARK } from "./npm-run.ts";

/** Longer than a busy machine takes to load a test file. */
const SILENCE_MS = 15_000;
const mark = randomUUID();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sila-silence-"));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const reporters = [
    ["default"],
    join(ROOT, "test/reporter.ts"),
    [join(ROOT, "test/silence.ts"), { max_ms: SILENCE_MS }],
  ];
  const config = { test: { root: folder, reporters, maxWorkers: 2 } };
  const passes = 'import { test } from "vitest"; test("passes", () => {});';
  await writeFile(join(folder, "ended.test.mjs"), passes);
  await writeFile(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify(config)};`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a test file of this text; answers the exit code and what was printed. */
async function run(text: string): Promise<{ code: number | null; output: string }> {
  await writeFile(join(folder, "fixture.test.mjs"), text);
  const vitest = spawn(join(ROOT, "node_modules/.bin/vitest"), ["run"], {
    cwd: folder,
    env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: "1", [MARK]: mark },
  });
  let output = "";
  for (const stream of [vitest.stdout, vitest.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      output += part;
    });
  }
  const [code] = (await once(vitest, "close")) as [number | null];
  return { code, output };
}

test("a file that never loads ends the run, and the processes it has started", async () => {
  const { code, output } = await run(`
    import { spawn } from "node:child_process";
    spawn("sleep", ["300"], { detached: true });
    await new Promise(() => {});
  `);
  expect(code, output).toBe(SILENT);
  expect(output).toContain("fixture.test.mjs: is being loaded");
  expect(output).toMatch(/✓ +ended\.test\.mjs/);
  expect(output).not.toContain("ended.test.mjs: ");
  expect(output).toContain("sleep 300");
  await expect.poll(() => leftOvers(mark)).toEqual([]);
});

test("a run that is ended has said what failed before, with its seed and counterexample", async () => {
  const { code, output } = await run(`
    import fc from "fast-check";
    import { expect, test } from "vitest";
    test("a number is small", () => {
      fc.assert(fc.property(fc.nat(), (n) => { expect(n).toBeLessThan(5); }), { seed: 7 });
    });
    test("nothing happens", () => new Promise(() => {}), 2 * ${SILENCE_MS});
  `);
  expect(code, output).toBe(SILENT);
  expect(output).toContain("failed: fixture.test.mjs > a number is small");
  expect(output).toMatch(/seed: 7, path: "[\d:]+".*\nCounterexample: \[5\]/);
  expect(output).toContain("caused by: expected 5 to be less than 5");
  expect(output).toContain('fixture.test.mjs -t "a number is small"');
});
