/** `npm run scale` and docs/scale.md: the arithmetic, the command line, and that the page is the program's output. */
import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { BAD_OPTIONS, BadOption, runCommand } from "../command-line.ts";
import { readFigures } from "./figures.ts";
import { LIMIT_NAMES, LIMITS, LINES, PRICES } from "./limits.ts";
import { HELP, readOptions } from "./options.ts";
import { KINDS, measurePageDays } from "./page-day.ts";
import { groupsOf, ofPageDay, PLAN_DOLLARS, scaleOf } from "./scale-model.ts";
import { limitsTable, pageDaysTable, pricesTable, tableOf } from "./scale-table.ts";

const FIGURES = readFigures();
const SIZES = [10_000, 1_000_000, 50_000_000] as const;

function usual(...args: string[]) {
  const options = readOptions(args);
  if (options === null) throw new Error("these are options");
  const { is_json, ...rest } = options;
  return rest;
}

const of = (...args: string[]) => scaleOf(usual(...args), FIGURES);

describe.each(SIZES)("%d pages", (pages) => {
  const scale = of("--pages", String(pages));

  test("the traffic of all pages is that of the options, and no page has more than one before it", () => {
    const groups = groupsOf(scale.options);
    const sum = (number: (group: { pages: number; events: number }) => number) =>
      groups.reduce((all, group) => all + number(group), 0);
    expect(sum((group) => group.pages)).toBe(pages);
    expect(sum((group) => group.pages * group.events)).toBeCloseTo(scale.options.events, -1);
    expect(groups.every(({ events }, i) => i === 0 || events <= (groups[i - 1]?.events ?? 0))).toBe(
      true,
    );
  });

  test("the sum is that of its parts, each of them its amount above what is included, by the price", () => {
    const parts = LINES.map((line) => {
      const { dollars, per, included } = PRICES[line];
      return Math.max(0, scale.amounts[line] - included) * (dollars / per);
    });
    expect(scale.dollars_per_month).toBeCloseTo(
      parts.reduce((a, b) => a + b, PLAN_DOLLARS),
      4,
    );
    expect(scale.amounts.d1_gb).toBeCloseTo(scale.stats_gb + scale.pages_gb, 6);
  });

  test("each database has room for its counts, and with one fewer there would be none", () => {
    const { databases, stats_gb, pages_gb, flushes_per_s } = scale;
    const fits = (n: number) =>
      (n === 0 ? pages_gb + stats_gb : stats_gb / n) <= 0.8 * LIMITS.database_gb.limit &&
      flushes_per_s / Math.max(1, n) <= 0.8 * LIMITS.flushes_per_s.limit;
    expect(fits(databases)).toBe(true);
    if (databases > 0) expect(fits(databases - 1)).toBe(false);
    expect(scale.limits.map(({ name }) => name).sort()).toEqual([...LIMIT_NAMES].sort());
  });
});

describe("the model", () => {
  test("where all pages have the same traffic, twice the pages are twice the amounts", () => {
    const [one, two] = [100_000, 200_000].map((pages) =>
      of("--pages", String(pages), "--zipf", "0"),
    );
    for (const line of LINES)
      expect(two?.amounts[line]).toBeCloseTo(2 * (one?.amounts[line] ?? 0), 2);
    expect(two?.flushes_per_s).toBeCloseTo(2 * (one?.flushes_per_s ?? 0), 6);
  });

  test("the exact sum over every page of a small service is that of its groups, within 1 %", () => {
    const options = usual("--pages", "20000");
    const weights = Array.from({ length: 20_000 }, (_, i) => 1 / (i + 1));
    const total = weights.reduce((a, b) => a + b, 0);
    const rows = weights.map((weight) =>
      ofPageDay(FIGURES.days, (options.events * weight) / total, (day) => day.rows_written),
    );
    const exact = 30 * rows.reduce((a, b) => a + b, 0);
    expect(scaleOf(options, FIGURES).amounts.d1_rows / exact).toBeCloseTo(1, 2);
  });

  test("counts leave DB where they do not fit beside the pages, and every flush then asks DB", () => {
    const [alone, beside] = ["6000", "50000"].map((bytes) =>
      of("--pages", "40000", "--page-bytes", bytes),
    );
    const used = (scale: typeof alone) =>
      Object.fromEntries(scale?.limits.map(({ name, used }) => [name, used]) ?? []);
    expect([alone?.databases, used(alone).main_reads_per_s]).toEqual([0, 0]);
    expect([beside?.databases, beside?.pages_gb]).toEqual([1, 2]);
    expect(used(beside).database_gb).toBe(0.2);
    expect(used(beside).main_reads_per_s).toBe((beside?.flushes_per_s ?? 0) / 1_000);
  });

  test("pages without events cost their space alone", () => {
    const { amounts, dollars_per_month, hottest_events, limits } = of("--events", "0");
    for (const line of LINES) {
      expect([line, amounts[line]]).toEqual([line, line === "d1_gb" ? 6 : 0]);
    }
    expect([dollars_per_month, hottest_events]).toEqual([PLAN_DOLLARS + 0.75, 0]);
    expect(limits.every(({ used }) => Number.isFinite(used))).toBe(true);
  });

  test("a measured kind costs what was measured, and never less than one with fewer events", () => {
    for (const day of FIGURES.days) {
      expect(ofPageDay(FIGURES.days, day.events, (each) => each.rows_written)).toBeCloseTo(
        day.rows_written,
        6,
      );
    }
    const rows = [0, 1, 20, 100, 1_000, 50_000, 1e7].map((events) =>
      ofPageDay(FIGURES.days, events, (day) => day.flushes),
    );
    expect(rows).toEqual([...rows].sort((a, b) => a - b));
  });
});

test("the page-days of quiet pages are still those that were measured, row by row", {
  timeout: 400_000,
}, async () => {
  const kinds = KINDS.filter(({ events }) => events <= 1_000);
  const days = await measurePageDays(kinds);
  expect(days).toEqual(FIGURES.days.slice(0, kinds.length));
});

describe("docs/scale.md", () => {
  const page = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");
  test.each([
    ["sizes", tableOf(SIZES.map((pages) => of("--pages", String(pages))))],
    ["page-days", pageDaysTable(FIGURES.days)],
    ["prices", pricesTable()],
    ["limits", limitsTable()],
  ])("has the program's table of %s", (name, table) => {
    const found = page.split(`<!-- scale:${name} -->\n`)[1]?.split(`\n<!-- /scale:${name} -->`)[0];
    expect(found).toBe(table);
  });
});

describe("the command line", () => {
  test("without options it is a million pages with 20 events a day each", () => {
    expect(usual()).toEqual({
      pages: 1_000_000,
      events: 20_000_000,
      zipf: 1,
      years: 1,
      peak: 3,
      page_bytes: 6_000,
    });
    expect(readOptions(["--json"])).toMatchObject({ is_json: true });
    expect(usual("--pages", "5", "--events", "7")).toMatchObject({ pages: 5, events: 7 });
  });

  test.each([
    [["--pagse", "1"]],
    [["--pages"]],
    [["--pages", "0"]],
    [["--pages", "1e6"]],
    [["--pages", "1000000000000"]],
    [["--events", "-1"]],
    [["--events", ""]],
    [["a page"]],
    [["--zipf", "4"]],
    [["--zipf", "x"]],
    [["--peak", "0.5"]],
    [["--years", "0"]],
    [["--page-bytes", "1.5"]],
  ])("%j is refused, in both languages", async (args) => {
    expect(() => readOptions(args)).toThrow(BadOption);
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => error.mockRestore());
    const code = await runCommand(
      () => readOptions(args),
      () => HELP,
      async () => 0,
    );
    expect(code).toBe(BAD_OPTIONS);
    expect(error.mock.calls.join()).toMatch(/[\u0600-\u06ff]/);
  });

  test("the help names every option", () => {
    expect(readOptions(["--help"])).toBeNull();
    for (const option of [
      "pages",
      "events",
      "zipf",
      "years",
      "peak",
      "page-bytes",
      "json",
      "help",
    ]) {
      expect(HELP).toContain(`  --${option}`);
    }
  });
});
