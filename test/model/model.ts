/** `npm run model`: runs seeds of the model, or prints every step of one. `--help` lists the options. */
import type { Fault } from "./faults.ts";
import { loadCode, ROOT, withMutant } from "./mutants.ts";
import { BadOption, HELP, type Options, readOptions } from "./options.ts";
import { missed, runSeed } from "./run.ts";
import type { Code } from "./world.ts";

const KEPT = 0;
const BROKEN = 1;
const BAD_OPTIONS = 2;

/** Runs the command and returns its exit code. */
async function main(args: readonly string[]): Promise<number> {
  let options: Options | null;
  try {
    options = readOptions(args);
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    console.error(`${error.message}\n${error.arabic}\nSee --help.`);
    return BAD_OPTIONS;
  }
  if (options === null) {
    process.stdout.write(HELP);
    return KEPT;
  }
  const { mutant } = options;
  const work = (code: Code) => run(code, options);
  const failed =
    mutant === null ? await work(await loadCode(ROOT)) : await withMutant(mutant, work);
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

process.exitCode = await main(process.argv.slice(2));
