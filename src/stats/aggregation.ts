/** Makes a page's statistics from the rows of D1 and the snapshot of its object. Pure. */
import { liveTotals } from "../../objects/page/live.ts";
import type { PageSnapshot } from "../../objects/page/page-snapshot.ts";
import type { DayVisitors } from "../../objects/page/tables/days.ts";
import { DAY_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../http/limits.ts";
import { breakdownsOf } from "./breakdown-shares.ts";
import { daysIn, type Period, type Span, spanOf } from "./calendar.ts";
import { lastLabel, linkLabels } from "./link-labels.ts";
import { type Axis, seriesOf, seriesOfDays } from "./series.ts";
import { type Part, periodBefore } from "./stats-query.ts";
import type { Counts, Interval, LinkStats, LinkTrend, Stats, ValueTrend } from "./stats-shape.ts";
import type { HourRow, ReadSpans, StatsRows } from "./stats-store.ts";

const COLUMN = { view: "views", click: "clicks" } as const;

export interface View extends Part {
  period: Period;
  interval: Interval;
  /** Visitors and breakdowns are stored by days of this time zone. */
  page_zone: string;
}

type ViewedDays = Pick<View, "period" | "page_zone">;

/** Includes the period before. */
export function spansToRead({ period, page_zone }: ViewedDays): ReadSpans {
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
  view: View,
  now_ms: number,
  flush_interval_ms: number,
): Stats {
  const { period, interval, page_zone } = view;
  const spans = spansOf(period, page_zone);
  const within = rows.hours.filter(isWithin(spans.local, spans.utc, rows.rolled_to));
  const visitors = visitorsIn(rows, spans.days);
  return {
    ...period,
    interval,
    totals: { ...totalsOf(within), visitors: visitors.n },
    previous: previousOf(rows, { period, page_zone }, now_ms),
    series: seriesOf(within, axisOf(view, now_ms), rows.rolled_to, (some) =>
      countsOf(some, "human"),
    ),
    links: linksOf(rows),
    breakdowns: breakdownsOf(rows.breakdowns, peopleIn(rows, spans)),
    link: linkTrend(rows, view, now_ms),
    filter: valueTrend(rows, view, now_ms),
    imported: { ...countsOf(within, "imported"), visitors: visitors.imported },
    revisions: rows.revisions.map(({ version, saved_at, what }) => ({
      version,
      at: new Date(saved_at).toISOString(),
      what,
    })),
    as_of: new Date(snapshot.watermark).toISOString(),
    pending: pendingOf(snapshot),
    behind_ms: behindBy(now_ms - snapshot.watermark, flush_interval_ms),
    flushed: {
      ...liveTotals(snapshot.totals, "flushed"),
      visitors: latestDay(rows, spans.days),
    },
  };
}

interface Spans {
  /** The requested zone, for views and clicks. */
  local: Span;
  /** The page's zone, for the dates of visitors and breakdowns. */
  days: Span;
  /** UTC, for hours that were rolled up into days. */
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

/** A stored day belongs to the date of its middle, 12 hours after its start (`calendar.ts`). */
function startsOf({ from_s, to_s }: Span): Span {
  return { from_s: from_s - HALF_DAY_S, to_s: to_s - HALF_DAY_S };
}

function isIn({ from_s, to_s }: Span, at_s: number): boolean {
  return from_s <= at_s && at_s < to_s;
}

/** A rolled-up day is one of UTC, whatever zone the hours are read in. */
function isWithin(local: Span, utc: Span, rolled_to: number) {
  return ({ hour }: { hour: number }) => isIn(hour < rolled_to ? utc : local, hour);
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

/** Leaves out imported visitors, whom the page object does not have. */
function latestDay({ visitors }: StatsRows, days: Span): DayVisitors | null {
  const starts = startsOf(days);
  const last = visitors.findLast(({ day, n, imported }) => isIn(starts, day) && n > imported);
  if (last === undefined) return null;
  return { day: new Date(last.day * SECOND_MS).toISOString(), n: last.n - last.imported };
}

/** The period before ends at the hour that this one has reached. */
function previousOf(
  rows: StatsRows,
  { period, page_zone }: ViewedDays,
  now_ms: number,
): Stats["previous"] {
  const { days } = spansOf(periodBefore(period), page_zone);
  return {
    ...countsOf(passedBefore(rows.hours, rows, { period, page_zone }, now_ms), "human"),
    visitors: hasWholeDays(period, now_ms) ? visitorsIn(rows, days).n : null,
  };
}

function passedBefore<Row extends { hour: number }>(
  hours: readonly Row[],
  { rolled_to }: Pick<StatsRows, "rolled_to">,
  { period, page_zone }: ViewedDays,
  now_ms: number,
): Row[] {
  const before = spansOf(periodBefore(period), page_zone);
  const shift_s = spanOf(period).from_s - before.local.from_s;
  return hours
    .filter(isWithin(before.local, before.utc, rolled_to))
    .filter(({ hour }) => (hour + shift_s) * SECOND_MS <= now_ms);
}

/** Whole days cannot be compared while the only day is not over. */
function hasWholeDays(period: Period, now_ms: number): boolean {
  return spanOf(period).to_s * SECOND_MS <= now_ms || daysIn(period) > 1;
}

function linkTrend(rows: StatsRows, view: View, now_ms: number): LinkTrend | null {
  const { link, period, page_zone } = view;
  if (link === null) return null;
  const { local, utc } = spansOf(period, page_zone);
  const within = rows.link_hours.filter(isWithin(local, utc, rows.rolled_to));
  return {
    link_id: link,
    previous: sum(passedBefore(rows.link_hours, rows, view, now_ms), "n"),
    series: seriesOf(within, axisOf(view, now_ms), rows.rolled_to, (some) => ({
      clicks: sum(some, "n"),
    })),
  };
}

function valueTrend(rows: StatsRows, view: View, now_ms: number): ValueTrend | null {
  const { filter, period, page_zone } = view;
  if (filter === null) return null;
  const counts = (some: readonly Counts[]) => ({
    views: sum(some, "views"),
    clicks: sum(some, "clicks"),
  });
  return {
    ...filter,
    ...counts(rows.value_days),
    previous: hasWholeDays(period, now_ms) ? counts(rows.value_before) : null,
    series: seriesOfDays(rows.value_days, axisOf(view, now_ms), page_zone, counts),
  };
}

function axisOf({ period, interval }: View, now_ms: number): Axis {
  return { period, interval, now_ms };
}

function sum<Column extends string>(
  rows: readonly Readonly<Record<Column, number>>[],
  column: Column,
): number {
  return rows.reduce((total, row) => total + row[column], 0);
}

function linksOf({ page, links, clicks }: StatsRows): LinkStats[] {
  const clicked = new Map(clicks.map((row) => [row.link_id, row]));
  const urls = new Map(links.map(({ link_id, url }) => [link_id, url]));
  const present = linkLabels(page, links);
  const gone = clicks.filter(({ link_id }) => !present.has(link_id));
  return [
    ...[...present].map(([link_id, label]) => {
      const { n = 0, imported = 0 } = clicked.get(link_id) ?? {};
      const url = urls.get(link_id) ?? null;
      return { link_id, label, removed: false, clicks: n, imported, url };
    }),
    ...gone.map(({ link_id, n, imported, last_label }) => {
      const label = lastLabel(page, links, link_id, last_label);
      return { link_id, label, removed: true, clicks: n, imported, url: null };
    }),
  ].sort((a, b) => b.clicks - a.clicks);
}

function peopleIn({ hours, rolled_to }: StatsRows, { days, utc }: Spans): Counts {
  return countsOf(hours.filter(isWithin(days, utc, rolled_to)), "human");
}

/**
 * The object has just flushed what waited for longer than its interval, so D1 keeps out what still
 * waits. The time of a slow request is not a delay.
 */
function behindBy(waited_ms: number, flush_interval_ms: number): number {
  return waited_ms > flush_interval_ms + DEPENDENCY_TIMEOUT_MS ? waited_ms : 0;
}

function pendingOf({ totals }: PageSnapshot): Counts {
  const pending: Counts = { views: 0, clicks: 0 };
  for (const total of totals) {
    if (total.class === "human") pending[COLUMN[total.kind]] += total.pending;
  }
  return pending;
}
