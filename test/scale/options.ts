import { decimalNumber, parseOptions, wholeNumber } from "../command-line.ts";
import type { ScaleOptions } from "./scale-model.ts";

/** Events of a page and day where `--events` does not say how many there are. */
const EVENTS_PER_PAGE = 20;

const OPTIONS = {
  pages: { type: "string" },
  events: { type: "string" },
  zipf: { type: "string" },
  years: { type: "string" },
  peak: { type: "string" },
  "page-bytes": { type: "string" },
  help: { type: "boolean" },
} as const;

/** The options, or null for `--help`. @throws {BadOption} */
export function readOptions(args: readonly string[]): ScaleOptions | null {
  const given = parseOptions(args, OPTIONS);
  if (given.help) return null;
  const pages = wholeNumber("pages", given.pages ?? "1000000", { min: 1, max: 1_000_000_000 });
  return {
    pages,
    events: wholeNumber("events", given.events ?? String(EVENTS_PER_PAGE * pages), {
      min: 0,
      max: 1_000_000_000_000,
    }),
    zipf: decimalNumber("zipf", given.zipf ?? "1", { min: 0, max: 3 }),
    years: wholeNumber("years", given.years ?? "1", { min: 1, max: 50 }),
    peak: decimalNumber("peak", given.peak ?? "3", { min: 1, max: 1_000 }),
    page_bytes: wholeNumber("page-bytes", given["page-bytes"] ?? "6000", {
      min: 100,
      max: 10_000_000,
    }),
  };
}

/** The text of `--help`. Arabic has lines of its own, so that the writing directions do not mix. */
export const HELP = `npm run scale -- [options]

What a number of pages costs on the platform, how many databases it needs, and where the first limit is.
docs/scale.md explains the parameters and where the figures come from.

كلفة عدد من الصفحات على المنصة، وعدد قواعد البيانات اللازمة، وأول حدّ يُبلَغ.

  --pages N        pages (1000000)
                   عدد الصفحات
  --events N       views and clicks a day, of all pages (20 for each page)
                   المشاهدات والنقرات في اليوم للصفحات كلها
  --zipf S         the page of rank r gets a share of 1 / r^S; 0: all the same (1)
                   توزيع الزيارات على الصفحات، والصفر للتساوي
  --years N        how long the pages exist (1)
                   عمر الصفحات بالسنين
  --peak N         the busiest second of a day, by the mean one (3)
                   أكثر الثواني ازدحامًا قياسًا إلى المتوسط
  --page-bytes N   a page in the database: document, revisions, indexes (6000)
                   حجم الصفحة في قاعدة البيانات بالبايت
  --help           show this help
                   اعرض هذه المساعدة
`;
