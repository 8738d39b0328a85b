/** The results as Markdown: the program's output, and the tables of docs/scale.md. */
import { markdownTable, type Table } from "../markdown.ts";
import { EVENTS_PER_VISIT, type Figures } from "./figures.ts";
import { FREE, type FreeLimit, LIMIT_NAMES, LIMITS, LINES, PRICES } from "./limits.ts";
import type { PageDay } from "./page-day.ts";
import { MONTH_DAYS, PLAN_DOLLARS, type Scale } from "./scale-model.ts";

const n = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en");

/** Dollars for a million events, all that the service costs in a month shared out. */
export function pricePerMillion({ dollars_per_month, options }: Scale): string {
  return n.format(dollars_per_month / ((options.events * MONTH_DAYS) / 1_000_000));
}

export function tableOf(scales: readonly Scale[]): string {
  const row = (what: string, cell: (scale: Scale) => string) => [what, ...scales.map(cell)];
  return markdown([
    row(
      "",
      ({ options }) => `${whole.format(options.pages)} ${options.pages === 1 ? "page" : "pages"}`,
    ),
    row("events a day", ({ options }) => whole.format(options.events)),
    row("events a day, hottest page", ({ hottest_events }) => n.format(hottest_events)),
    row("pages with an event a day or more", ({ active_pages }) => n.format(active_pages)),
    ...LINES.map((line) =>
      row(`${PRICES[line].unit}, a month`, ({ amounts, dollars }) => {
        return `${n.format(amounts[line])}: $${n.format(dollars[line])}`;
      }),
    ),
    row(`sum, with $${PLAN_DOLLARS} of the plan`, ({ dollars_per_month }) => {
      return `$${n.format(dollars_per_month)}`;
    }),
    row("the same for a million events", (scale) => `$${pricePerMillion(scale)}`),
    row("GB of counts in D1", ({ stats_gb }) => n.format(stats_gb)),
    row("GB of pages in D1", ({ pages_gb }) => n.format(pages_gb)),
    row("flushes a second, at the peak", ({ flushes_per_s }) => n.format(flushes_per_s)),
    row("databases STATS_n", ({ databases, databases_for: { space, writes } }) => {
      const reasons = `space ${whole.format(space)}, writes ${whole.format(writes)}`;
      return databases === 0 ? "0: DB has room" : `${whole.format(databases)} (${reasons})`;
    }),
    row("flushes a second in each", ({ flushes_per_s, databases }) => {
      return n.format(flushes_per_s / Math.max(1, databases));
    }),
    row("the first limit", ({ limits }) => {
      const [first] = limits;
      return first === undefined ? "" : `${LIMITS[first.name].what}: ${percent(first.used)} used`;
    }),
    row("limits that are passed", ({ limits }) => {
      const passed = limits.filter(({ used }) => used > 1);
      return (
        passed.map(({ name, used }) => `${LIMITS[name].what} (${percent(used)})`).join("; ") ||
        "none"
      );
    }),
  ]);
}

export function pageDaysTable(days: readonly PageDay[]): string {
  return markdown([
    ["a day of a page", ...days.map(({ name }) => name)],
    ...(
      [
        ["events", "events"],
        ["flushes", "flushes"],
        ["rows written in D1", "rows_written"],
        ["tallies, by the hour", "hour_rows"],
        ["tallies, rolled into a day", "day_rows"],
        ["bytes of tallies, by the hour", "hour_bytes"],
        ["bytes of tallies, rolled", "rolled_bytes"],
        ["bytes of the row in `days`", "days_bytes"],
      ] as const
    ).map(([what, key]) => [what, ...days.map((day) => whole.format(day[key]))]),
  ]);
}

export function pricesTable(): string {
  return markdown([
    ["list price", "$", "included a month", "source"],
    ...LINES.map((line) => {
      const { unit, dollars, per, included, source } = PRICES[line];
      const each = per === 1 ? `${dollars}` : `${dollars} a million`;
      return [unit, each, whole.format(included), source];
    }),
  ]);
}

export function limitsTable(): string {
  return markdown([
    ["limit", "is", "source"],
    ...LIMIT_NAMES.map((name) => {
      const { what, limit, source } = LIMITS[name];
      return [what, whole.format(limit), source];
    }),
  ]);
}

/** Pages of the free account in docs/scale.md. */
const FREE_PAGES = 5;

/** What a free account has in a day, and for how many events on quiet pages it lasts; the first limit first. */
export function freeTable({ quiet, days: [quiet_day] }: Figures): string {
  const per_visit: Record<FreeLimit, number> = {
    requests: quiet.requests,
    object_calls: quiet.limiter_calls + quiet.page_calls + quiet.alarms,
    object_rows: quiet.object_rows,
    d1_rows: (EVENTS_PER_VISIT * (quiet_day?.rows_written ?? 0)) / (quiet_day?.events ?? 1),
    d1_rows_read: quiet.d1_rows_read,
    kv_writes: 0,
    r2_writes: 0,
  };
  const rows = (Object.keys(FREE) as FreeLimit[]).map((name) => {
    const { what, limit, idle, idle_page, source } = FREE[name];
    const left = limit - idle - FREE_PAGES * idle_page;
    const events = (EVENTS_PER_VISIT * left) / per_visit[name];
    return { what, limit, idle, idle_page, source, each: per_visit[name], events };
  });
  rows.sort((one, other) => one.events - other.events);
  return markdown([
    [
      ...["of a free account", "a day", "idle", "and each page", "each visit"],
      ...[`events a day, ${FREE_PAGES} pages`, "source"],
    ],
    ...rows.map(({ what, limit, idle, idle_page, each, events, source }) => [
      ...[what, whole.format(Math.floor(limit)), whole.format(idle), whole.format(idle_page)],
      ...[n.format(each), each === 0 ? "" : n.format(events), source],
    ]),
  ]);
}

function percent(part: number): string {
  return `${n.format(100 * part)} %`;
}

/** All columns but the first are numbers, or about them. */
function markdown([[first = "", ...rest] = [], ...rows]: Table): string {
  return markdownTable([[first, ...rest.map((cell) => `${cell}:`)], ...rows]);
}
