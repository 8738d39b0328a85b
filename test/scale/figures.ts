/** What was measured: the bench's visits (docs/performance.md) and the page-days beside this file. */
import { readFileSync } from "node:fs";
import { partOf } from "../markdown.ts";
import type { PageDay } from "./page-day.ts";

/** Things that a visit causes: a page, its files, one view and half a click. */
export const EVENTS_PER_VISIT = 1.5;

/** Lines of the bench's table and their list price in it, by which its dollars become numbers. */
const ROWS = {
  requests: ["Worker requests: the page and its events", "Worker requests: its files"],
  limiter_calls: ["calls of limiter objects"],
  page_calls: ["calls of page objects"],
  alarms: ["alarms"],
  object_rows: ["rows of limiter objects", "rows of page objects"],
  d1_rows_read: ["rows read in D1"],
} as const;
type Cause = keyof typeof ROWS;
export const CAUSES = Object.keys(ROWS) as Cause[];

type PerVisit = Record<Cause, number>;

export interface Figures {
  runs: { bench: string; page_days: string };
  hot: PerVisit;
  quiet: PerVisit;
  days: PageDay[];
}

/** @throws if docs/performance.md no longer has one of the lines. */
export function readFigures(): Figures {
  const performance = readFileSync(new URL("../../docs/performance.md", import.meta.url), "utf8");
  const { date, days } = JSON.parse(
    readFileSync(new URL("page-days.json", import.meta.url), "utf8"),
  ) as { date: string; days: PageDay[] };
  return {
    runs: { bench: partOf(performance, "bench:machine").slice(0, 10), page_days: date },
    hot: perVisit(partOf(performance, "bench:visits"), 1),
    quiet: perVisit(partOf(performance, "bench:visits"), 2),
    days,
  };
}

function perVisit(table: string, column: number): PerVisit {
  const of = (name: string): number => {
    const line = table.split("\n").find((each) => each.startsWith(`| ${name} |`));
    const cells = line?.split("|").slice(2).map(Number) ?? [];
    const [price, dollars] = [cells[0], cells[column]];
    if (!price || dollars === undefined || Number.isNaN(dollars)) {
      throw new Error(`docs/performance.md does not say what "${name}" costs`);
    }
    // Dollars per million visits, by dollars per million things.
    return dollars / price;
  };
  const entries = CAUSES.map((cause) => [
    cause,
    ROWS[cause].reduce((sum, row) => sum + of(row), 0),
  ]);
  return Object.fromEntries(entries) as PerVisit;
}
