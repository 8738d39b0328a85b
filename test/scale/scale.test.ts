/** `npm run scale` and docs/scale.md: the arithmetic, and that the page is the program's output. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { partOf } from "../markdown.ts";
import { readFigures } from "./figures.ts";
import { LIMITS, LINES, PRICES } from "./limits.ts";
import { KINDS, measurePageDays } from "./page-day.ts";
import { EVENTS_PER_PAGE, ofPageDay, PLAN_DOLLARS, scaleOf } from "./scale-model.ts";
import {
  freeTable,
  limitsTable,
  pageDaysTable,
  pricePerMillion,
  pricesTable,
  tableOf,
} from "./scale-table.ts";

const FIGURES = readFigures();
const SIZES = [10_000, 1_000_000, 50_000_000] as const;

const of = (pages: number) => scaleOf({ pages, events: EVENTS_PER_PAGE * pages }, FIGURES);

test.each(SIZES)("%d pages cost the sum of their parts, in as few databases as needed", (pages) => {
  const scale = of(pages);
  const { amounts, dollars_per_month, databases, stats_gb, pages_gb, flushes_per_s } = scale;
  const parts = LINES.map((line) => {
    const { dollars, per, included } = PRICES[line];
    return Math.max(0, amounts[line] - included) * (dollars / per);
  });
  expect(dollars_per_month).toBeCloseTo(
    parts.reduce((a, b) => a + b, PLAN_DOLLARS),
    4,
  );
  const fits = (n: number) =>
    (n === 0 ? pages_gb + stats_gb : stats_gb / n) <= 0.8 * LIMITS.database_gb.limit &&
    flushes_per_s / Math.max(1, n) <= 0.8 * LIMITS.flushes_per_s.limit;
  expect(fits(databases)).toBe(true);
  if (databases > 0) expect(fits(databases - 1)).toBe(false);
});

test("the exact sum over every page of a small service is that of its groups, within 1 %", () => {
  const { options, amounts } = of(20_000);
  const weights = Array.from({ length: options.pages }, (_, i) => 1 / (i + 1));
  const total = weights.reduce((a, b) => a + b, 0);
  const rows = weights.map((weight) =>
    ofPageDay(FIGURES.days, (options.events * weight) / total, (day) => day.rows_written),
  );
  const exact = 30 * rows.reduce((a, b) => a + b, 0);
  expect(amounts.d1_rows / exact).toBeCloseTo(1, 2);
});

test("the page-days of quiet pages are still those that were measured, row by row", {
  timeout: 400_000,
}, async () => {
  const kinds = KINDS.filter(({ events }) => events <= 1_000);
  const days = await measurePageDays(kinds);
  expect(days).toEqual(FIGURES.days.slice(0, kinds.length));
});

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("the README has the program's price of a million events, and no other price is near one", () => {
  const price = pricePerMillion(of(1_000_000));
  expect(read("README.md").match(/\$\d[\d.]*/g)).toEqual([`$${price}`]);
});

describe("docs/scale.md", () => {
  const page = read("docs/scale.md");
  test.each([
    ["sizes", tableOf(SIZES.map(of))],
    ["page-days", pageDaysTable(FIGURES.days)],
    ["prices", pricesTable()],
    ["limits", limitsTable()],
    ["free", freeTable(FIGURES)],
  ])("has the program's table of %s", (name, table) => {
    expect(partOf(page, `scale:${name}`)).toBe(table);
  });
});
