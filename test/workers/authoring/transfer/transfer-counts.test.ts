/** Counts of an export become imported history: bounded rows, and the same totals. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { importCounts } from "../../../../objects/page/import-counts.ts";
import { fromZip } from "../../../../src/authoring/transfer/from-export.ts";
import { BadCountError, CountSum } from "../../../../src/authoring/transfer/imported-counts.ts";
import {
  IMPORTED_DAYS_MAX,
  IMPORTED_EVENTS_MAX,
  IMPORTED_ROW_EVENTS_MAX,
  IMPORTED_TALLIES_MAX,
} from "../../../../src/authoring/transfer/limits.ts";
import { utf8 } from "../../../../src/http/bytes.ts";
import { PAGES_PER_PLAN } from "../../../../src/pages/document/limits.ts";
import { BREAKDOWN_SHARES_MAX } from "../../../../src/stats/limits.ts";
import { pageFile } from "./transfer-kit.ts";
import { makeZip } from "./zip-maker.ts";

/** 2027-01-15 08:00 UTC. */
const NOW_S = 1_800_000_000;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const TODAY_S = NOW_S - (NOW_S % DAY_S);

function counts(): CountSum {
  return new CountSum(NOW_S, (link_id) => `new-${link_id}`);
}

interface Row {
  hour: number;
  link_id: string;
  class: string;
  n: number;
}

const RowArbitrary: fc.Arbitrary<Row> = fc.record({
  hour: fc.nat(500).map((hours) => TODAY_S - hours * HOUR_S),
  link_id: fc.constantFrom("", "a", "b", "contact"),
  class: fc.constantFrom("human", "bot", "owner", "limited"),
  n: fc.nat(1_000_000),
});

/** The sum of each link and class. */
function totals(rows: readonly Row[], linkOf = (link_id: string) => link_id): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { link_id, class: eventClass, n } of rows) {
    const key = `${link_id === "" ? "" : linkOf(link_id)} ${eventClass}`;
    sums.set(key, (sums.get(key) ?? 0) + n);
  }
  return sums;
}

test("rows of one hour, link and class are one, whatever their order and number", () => {
  fc.assert(
    fc.property(fc.array(RowArbitrary, { maxLength: 60 }), (rows) => {
      const sum = counts();
      for (const row of rows) sum.addTally({ ...row, shard: 0 });
      const { tallies, views, clicks, is_folded } = sum.finish(0);
      expect(is_folded).toBe(false);
      expect(totals(tallies)).toEqual(totals(rows, (link_id) => `new-${link_id}`));
      const keys = tallies.map(({ hour, link_id, class: c }) => `${hour} ${link_id} ${c}`);
      expect(new Set(keys).size).toBe(keys.length);
      const human = rows.filter((row) => row.class === "human");
      const of = (isView: boolean) =>
        human.reduce((n, row) => ((row.link_id === "") === isView ? n + row.n : n), 0);
      expect([views, clicks]).toEqual([of(true), of(false)]);
    }),
  );
});

test("more rows than allowed become whole days, with the same totals", () => {
  const rows: Row[] = [];
  for (let i = 0; rows.length <= IMPORTED_TALLIES_MAX; i += 1) {
    rows.push({ hour: TODAY_S - i * HOUR_S, link_id: "", class: "human", n: 1 + (i % 7) });
  }
  const exact = counts();
  for (const row of rows.slice(1)) exact.addTally(row);
  expect(exact.finish(0)).toMatchObject({ is_folded: false, rolled_to: 0 });
  expect(exact.finish(0).tallies).toHaveLength(IMPORTED_TALLIES_MAX);

  const sum = counts();
  for (const row of rows) sum.addTally(row);
  const { tallies, is_folded, rolled_to } = sum.finish(0);
  expect(is_folded).toBe(true);
  expect(tallies.length).toBeLessThanOrEqual(Math.ceil(rows.length / 24) + 1);
  expect(tallies.every(({ hour }) => hour % DAY_S === 0)).toBe(true);
  expect(totals(tallies)).toEqual(totals(rows));
  // Whole days, but today's: the page's own hours of today stay hours.
  expect(rolled_to).toBe(TODAY_S);
});

test("as many links and days as a page can have fit, with the same totals", () => {
  const rows: Row[] = [];
  for (let link = 0; link < 2_000; link += 1) {
    for (let month = 0; month < 60; month += 1) {
      const hour = TODAY_S - month * 30 * DAY_S;
      rows.push({ hour, link_id: `l${link}`, class: "human", n: 1 });
    }
  }
  const sum = counts();
  for (const row of rows) sum.addTally(row);
  const { tallies } = sum.finish(0);
  expect(tallies.length).toBeLessThanOrEqual(IMPORTED_TALLIES_MAX);
  expect(totals(tallies)).toEqual(totals(rows, (link_id) => `new-${link_id}`));
  const first = TODAY_S - 59 * 30 * DAY_S;
  expect(tallies.every(({ hour }) => hour >= first && hour <= NOW_S)).toBe(true);
});

test("how far the file's tallies are days is carried on, at most to today", () => {
  expect(counts().finish(TODAY_S - DAY_S + 5).rolled_to).toBe(TODAY_S - DAY_S);
  expect(counts().finish(NOW_S + 10 * DAY_S).rolled_to).toBe(TODAY_S);
});

const TALLY = { hour: TODAY_S, link_id: "a", class: "human", n: 1 };

test.each<[string, unknown]>([
  ["nothing", null],
  ["a negative number", { ...TALLY, n: -1 }],
  ["a fraction", { ...TALLY, n: 0.5 }],
  ["a number as text", { ...TALLY, n: "1" }],
  ["more events than allowed", { ...TALLY, n: IMPORTED_ROW_EVENTS_MAX + 1 }],
  ["an hour before 1970", { ...TALLY, hour: -HOUR_S }],
  ["a class that does not exist", { ...TALLY, class: "cat" }],
  ["no link", { ...TALLY, link_id: null }],
  ["a time inside an hour", { ...TALLY, hour: TODAY_S + 1 }],
  ["the next hour", { ...TALLY, hour: NOW_S - (NOW_S % HOUR_S) + HOUR_S }],
])("a tally with %s is refused and changes nothing", (_, row) => {
  const sum = counts();
  sum.addTally(TALLY);
  expect(() => sum.addTally(row)).toThrow(BadCountError);
  expect(sum.finish(0)).toMatchObject({ tallies: [{ ...TALLY, link_id: "new-a" }], clicks: 1 });
});

test.each<[string, object]>([
  ["a count that is none", { breakdowns: { device: { mobile: [1] } } }],
  ["more visitors than allowed", { visitors: IMPORTED_ROW_EVENTS_MAX + 1 }],
  [
    "more views than allowed",
    { breakdowns: { country: { SA: [IMPORTED_ROW_EVENTS_MAX + 1, 0] } } },
  ],
  ["a fraction of a click", { breakdowns: { country: { SA: [0, 0.5] } } }],
  ["the future", { day: NOW_S + 1 }],
])("a day with %s is refused and changes nothing", (_, members) => {
  const sum = counts();
  expect(() => sum.addDay({ day: 0, visitors: 1, breakdowns: {}, ...members })).toThrow(
    BadCountError,
  );
  expect(sum.finish(0).days).toEqual([]);
});

test("rows past the number of events of a file are refused, so that every total is exact", () => {
  const sum = counts();
  const rows = IMPORTED_EVENTS_MAX / IMPORTED_ROW_EVENTS_MAX;
  for (let i = 0; i < rows; i += 1) sum.addTally({ ...TALLY, n: IMPORTED_ROW_EVENTS_MAX });
  expect(() => sum.addTally(TALLY)).toThrow(BadCountError);
  expect(() => sum.addDay({ day: TODAY_S, visitors: 1, breakdowns: {} })).toThrow(BadCountError);
  expect(sum.finish(0).clicks).toBe(IMPORTED_EVENTS_MAX);
  // The pages of the largest plan together.
  const all = PAGES_PER_PLAN.business * IMPORTED_EVENTS_MAX;
  expect(all).toBeLessThan(Number.MAX_SAFE_INTEGER / 2);
});

test("the rows of one day are added up, with the most counted values by name", () => {
  const sum = counts();
  const many = Array.from({ length: BREAKDOWN_SHARES_MAX + 5 }, (_, i) => [`c${i}`, [i, 1]]);
  const country = Object.fromEntries(many);
  sum.addDay({ day: 0, visitors: 2, breakdowns: { country, device: { mobile: [1, 2] } } });
  const more = { device: { mobile: [3, 4], ["x".repeat(300)]: [1, 0] }, mood: { good: [1, 1] } };
  sum.addDay({ day: 0, visitors: 3, breakdowns: more });
  sum.addDay({ day: DAY_S, visitors: 1, breakdowns: '{"device":{}}' });
  const { days } = sum.finish(0);
  expect(days).toMatchObject([
    { day: 0, visitors: 5 },
    { day: DAY_S, visitors: 1, breakdowns: "{}" },
  ]);
  const breakdowns = JSON.parse(days[0]?.breakdowns ?? "");
  expect(breakdowns.device).toEqual({ mobile: [4, 6], "(other)": [1, 0] });
  expect(breakdowns.mood).toBeUndefined();
  expect(Object.keys(breakdowns.country)).toHaveLength(BREAKDOWN_SHARES_MAX + 1);
  expect(breakdowns.country["(other)"]).toEqual([0 + 1 + 2 + 3 + 4, 5]);
});

test("no value that an import binds is larger than D1 allows, in any script", () => {
  const days = Array.from({ length: 20 }, (_, i) => ({
    day: i * DAY_S,
    visitors: 1,
    breakdowns: JSON.stringify({ referrer: { ["漢".repeat(80_000)]: [1, 0] } }),
  }));
  const bound: unknown[] = [];
  const db = { prepare: () => ({ bind: (...values: unknown[]) => bound.push(...values) }) };
  const page = { page_id: "p", save_id: "s" };
  importCounts(db, page, { tallies: [], days, rolled_to: 0 }, "UTC", NOW_S * 1_000);
  const sizes = bound.filter((value) => typeof value === "string").map((text) => utf8(text).length);
  expect(Math.max(...sizes)).toBeGreaterThan(240_000);
  expect(Math.max(...sizes)).toBeLessThan(2_000_000);
});

test("all rows of a day are added up before values are left out, once and not for each row", () => {
  const sum = counts();
  const views = (letter: string, n: number) =>
    Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${letter}${i}`, [n, 0]]));
  for (const referrer of [views("a", 1), views("b", 2), views("a", 3)]) {
    sum.addDay({ day: TODAY_S, visitors: 1, breakdowns: { referrer } });
  }
  const stored = JSON.parse(sum.finish(0).days[0]?.breakdowns ?? "");
  // A cap after the second row had left 20 of these with the views of the third alone.
  expect(stored.referrer).toMatchObject(views("a", 4));
  expect(stored.referrer["(other)"]).toEqual([20 * 2, 0]);
});

test("days of one date are added up, so that a month has no more of them than dates", () => {
  const sum = counts();
  for (const hours of [-2, 0, 3]) {
    sum.addDay({ day: TODAY_S - DAY_S + hours * HOUR_S, visitors: 1, breakdowns: {} });
  }
  sum.addDay({ day: TODAY_S - 2, visitors: 1, breakdowns: {} });
  expect(sum.finish(0).days.map(({ visitors }) => visitors)).toEqual([3, 1]);
});

test("a value named `__proto__` is one like any other", () => {
  const sum = counts();
  const row = JSON.parse('{"day":0,"visitors":1,"breakdowns":{"referrer":{"__proto__":[1,1]}}}');
  sum.addDay(row);
  sum.addDay(row);
  expect(sum.finish(0).days[0]?.breakdowns).toBe('{"referrer":{"__proto__":[2,2]}}');
});

test("days past the limit, and more rows of a day than shards, are refused", () => {
  const sum = counts();
  const day = (i: number) => ({ day: i * DAY_S, visitors: 1, breakdowns: {} });
  for (let i = 0; i < IMPORTED_DAYS_MAX; i += 1) sum.addDay(day(i));
  expect(() => sum.addDay(day(IMPORTED_DAYS_MAX))).toThrow(BadCountError);
  for (let i = 1; i < 16; i += 1) sum.addDay(day(0));
  expect(() => sum.addDay(day(0))).toThrow(BadCountError);
  const { days } = sum.finish(0);
  expect(days).toHaveLength(IMPORTED_DAYS_MAX);
  expect(days[0]?.visitors).toBe(16);
});

test("all rows of an export are counted before its page is there", async () => {
  const rows = Array.from({ length: 2_000 }, (_, i) => ({
    hour: TODAY_S - i * HOUR_S,
    link_id: "",
    class: "human",
    n: 1,
  }));
  const content = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const page = { locales: ["ar"], name: { ar: "ليان" }, links: [] };
  const zip = makeZip([pageFile(page), { name: "tallies.jsonl", content, is_deflated: true }]);
  const { counts } = await fromZip(zip, { now_s: NOW_S, makeId: () => crypto.randomUUID() });
  expect(counts?.views).toBe(rows.length);
});
