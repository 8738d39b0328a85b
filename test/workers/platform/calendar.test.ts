/** Dates and days of time zones, compared with `Temporal`. */
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { expect, test } from "vitest";
import { localDay } from "../../../objects/platform/calendar.ts";
import {
  addDays,
  dateAt,
  daysIn,
  daysOf,
  isDate,
  localTime,
  monthsOf,
  spanOf,
} from "../../../src/stats/calendar.ts";
import { cases } from "../kit/cases.ts";

const zones = fc.constantFrom("UTC", ...Intl.supportedValuesOf("timeZone"));
/** The years of statistics, and those before them that an imported history may have. */
const from_s = Date.UTC(1971, 0, 1) / 1_000;
const to_s = Date.UTC(2099, 11, 31) / 1_000;
const seconds = fc.integer({ min: from_s, max: to_s });
const dates = seconds.map((at_s) => new Date(at_s * 1_000).toISOString().slice(0, 10));

const RUNS = { numRuns: cases(2_000) };

const zoned = (at_s: number, tz: string) =>
  Temporal.Instant.fromEpochMilliseconds(at_s * 1_000).toZonedDateTimeISO(tz);
const startOf = (date: string, tz: string) =>
  Temporal.PlainDate.from(date).toZonedDateTime(tz).epochMilliseconds / 1_000;

test("a date and a local time are those of Temporal, in any zone", () => {
  fc.assert(
    fc.property(seconds, fc.integer({ min: 0, max: 999 }), zones, (at_s, ms, tz) => {
      expect(dateAt(at_s * 1_000 + ms, tz)).toBe(zoned(at_s, tz).toPlainDate().toString());
      expect(localTime(at_s, tz)).toBe(
        zoned(at_s, tz).toString({ timeZoneName: "never", smallestUnit: "second" }),
      );
    }),
    RUNS,
  );
});

test("a day begins and ends with Temporal's, in any zone", () => {
  fc.assert(
    fc.property(dates, zones, (date, tz) => {
      const next = Temporal.PlainDate.from(date).add({ days: 1 }).toString();
      const span = { from_s: startOf(date, tz), to_s: startOf(next, tz) };
      expect(spanOf({ from: date, to: date, tz })).toEqual(span);
      // A date that was left out has no moment, and a clock that went back past midnight shows a day again.
      const noon_s = Math.floor((span.from_s + span.to_s) / 2);
      if (noon_s > span.from_s) expect(localDay(noon_s * 1_000, tz)).toEqual(span);
    }),
    RUNS,
  );
});

/** Moments at which a zone's clocks change, so that most dates of the test below have such a change. */
function changesOf(tz: string, from_year: number, to_year: number): number[] {
  const changes: number[] = [];
  const end = Date.UTC(to_year, 0, 1);
  for (let now = zoned(Date.UTC(from_year, 0, 1) / 1_000, tz); ; ) {
    const next = now.getTimeZoneTransition("next");
    if (next === null || next.epochMilliseconds >= end) return changes;
    changes.push(next.epochMilliseconds / 1_000);
    now = next;
  }
}

test("days around every change of the clocks are Temporal's", () => {
  let compared = 0;
  for (const tz of Intl.supportedValuesOf("timeZone")) {
    for (const at_s of changesOf(tz, 2009, 2013).concat(changesOf(tz, 2026, 2028))) {
      const date = zoned(at_s, tz).toPlainDate();
      for (const days of [-1, 0, 1]) {
        const day = date.add({ days }).toString();
        const next = date.add({ days: days + 1 }).toString();
        const span = { from_s: startOf(day, tz), to_s: startOf(next, tz) };
        expect(spanOf({ from: day, to: day, tz }), `${day} ${tz}`).toEqual(span);
        compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(3_000);
});

test("arithmetic with dates is Temporal's", () => {
  fc.assert(
    fc.property(dates, fc.integer({ min: -4_000, max: 4_000 }), (date, days) => {
      const later = addDays(date, days);
      expect(later).toBe(Temporal.PlainDate.from(date).add({ days }).toString());
      expect(daysIn({ from: date, to: later })).toBe(days + 1);
    }),
    RUNS,
  );
});

test("only days that exist are dates", () => {
  for (const [date, exists] of [
    ["2026-02-28", true],
    ["2026-02-29", false],
    ["2028-02-29", true],
    ["2026-04-31", false],
    ["2026-12-31", true],
  ] as const) {
    expect([date, isDate(date)]).toEqual([date, exists]);
  }
});

test("the days and months of a period follow one another without a gap", () => {
  const zones_of_days = fc.constantFrom("Africa/Cairo", "Asia/Riyadh", "America/St_Johns", "UTC");
  fc.assert(
    fc.property(dates, fc.integer({ min: 0, max: 120 }), zones_of_days, (from, more, tz) => {
      const period = { from, to: addDays(from, more), tz };
      const { from_s, to_s } = spanOf(period);
      for (const spans of [daysOf(period), monthsOf(period)]) {
        expect(spans[0]?.from_s).toBe(from_s);
        expect(spans.at(-1)?.to_s).toBe(to_s);
        for (const [i, span] of spans.entries()) {
          expect(span.from_s).toBe(startOf(span.date, tz));
          if (i > 0) expect(span.from_s).toBe(spans[i - 1]?.to_s);
        }
      }
      expect(daysOf(period)).toHaveLength(more + 1);
      expect(
        monthsOf(period)
          .slice(1)
          .every(({ date }) => date.endsWith("-01")),
      ).toBe(true);
    }),
    { numRuns: 100 },
  );
});
