/** `npm run model`: runs seeds of a model, or prints every step of one. `--help` lists the options. */
import { runCommand } from "../command-line.ts";
import { load } from "../mutants/breaks.ts";
import { loadBlockMutant } from "./blocks/mutants.ts";
import { BLOCKS_CODE, runBlocks } from "./blocks/run.ts";
import type { Fault } from "./faults.ts";
import { loadCode, loadMutant } from "./mutants.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { missed, runSeed } from "./run.ts";

const KEPT = 0;
const BROKEN = 1;

type Run = (seed: number) => Promise<string[]>;

async function blocksRun({ mutant, is_traced }: Options): Promise<Run> {
  const code = mutant === null ? BLOCKS_CODE : await loadBlockMutant(mutant);
  return (seed) => runBlocks({ code, seed, ...(is_traced && { trace: console.info }) });
}

async function countingRun({ mutant, is_traced }: Options, hits: Map<Fault, number>): Promise<Run> {
  const code = await (mutant === null ? loadCode(load) : loadMutant(mutant));
  return (seed) => runSeed({ code, seed, hits, ...(is_traced && { trace: console.info }) });
}

async function search(options: Options): Promise<number> {
  const { from, seeds, is_blocks, is_traced } = options;
  const hits = new Map<Fault, number>();
  const run = await (is_blocks ? blocksRun(options) : countingRun(options, hits));
  const failed: number[] = [];
  const started = performance.now();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const violations = await run(seed);
    for (const violation of violations) console.error(`seed ${seed}: ${violation}`);
    if (violations.length > 0) failed.push(seed);
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.info(`\n${seeds} seeds in ${seconds} s, ${failed.length} of them with violations`);
  if (!is_blocks) {
    console.info(
      [...hits]
        .sort()
        .map(([fault, n]) => `${fault} ×${n}`)
        .join("  "),
    );
    if (!is_traced) console.info(`faults that never occurred: ${missed(hits).join(" ") || "none"}`);
  }
  if (failed[0] !== undefined) {
    console.info(`replay: npm run model -- ${is_blocks ? "--blocks " : ""}--seed ${failed[0]}`);
  }
  return failed.length === 0 ? KEPT : BROKEN;
}

process.exitCode = await runCommand(
  () => readOptions(process.argv.slice(2)),
  () => HELP,
  search,
);
