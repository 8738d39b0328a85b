/** The bench runs. How fast the service is, is not tested here; that is `npm run bench`. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../src/commands/root.ts";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { PLANS } from "./cost.ts";
import { SCENARIOS } from "./scenarios.ts";

const RUN_TIMEOUT_MS = 240_000;
/** Short slices, few events and connections: the figures are meaningless, but complete. */
const SHORT = [
  ...["--parts", "speed,batches,cost,visits"],
  ...["--seconds", "0.2", "--rounds", "1", "--connections", "16", "--scale", "0.05"],
];

test("the bench measures every scenario and price, and each acknowledged event was counted once", {
  timeout: RUN_TIMEOUT_MS,
}, async () => {
  // In memory: no figure is of interest here, and a busy disk would take most of the time.
  const env = { ...process.env, TMPDIR: await scratchFolder() };
  const printed = await new Promise<string>((resolve) => {
    const bench = [join(ROOT, "test/bench/bench.ts"), ...SHORT];
    // The exit code says whether a goal was missed, which is likely in a run this short.
    execFile(process.execPath, bench, { cwd: ROOT, env }, (_, stdout, stderr) => {
      resolve(stdout === "" ? stderr : stdout);
    });
  });
  expect(printed).toContain("the pages and D1 had exactly what was acknowledged");
  for (const { title } of [...Object.values(SCENARIOS), ...Object.values(PLANS)]) {
    expect(printed).toContain(`| ${title} |`);
  }
  // The meter counts calls, and only those that are made.
  expect(printed).toContain("| naive design, 10 events a sender | 16 | 1.00 | 1.00 |");
  expect(printed).toContain("| a refused sender | one a sender | 0.00 | 0.00 |");
});
