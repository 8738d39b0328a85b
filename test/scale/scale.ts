/** `npm run scale`. `--help` lists the options. */
import { parseOptions, runCommand, wholeNumber } from "../command-line.ts";
import { type Figures, readFigures } from "./figures.ts";
import { EVENTS_PER_PAGE, type ScaleOptions, scaleOf } from "./scale-model.ts";
import { tableOf } from "./scale-table.ts";

const HELP = `npm run scale -- [options]

What a number of pages costs on the platform, how many databases it needs, and where the first limit is.
docs/scale.md says what is assumed and where the figures come from.

كلفة عدد من الصفحات على المنصة، وعدد قواعد البيانات اللازمة، وأول حدّ يُبلَغ.

  --pages N        pages (1000000)
                   عدد الصفحات
  --events N       views and clicks a day, of all pages (${EVENTS_PER_PAGE} for each page)
                   المشاهدات والنقرات في اليوم للصفحات كلها
  --help           show this help
                   اعرض هذه المساعدة
`;

/** Null for `--help`. @throws {BadOption} */
function readOptions(): ScaleOptions | null {
  const given = parseOptions(process.argv.slice(2), {
    ...{ pages: { type: "string" }, events: { type: "string" }, help: { type: "boolean" } },
  });
  if (given.help) return null;
  const pages = wholeNumber("pages", given.pages ?? "1000000", { min: 1, max: 1_000_000_000 });
  const events = given.events ?? String(EVENTS_PER_PAGE * pages);
  return { pages, events: wholeNumber("events", events, { min: 0, max: 1_000_000_000_000 }) };
}

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

process.exitCode = await runCommand(readOptions, () => HELP, run);
