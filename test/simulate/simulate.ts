/** `npm run simulate`: runs the system under faults and compares sets of ids. See `--help`. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { runCommand } from "../command-line.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { report } from "./report.ts";
import { type Progress, run } from "./run.ts";

const KEPT = 0;
const BROKEN = 1;
/** There is no verdict: the build or the start failed. */
const FAILED = 3;
const INTERRUPTED = 130;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Another module around the bundle, with which tests prove that a broken one is found. */
const { SIMULATED_MODULE } = process.env;

async function simulate(options: Options): Promise<number> {
  const { json, seed } = options;
  const say = (text: string) => json || process.stderr.write(`${text}\n`);
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const signal of SIGNALS) process.once(signal, onSignal);
  const statePath = await mkdtemp(join(await scratchFolder(), "sila-simulate-"));
  let kept = false;
  try {
    say(`Building, and starting workerd. Seed ${seed}.\nالبناء ثم التشغيل.`);
    const result = await run(options, {
      statePath,
      module: SIMULATED_MODULE,
      signal: interrupt.signal,
      onProgress: (progress) => say(lineOf(progress, options)),
    });
    const broken = result.violations.length > 0;
    kept = broken;
    const output = { ...result, options, state_path: kept ? statePath : null };
    process.stdout.write(json ? `${JSON.stringify(output)}\n` : report(result, options));
    return broken ? BROKEN : KEPT;
  } catch (error) {
    if (interrupt.signal.aborted) {
      say("\nInterrupted.\nأُوقف التشغيل.");
      return INTERRUPTED;
    }
    console.error(error);
    return FAILED;
  } finally {
    if (kept) say(`The state is kept in ${statePath}\nحالة التشغيل محفوظة في هذا المجلد.`);
    else await rm(statePath, { recursive: true, force: true });
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

function lineOf({ phase, settled, done }: Progress, asked: Options): string {
  const facts = [
    `${settled}/${asked.events} events`,
    `kills ${done.kills}/${asked.kills}`,
    `D1 ${done.d1_outages}/${asked.d1_outages}`,
    `evictions ${done.evictions}/${asked.evictions}`,
  ];
  if (phase === "settling") facts.push("waiting for D1");
  return facts.join(" · ");
}

process.exitCode = await runCommand(
  () => readOptions(process.argv.slice(2)),
  () => HELP,
  simulate,
);
