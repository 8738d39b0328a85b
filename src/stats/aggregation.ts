/** Makes a page's statistics from the rows of D1 and the snapshot of its object. Pure. */
import { liveTotals } from "../../objects/page/live.ts";
import type { PageSnapshot } from "../../objects/page/page-snapshot.ts";
import { DAY_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { breakdownsOf } from "./breakdown-shares.ts";
import { daysIn, daysOf, hoursOf, localTime, type Period, type Span, spanOf } from "./calendar.ts";
import { lastLabel, linkLabels } from "./link-labels.ts";
import { periodBefore } from "./stats-query.ts";
import type { Counts, Interval, LinkStats, Stats } from "./stats-shape.ts";
import type { HourRow, ReadSpans, StatsRows } from "./stats-store.ts";

const COLUMN = { view: "views", click: "clicks" } as const;

/** Which statistics of a page are asked for. */
export interface View {
  period: Period;
  interval: Interval;
  /** The page's time zone, by whose days visitors and breakdowns are stored. */
  page_zone: string;
}

/** What to read for the statistics of a period, which include the period before. */
export function spansToRead({ period, page_zone }: Omit<View, "interval">): ReadSpans {
  const now = spansOf(period, page_zone);
  const before = spansOf(periodBefore(period), page_zone);
  return {
    hours: {
      from_s: Math.min(before.local.from_s, before.days.from_s, before.utc.from_s),
      to_s: Math.max(now.local.to_s, now.days.to_s, now.utc.to_s),
    },
    period: now.local,
    utc: now.utc,
    days: startsOf(now.days),
    days_before_s: startsOf(before.days).from_s,
  };
}

export function statsOf(
  rows: StatsRows,
  snapshot: PageSnapshot,
  { period, interval, page_zone }: View,
  now_ms: number,
): Stats {
  const spans = spansOf(period, page_zone);
  const within = rows.hours.filter(isWithin(spans.local, spans.utc, rows.rolled_to));
  const visitors = visitorsIn(rows, spans.days);
  return {
    ...period,
    interval,
    totals: { ...totalsOf(within), visitors: visitors.n },
    previous: previousOf(rows, { period, page_zone }, now_ms),
    series:
      interval === "hour"
        ? byHour(within, period, now_ms)
        : byDay(within, period, rows.rolled_to, now_ms),
    links: linksOf(rows),
    breakdowns: breakdownsOf(rows.shares, peopleIn(rows, spans)),
    imported: { ...countsOf(within, "imported"), visitors: visitors.imported },
    revisions: rows.revisions.map(({ version, saved_at, what }) => ({
      version,
      at: new Date(saved_at).toISOString(),
      what,
    })),
    as_of: new Date(snapshot.watermark).toISOString(),
    pending: pendingOf(snapshot),
    flushed: liveTotals(snapshot.totals, "flushed"),
  };
}

/** The dates of a period in three time zones. */
interface Spans {
  /** In the requested zone: views and clicks. */
  local: Span;
  /** In the page's zone: the dates of visitors and breakdowns. */
  days: Span;
  /** In UTC: hours that were rolled up into days. */
  utc: Span;
}

function spansOf(period: Period, page_zone: string): Spans {
  return {
    local: spanOf(period),
    days: spanOf({ ...period, tz: page_zone }),
    utc: spanOf({ ...period, tz: "UTC" }),
  };
}

const HALF_DAY_S = DAY_MS / SECOND_MS / 2;

/**
 * When the stored days of a span start: a day belongs to the date of its middle, taken as 12 hours
 * after its start (`calendar.ts`).
 */
function startsOf({ from_s, to_s }: Span): Span {
  return { from_s: from_s - HALF_DAY_S, to_s: to_s - HALF_DAY_S };
}

function isIn({ from_s, to_s }: Span, at_s: number): boolean {
  return from_s <= at_s && at_s < to_s;
}

/** Hours are matched in a time zone, rolled-up days in UTC. */
function isWithin(local: Span, utc: Span, rolled_to: number) {
  return ({ hour }: HourRow) => isIn(hour < rolled_to ? utc : local, hour);
}

function countsOf(rows: readonly HourRow[], column: "human" | "imported"): Counts {
  const counts: Counts = { views: 0, clicks: 0 };
  for (const row of rows) counts[COLUMN[row.kind]] += row[column];
  return counts;
}

function totalsOf(rows: readonly HourRow[]) {
  const totals = { ...countsOf(rows, "human"), bots: 0, owner: 0, limited: 0 };
  for (const { bot, owner, limited } of rows) {
    totals.bots += bot;
    totals.owner += owner;
    totals.limited += limited;
  }
  return totals;
}

function visitorsIn({ visitors }: StatsRows, days: Span): { n: number; imported: number } {
  const sum = { n: 0, imported: 0 };
  const starts = startsOf(days);
  for (const { day, n, imported } of visitors) {
    if (!isIn(starts, day)) continue;
    sum.n += n;
    sum.imported += imported;
  }
  return sum;
}

/** The period before, cut at the hour that this one has reached. */
function previousOf(
  rows: StatsRows,
  { period, page_zone }: Omit<View, "interval">,
  now_ms: number,
): Stats["previous"] {
  const before = spansOf(periodBefore(period), page_zone);
  const { local } = spansOf(period, page_zone);
  const shift_s = local.from_s - before.local.from_s;
  const is_over = local.to_s * SECOND_MS <= now_ms;
  const passed = rows.hours
    .filter(isWithin(before.local, before.utc, rows.rolled_to))
    .filter(({ hour }) => (hour + shift_s) * SECOND_MS <= now_ms);
  const comparable = is_over || daysIn(period) > 1;
  return {
    ...countsOf(passed, "human"),
    visitors: comparable ? visitorsIn(rows, before.days).n : null,
  };
}

function byHour(rows: readonly HourRow[], period: Period, now_ms: number): Stats["series"] {
  const by_hour = Map.groupBy(rows, ({ hour }) => hour);
  return hoursOf(spanOf(period))
    .filter((hour) => hour * SECOND_MS <= now_ms)
    .map((hour) => ({
      t: localTime(hour, period.tz),
      ...countsOf(by_hour.get(hour) ?? [], "human"),
    }));
}

function byDay(
  rows: readonly HourRow[],
  period: Period,
  rolled_to: number,
  now_ms: number,
): Stats["series"] {
  const days = daysOf(period);
  const by_date = Map.groupBy(rows, ({ hour }) =>
    hour < rolled_to
      ? new Date(hour * SECOND_MS).toISOString().slice(0, "YYYY-MM-DD".length)
      : days.find((day) => isIn(day, hour))?.date,
  );
  return days
    .filter(({ from_s }) => from_s * SECOND_MS <= now_ms)
    .map(({ date, from_s }) => ({
      t: localTime(from_s, period.tz),
      ...countsOf(by_date.get(date) ?? [], "human"),
    }));
}

function linksOf({ page, links, clicks }: StatsRows): LinkStats[] {
  const clicked = new Map(clicks.map((row) => [row.link_id, row]));
  const present = linkLabels(page, links);
  const gone = clicks.filter(({ link_id }) => !present.has(link_id));
  return [
    ...[...present].map(([link_id, label]) => {
      const { n = 0, imported = 0 } = clicked.get(link_id) ?? {};
      return { link_id, label, removed: false, clicks: n, imported };
    }),
    ...gone.map(({ link_id, n, imported, last_label }) => {
      const label = lastLabel(page, links, link_id, last_label);
      return { link_id, label, removed: true, clicks: n, imported };
    }),
  ].sort((a, b) => b.clicks - a.clicks);
}

/** The human events of the page's days, to which every dimension adds up. */
function peopleIn({ hours, rolled_to }: StatsRows, { days, utc }: Spans): Counts {
  return countsOf(hours.filter(isWithin(days, utc, rolled_to)), "human");
}

function pendingOf({ totals }: PageSnapshot): Counts {
  const pending: Counts = { views: 0, clicks: 0 };
  for (const total of totals) {
    if (total.class === "human") pending[COLUMN[total.kind]] += total.pending;
  }
  return pending;
}
