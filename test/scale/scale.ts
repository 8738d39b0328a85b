/** `npm run scale`. `--help` lists the options. */
import { runCommand } from "../command-line.ts";
import { type Figures, readFigures } from "./figures.ts";
import { HELP, readOptions } from "./options.ts";
import { type ScaleOptions, scaleOf } from "./scale-model.ts";
import { tableOf } from "./scale-table.ts";

async function run(options: ScaleOptions): Promise<number> {
  const figures = readFigures();
  console.info(`${tableOf([scaleOf(options, figures)])}\n\n${sourcesOf(figures)}`);
  return 0;
}

function sourcesOf({ runs }: Figures): string {
  return [
    `Visits as measured on ${runs.bench}, days of a page on ${runs.page_days}. docs/scale.md has the prices and limits`,
    "with their sources, and what is assumed.",
    `قيست الزيارات في ${runs.bench} وأيام الصفحة في ${runs.page_days}. الأسعار والحدود ومصادرها وما افتُرض في docs/scale.md`,
  ].join("\n");
}

process.exitCode = await runCommand(
  () => readOptions(process.argv.slice(2)),
  () => HELP,
  run,
);
