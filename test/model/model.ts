/** `npm run model`: runs seeds of the model, or prints every step of one. `--help` lists the options. */
import { runCommand } from "../command-line.ts";
import { load } from "../mutants/breaks.ts";
import { loadBlockMutant } from "./blocks/mutants.ts";
import { BLOCKS_CODE, type BlocksCode, runBlocks } from "./blocks/run.ts";
import type { Fault } from "./faults.ts";
import { loadCode, loadMutant } from "./mutants.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { missed, runSeed } from "./run.ts";
import type { Code } from "./world.ts";

const KEPT = 0;
const BROKEN = 1;

/** Runs the command; returns its exit code. */
async function search(options: Options): Promise<number> {
  const { mutant } = options;
  if (options.is_blocks) {
    const work = (code: BlocksCode) => runAllBlocks(code, options);
    return work(mutant === null ? BLOCKS_CODE : await loadBlockMutant(mutant));
  }
  const code = await (mutant === null ? loadCode(load) : loadMutant(mutant));
  const failed = await run(code, options);
  return failed === 0 ? KEPT : BROKEN;
}

/** The same for the blocks of pages; answers the exit code. */
async function runAllBlocks(code: BlocksCode, { from, seeds, is_traced }: Options) {
  let failed = 0;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const violations = await runBlocks({ code, seed, ...(is_traced && { trace: console.info }) });
    for (const violation of violations) console.error(`seed ${seed}: ${violation}`);
    if (violations.length > 0) failed += 1;
  }
  console.info(`\n${seeds} seeds, ${failed} of them with violations`);
  return failed === 0 ? KEPT : BROKEN;
}

/** Runs the seeds and prints the results; answers how many runs had violations. */
async function run(code: Code, { from, seeds, is_traced }: Options): Promise<number> {
  const hits = new Map<Fault, number>();
  const failed: number[] = [];
  const started = performance.now();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { violations } = await runSeed({
      code,
      seed,
      hits,
      ...(is_traced && { trace: console.info }),
    });
    for (const violation of violations) console.error(`seed ${seed}: ${violation}`);
    if (violations.length > 0) failed.push(seed);
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.info(`\n${seeds} seeds in ${seconds} s, ${failed.length} of them with violations`);
  const counts = [...hits].sort().map(([fault, n]) => `${fault} ×${n}`);
  console.info(counts.join("  "));
  if (!is_traced) console.info(`faults that never occurred: ${missed(hits).join(" ") || "none"}`);
  if (failed[0] !== undefined) console.info(`replay: npm run model -- --seed ${failed[0]}`);
  return failed.length;
}

process.exitCode = await runCommand(
  () => readOptions(process.argv.slice(2)),
  () => HELP,
  search,
);
