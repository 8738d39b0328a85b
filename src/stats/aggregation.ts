/** Makes a page's statistics from the rows of D1 and the snapshot of its object. Pure. */
import { liveTotals } from "../../objects/page/live.ts";
import type { PageSnapshot } from "../../objects/page/page-snapshot.ts";
import { SECOND_MS } from "../../objects/platform/clock.ts";
import { breakdownsOf } from "./breakdown-shares.ts";
import { daysIn, daysOf, hoursOf, localTime, type Period, type Span, spanOf } from "./calendar.ts";
import { linkLabels } from "./link-labels.ts";
import { periodBefore } from "./stats-query.ts";
import type { Counts, Interval, LinkStats, Stats } from "./stats-shape.ts";
import type { HourRow, ReadSpans, StatsRows } from "./stats-store.ts";

const COLUMN = { view: "views", click: "clicks" } as const;

/** What to read for the statistics of a period, which include the period before. */
export function spansToRead(period: Period): ReadSpans {
  const [now, before] = [spansOf(period), spansOf(periodBefore(period))];
  return {
    hours: {
      from_s: Math.min(before.local.from_s, before.utc.from_s),
      to_s: Math.max(now.local.to_s, now.utc.to_s),
    },
    period: now.local,
    utc: now.utc,
    utc_before_s: before.utc.from_s,
  };
}

export function statsOf(
  rows: StatsRows,
  snapshot: PageSnapshot,
  { period, interval }: { period: Period; interval: Interval },
  now_ms: number,
): Stats {
  const within = rows.hours.filter(isWithin(spansOf(period), rows.rolled_to));
  return {
    ...period,
    interval,
    totals: { ...totalsOf(within), visitors: visitorsIn(rows, spansOf(period).utc) },
    previous: previousOf(rows, period, now_ms),
    series:
      interval === "hour"
        ? byHour(within, period, now_ms)
        : byDay(within, period, rows.rolled_to, now_ms),
    links: linksOf(rows),
    breakdowns: breakdownsOf(rows.shares, peopleIn(rows, spansOf(period).utc)),
    imported: countsOf(within, "imported"),
    as_of: new Date(snapshot.watermark).toISOString(),
    pending: pendingOf(snapshot),
    flushed: liveTotals(snapshot.totals, "flushed"),
  };
}

/** A period in the creator's time zone, and the same dates in UTC. */
interface Spans {
  local: Span;
  utc: Span;
}

function spansOf(period: Period): Spans {
  return { local: spanOf(period), utc: spanOf({ ...period, tz: "UTC" }) };
}

function isIn({ from_s, to_s }: Span, at_s: number): boolean {
  return from_s <= at_s && at_s < to_s;
}

/** Hours are matched in the creator's time zone, rolled-up days in UTC. */
function isWithin({ local, utc }: Spans, rolled_to: number) {
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

function visitorsIn({ visitors }: StatsRows, utc: Span): number {
  return visitors.reduce((sum, { day, n }) => sum + (isIn(utc, day) ? n : 0), 0);
}

/** The period before, cut at the hour that this one has reached. */
function previousOf(rows: StatsRows, period: Period, now_ms: number): Stats["previous"] {
  const before = spansOf(periodBefore(period));
  const { local } = spansOf(period);
  const shift_s = local.from_s - before.local.from_s;
  const is_over = local.to_s * SECOND_MS <= now_ms;
  const passed = rows.hours
    .filter(isWithin(before, rows.rolled_to))
    .filter(({ hour }) => (hour + shift_s) * SECOND_MS <= now_ms);
  const comparable = is_over || daysIn(period) > 1;
  return {
    ...countsOf(passed, "human"),
    visitors: comparable ? visitorsIn(rows, before.utc) : null,
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
  const clicked = new Map(clicks.map(({ link_id, n }) => [link_id, n]));
  const shown = linkLabels(page, links);
  const gone = clicks.filter(({ link_id }) => !shown.has(link_id));
  return [
    ...[...shown].map(([link_id, label]) => ({
      link_id,
      label,
      clicks: clicked.get(link_id) ?? 0,
    })),
    ...gone.map(({ link_id, n }) => ({ link_id, label: null, clicks: n })),
  ].sort((a, b) => b.clicks - a.clicks);
}

/** The human events of these UTC days, to which every dimension adds up. */
function peopleIn({ hours }: StatsRows, utc: Span): Counts {
  return countsOf(
    hours.filter(({ hour }) => isIn(utc, hour)),
    "human",
  );
}

function pendingOf({ totals }: PageSnapshot): Counts {
  const pending: Counts = { views: 0, clicks: 0 };
  for (const total of totals) {
    if (total.class === "human") pending[COLUMN[total.kind]] += total.pending;
  }
  return pending;
}
