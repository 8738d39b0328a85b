import { DAY_MS, HOUR_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import {
  type DaySpan,
  dateAt,
  daysOf,
  hoursOf,
  localTime,
  monthsOf,
  type Period,
  spanOf,
} from "./calendar.ts";
import type { Interval, Point } from "./stats-shape.ts";

export interface Axis {
  period: Period;
  interval: Interval;
  now_ms: number;
}

const HALF_DAY_MS = DAY_MS / 2;
const HOUR_S = HOUR_MS / SECOND_MS;

/** A row before `rolled_to` is of a whole day of UTC, and counts as the day of the same date. */
export function seriesOf<Row extends { hour: number }, Numbers extends object>(
  rows: readonly Row[],
  { period, interval, now_ms }: Axis,
  rolled_to: number,
  sum: (rows: readonly Row[]) => Numbers,
): Point<Numbers>[] {
  const spans = spansOf(period, interval);
  const by_span = Map.groupBy(rows, ({ hour }) =>
    hour < rolled_to && interval !== "hour"
      ? dated(spans, dateAt(hour * SECOND_MS, "UTC"))
      : lastOf(spans, ({ from_s }) => from_s <= hour),
  );
  return points(spans, period.tz, now_ms, (span) => sum(by_span.get(span) ?? []));
}

export function seriesOfDays<Row extends { day: number }, Numbers extends object>(
  rows: readonly Row[],
  { period, interval, now_ms }: Axis,
  page_zone: string,
  sum: (rows: readonly Row[]) => Numbers,
): Point<Numbers>[] {
  const spans = spansOf(period, interval);
  const by_span = Map.groupBy(rows, ({ day }) =>
    dated(spans, dateAt(day * SECOND_MS + HALF_DAY_MS, page_zone)),
  );
  return points(spans, period.tz, now_ms, (span) => sum(by_span.get(span) ?? []));
}

function spansOf(period: Period, interval: Interval): DaySpan[] {
  switch (interval) {
    case "hour":
      return hoursOf(spanOf(period)).map((hour) => ({
        date: "",
        from_s: hour,
        to_s: hour + HOUR_S,
      }));
    case "day":
      return daysOf(period);
    case "month":
      return monthsOf(period);
  }
}

function dated(spans: readonly DaySpan[], date: string): DaySpan | undefined {
  return lastOf(spans, (span) => span.date <= date);
}

/** The last span that passes, where all before it pass too: ten steps for a thousand hours. */
function lastOf(
  spans: readonly DaySpan[],
  passes: (span: DaySpan) => boolean,
): DaySpan | undefined {
  let [known, end] = [-1, spans.length];
  while (end - known > 1) {
    const middle = (known + end) >> 1;
    const span = spans[middle];
    if (span !== undefined && passes(span)) known = middle;
    else end = middle;
  }
  return spans[known];
}

function points<Numbers extends object>(
  spans: readonly DaySpan[],
  tz: string,
  now_ms: number,
  numbers: (span: DaySpan) => Numbers,
): Point<Numbers>[] {
  return spans
    .filter(({ from_s }) => from_s * SECOND_MS <= now_ms)
    .map((span) => ({ t: localTime(span.from_s, tz), ...numbers(span) }));
}
