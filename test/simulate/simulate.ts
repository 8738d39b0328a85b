/** `npm run simulate`: runs the system under faults and compares sets of ids. See `--help`. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../command-line.ts";
import { scratchFolder } from "../server/scratch.ts";
import { help, type Options, readOptions } from "./options.ts";
import { ProgressBar } from "./progress.ts";
import { report } from "./report.ts";
import { run } from "./run.ts";

/** Exit codes. */
const KEPT = 0;
const BROKEN = 1;
/** There is no verdict: the build or the start failed. */
const FAILED = 3;
const INTERRUPTED = 130;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs the command and returns its exit code.
 *
 * @param module another module around the bundle, to prove that a broken one is found
 */
export function main(args: readonly string[], module?: string): Promise<number> {
  return runCommand(
    () => readOptions(args),
    help,
    (options) => simulate(options, module),
  );
}

async function simulate(options: Options, module: string | undefined): Promise<number> {
  const { json, keep, seed } = options;
  const say = (text: string) => json || process.stderr.write(`${text}\n`);
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const signal of SIGNALS) process.once(signal, onSignal);
  const statePath = await mkdtemp(join(await scratchFolder(), "sila-simulate-"));
  const bar = new ProgressBar(options, process.stderr);
  let kept = keep;
  try {
    say(`Building, and starting workerd. Seed ${seed}.\nالبناء ثم التشغيل.`);
    const result = await run(options, {
      statePath,
      module,
      signal: interrupt.signal,
      onProgress: (progress) => json || bar.show(progress),
    });
    const broken = result.violations.length > 0;
    kept ||= broken;
    if (!json) bar.clear();
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

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
