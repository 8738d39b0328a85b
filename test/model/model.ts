/**
 * `npm run model`: runs seeds of the model, or prints every step of one.
 *
 *   npm run model -- --seeds 10000 --from 1    as many runs, each with the next seed
 *   npm run model -- --seed 23                 one run, printed step by step
 *   npm run model -- --mutant "an alarm that throws"    the same with code broken on purpose
 */
import { parseArgs } from "node:util";
import type { Fault } from "./faults.ts";
import { loadCode, MUTANTS, ROOT, withMutant } from "./mutants.ts";
import { missed, runSeed } from "./run.ts";
import type { Code } from "./world.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    mutant: { type: "string" },
  },
});

async function run(code: Code): Promise<boolean> {
  const is_one = values.seed !== undefined;
  const from = Number(values.seed ?? values.from);
  const seeds = is_one ? 1 : Number(values.seeds);
  const hits = new Map<Fault, number>();
  const failed: number[] = [];
  const started = performance.now();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { violations } = await runSeed({
      code,
      seed,
      hits,
      ...(is_one && { tell: console.info }),
    });
    for (const violation of violations) console.error(`seed ${seed}: ${violation}`);
    if (violations.length > 0) failed.push(seed);
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.info(`\n${seeds} seeds in ${seconds} s, ${failed.length} of them with violations`);
  console.info(
    [...hits]
      .sort()
      .map(([fault, n]) => `${fault} ×${n}`)
      .join("  "),
  );
  if (!is_one) console.info(`never met: ${missed(hits).join(" ") || "none"}`);
  if (failed[0] !== undefined) console.info(`replay: npm run model -- --seed ${failed[0]}`);
  return failed.length === 0;
}

if (values.mutant !== undefined && MUTANTS[values.mutant] === undefined) {
  console.error(`no such mutant; there are:\n  ${Object.keys(MUTANTS).join("\n  ")}`);
  process.exit(2);
}
const held =
  values.mutant === undefined
    ? await run(await loadCode(ROOT))
    : await withMutant(values.mutant, run);
process.exit(held ? 0 : 1);
