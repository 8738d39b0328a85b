/**
 * What a number of pages costs, and where the first limit is. Pure: everything follows from the
 * options and the measured figures. docs/scale.md explains the parameters.
 */
import { CAUSES, EVENTS_PER_VISIT, type Figures } from "./figures.ts";
import { LIMIT_NAMES, LIMITS, LINES, type LimitName, type Line, PRICES } from "./limits.ts";
import type { PageDay } from "./page-day.ts";

export interface ScaleOptions {
  pages: number;
  /** Events a day, of all pages. */
  events: number;
}

/** Events of a page and day. */
export const EVENTS_PER_PAGE = 20;

/** Not measured: docs/scale.md says why these were chosen. */
const ASSUMED = {
  /** How long the pages exist. */
  years: 1,
  /** The busiest second of a day, by the mean one. */
  peak: 3,
  /** Of a page in the database `DB`: its document, revisions and indexes. */
  page_bytes: 6_000,
  /** Tables and free space of an object that has counted something. */
  object_bytes: 100_000,
  /** An object is billed while it works or waits for D1, with 128 MB. */
  call_ms: 5,
  flush_ms: 50,
  object_gb: 0.128,
  /** CPU of the Worker for a visit: a cached page and its events, from the bench's table of speeds. */
  visit_cpu_ms: 0.13 + EVENTS_PER_VISIT * 0.4,
} as const;

/** Parts of a limit up to which a database is filled. */
const FILLED = 0.8;
const HOURS_KEPT_DAYS = 90;
const YEAR_DAYS = 365;
export const MONTH_DAYS = 30;
const DAY_S = 86_400;
const GB = 1e9;
/** Pages that a run of the cron visits, in each minute. */
const SWEPT_PER_DAY = 500 * 1_440;
/** Above this rank, pages with nearly the same traffic are counted together. */
const SINGLE_RANKS = 1_000;
const STEP = 1.02;

interface Group {
  pages: number;
  /** Events a day of one of them. */
  events: number;
}

export interface Scale {
  options: ScaleOptions;
  /** A month of all pages, by what is billed. */
  amounts: Record<Line, number>;
  dollars: Record<Line, number>;
  dollars_per_month: number;
  /** Pages with an event a day or more, and events a day of the hottest. */
  active_pages: number;
  hottest_events: number;
  stats_gb: number;
  pages_gb: number;
  flushes_per_s: number;
  /** Databases STATS_0…n, 0 where `DB` has room for all, and how many space and writes ask for. */
  databases: number;
  databases_for: { space: number; writes: number };
  /** Each limit with the part of it that is used; above 1 it is passed. The largest first. */
  limits: { name: LimitName; used: number }[];
}

/** Traffic of all pages by rank, of which each gets a share of 1 / rank; the sum of events is exactly that of the options. */
function groupsOf({ pages, events }: ScaleOptions): Group[] {
  const weights: { pages: number; weight: number }[] = [];
  for (let rank = 1; rank <= pages; ) {
    const to = rank <= SINGLE_RANKS ? rank : Math.min(pages, Math.ceil(rank * STEP));
    const middle = Math.sqrt(rank * to);
    weights.push({ pages: to - rank + 1, weight: 1 / middle });
    rank = to + 1;
  }
  const sum = weights.reduce((all, group) => all + group.pages * group.weight, 0);
  return weights.map((group) => ({ pages: group.pages, events: (events * group.weight) / sum }));
}

/**
 * A number of a page-day with this many events: between two measured kinds on the straight line of
 * their logarithms, below the quietest in proportion, above the hottest the same.
 */
export function ofPageDay(
  days: readonly PageDay[],
  events: number,
  number: (day: PageDay) => number,
): number {
  const above = days.findIndex((day) => day.events >= events);
  const to = days[above];
  const from = days[above - 1];
  if (to === undefined) return number(days.at(-1) as PageDay);
  if (from === undefined) return (number(to) * events) / to.events;
  const part = Math.log(events / from.events) / Math.log(to.events / from.events);
  return number(from) * (number(to) / number(from)) ** part;
}

export function scaleOf(options: ScaleOptions, { days, hot, quiet }: Figures): Scale {
  const groups = groupsOf(options);
  const sum = (number: (group: Group) => number) =>
    groups.reduce((all, group) => all + group.pages * number(group), 0);
  const perDay = (number: (day: PageDay) => number) =>
    sum(({ events }) => ofPageDay(days, events, number));
  const [first, last] = [days[1] ?? days[0], days.at(-1)];
  /** 0 for a page with a thousand events a day or fewer, 1 for the hottest kind. */
  const heat = (events: number) => {
    const [low, high] = [first?.events ?? 1, last?.events ?? 2];
    return Math.min(1, Math.max(0, Math.log(events / low) / Math.log(high / low)));
  };
  const visits = (options.events / EVENTS_PER_VISIT) * MONTH_DAYS;
  const caused = Object.fromEntries(
    CAUSES.map((cause) => [
      cause,
      MONTH_DAYS *
        sum(({ events }) => {
          const part = heat(events);
          return (events / EVENTS_PER_VISIT) * (part * hot[cause] + (1 - part) * quiet[cause]);
        }),
    ]),
  ) as Record<(typeof CAUSES)[number], number>;
  const flushes_per_day = perDay((day) => day.flushes);
  const kept_days = ASSUMED.years * YEAR_DAYS;
  const hours_days = Math.min(HOURS_KEPT_DAYS, kept_days);
  const stats_gb =
    (hours_days * perDay((day) => day.hour_bytes) +
      (kept_days - hours_days) * perDay((day) => day.rolled_bytes) +
      kept_days * perDay((day) => day.days_bytes)) /
    GB;
  const pages_gb = (options.pages * ASSUMED.page_bytes) / GB;
  const active_pages = sum(({ events }) => (events >= 1 ? 1 : 0));
  const counting_pages = sum(({ events }) => Math.min(1, events * kept_days));
  const calls = caused.limiter_calls + caused.page_calls + caused.alarms;
  const object_ms = calls * ASSUMED.call_ms + MONTH_DAYS * flushes_per_day * ASSUMED.flush_ms;
  const amounts: Record<Line, number> = {
    requests: caused.requests,
    cpu_ms: visits * ASSUMED.visit_cpu_ms,
    object_calls: calls,
    object_gbs: (object_ms / 1_000) * ASSUMED.object_gb,
    object_rows: caused.object_rows,
    object_gb: (counting_pages * ASSUMED.object_bytes) / GB,
    d1_rows: MONTH_DAYS * perDay((day) => day.rows_written),
    d1_rows_read: caused.d1_rows_read,
    d1_gb: stats_gb + pages_gb,
  };
  const dollars = Object.fromEntries(
    LINES.map((line) => {
      const { dollars: price, per, included } = PRICES[line];
      return [line, (Math.max(0, amounts[line] - included) / per) * price];
    }),
  ) as Record<Line, number>;
  const flushes_per_s = (flushes_per_day / DAY_S) * ASSUMED.peak;
  const databases_for = {
    space: Math.ceil(stats_gb / (LIMITS.database_gb.limit * FILLED)),
    writes: Math.ceil(flushes_per_s / (LIMITS.flushes_per_s.limit * FILLED)),
  };
  const fitsInMain =
    pages_gb + stats_gb <= LIMITS.database_gb.limit * FILLED && databases_for.writes <= 1;
  const databases = fitsInMain ? 0 : Math.max(1, databases_for.space, databases_for.writes);
  const hottest_events = groups[0]?.events ?? 0;
  const used: Record<LimitName, number> = {
    // `DB` has the pages themselves, which STATS_n do not relieve, and the counts while it is alone.
    database_gb: (pages_gb + (databases === 0 ? stats_gb : 0)) / LIMITS.database_gb.limit,
    account_gb: (pages_gb + stats_gb) / LIMITS.account_gb.limit,
    flushes_per_s: flushes_per_s / Math.max(1, databases) / LIMITS.flushes_per_s.limit,
    // A flush into another database first asks `DB` whether the page is there.
    main_reads_per_s: databases === 0 ? 0 : flushes_per_s / LIMITS.main_reads_per_s.limit,
    databases: databases / LIMITS.databases.limit,
    hottest_per_s: ((hottest_events / DAY_S) * ASSUMED.peak) / LIMITS.hottest_per_s.limit,
    sweep_days: options.pages / SWEPT_PER_DAY / LIMITS.sweep_days.limit,
  };
  return {
    options,
    amounts,
    dollars,
    dollars_per_month: PLAN_DOLLARS + LINES.reduce((all, line) => all + dollars[line], 0),
    active_pages,
    hottest_events,
    stats_gb,
    pages_gb,
    flushes_per_s,
    databases,
    databases_for,
    limits: LIMIT_NAMES.map((name) => ({ name, used: used[name] })).sort((a, b) => b.used - a.used),
  };
}

/** The paid plan, a month. */
export const PLAN_DOLLARS = 5;
