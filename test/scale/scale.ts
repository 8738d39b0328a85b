/** `npm run scale`. `--help` lists the options. */
import { runCommand } from "../command-line.ts";
import { readFigures } from "./figures.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { scaleOf } from "./scale-model.ts";
import { tableOf } from "./scale-table.ts";

async function run({ is_json, ...options }: Options): Promise<number> {
  const figures = readFigures();
  const scale = scaleOf(options, figures);
  if (is_json) console.info(JSON.stringify({ runs: figures.runs, ...scale }, null, 2));
  else console.info(tableOf([scale]));
  return 0;
}

process.exitCode = await runCommand(
  () => readOptions(process.argv.slice(2)),
  () => HELP,
  run,
);
