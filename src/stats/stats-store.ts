/**
 * Reads of `tallies`, `days`, `months` and `rolled_days`, which the page object writes
 * (`objects/page/flush-page.ts`), and of the page's removed links and revisions. Every statement
 * filters by owner, so another owner's page is not found.
 */

import type { ByLocale } from "../pages/document/page-document.ts";
import type { Change, Revision } from "../pages/document/revisions-store.ts";
import type { Span } from "./calendar.ts";
import { STATS_REVISIONS_MAX } from "./limits.ts";
import {
  FIRST,
  LINKS,
  type LinkRow,
  PAGE,
  PAGE_ALONE,
  type PageColumns,
  rowsOf,
  toLinks,
  toPage,
  withFirst,
} from "./page-columns.ts";
import { ANYBODYS, type Asked, MINE, readPlaces, type StatsPlaces } from "./stats-places.ts";
import type { Part } from "./stats-query.ts";
import type { Counts, Interval } from "./stats-shape.ts";

export interface ReadSpans {
  hours: Span;
  period: Span;
  /** The same dates as UTC days, for rolled-up hours. */
  utc: Span;
  /** The starts of the days of visitors and breakdowns that belong to the same dates. */
  days: Span;
  days_before_s: number;
}

export interface HourRow {
  /** Unix second at which the hour starts; before `rolled_to` the row is of a whole UTC day. */
  hour: number;
  kind: "view" | "click";
  human: number;
  bot: number;
  owner: number;
  limited: number;
  /** The part of the human events that is imported history or invented sample data. */
  imported: number;
}

export interface ClickRow {
  link_id: string;
  n: number;
  imported: number;
  last_label: ByLocale | null;
}

export interface StatsRows {
  page: PageColumns;
  links: LinkRow[];
  /** Unix second up to which hours have been rolled up into UTC days. */
  rolled_to: number;
  hours: HourRow[];
  clicks: ClickRow[];
  /** `day` is the unix second at which a day of the page starts. The earliest comes first. */
  visitors: { day: number; n: number; imported: number }[];
  /** JSON of the period's months and days. */
  breakdowns: string[];
  revisions: Revision[];
  link_hours: { hour: number; n: number }[];
  /** Human events of the requested value, by days in the period, or by its months. */
  value_days: ({ day: number } & Counts)[];
  value_before: ({ day: number } & Counts)[];
}

const LABELS = `SELECT link_id, label FROM removed_links WHERE page_id = ${MINE}`;

/** Objects count from shard 0 on. Negative shards are imported or invented data. */
export const COUNTED = "shard >= 0";
const IMPORTED = "shard < 0";
const human = "FILTER (WHERE class = 'human')";
const REVISIONS = `SELECT version, saved_at, what FROM revisions
  WHERE page_id = ${MINE} AND saved_at >= ?3 * 1000 AND saved_at < ?4 * 1000
  ORDER BY version DESC LIMIT ${STATS_REVISIONS_MAX}`;

/** SQL: `page` is its id, `last_label` a removed link's label, NULL in another database. */
function countsOf(page: string, last_label: string) {
  const rolled_to = `SELECT COALESCE(MAX(rolled_to), 0) AS rolled_to FROM rolled_days WHERE page_id = ${page}`;
  // ?3 to ?4: all hours to read. Grouped in the order of the primary key, so SQLite does not sort.
  const HOURS = `SELECT hour, kind,
    TOTAL(n) ${human} AS human, TOTAL(n) FILTER (WHERE class = 'bot') AS bot,
    TOTAL(n) FILTER (WHERE class = 'owner') AS owner, TOTAL(n) FILTER (WHERE class = 'limited') AS limited,
    TOTAL(n) FILTER (WHERE class = 'human' AND ${IMPORTED}) AS imported
  FROM tallies WHERE page_id = ${page} AND hour >= ?3 AND hour < ?4 GROUP BY hour, kind`;
  // ?3 to ?4: the period. ?5 to ?6: the same dates in UTC, for hours rolled up into UTC days.
  const CLICKS = `SELECT link_id, n, imported, ${last_label} AS last_label
  FROM (SELECT link_id, SUM(n) AS n, TOTAL(n) FILTER (WHERE ${IMPORTED}) AS imported FROM tallies
    WHERE page_id = ${page} AND hour >= MIN(?3, ?5) AND hour < MAX(?4, ?6) AND kind = 'click' AND class = 'human'
      AND CASE WHEN hour < (${rolled_to}) THEN hour >= ?5 AND hour < ?6 ELSE hour >= ?3 AND hour < ?4 END
    GROUP BY link_id) AS clicked`;
  const VISITORS = `SELECT day, SUM(visitors) AS n, TOTAL(visitors) FILTER (WHERE ${IMPORTED}) AS imported
  FROM days WHERE page_id = ${page} AND day >= ?3 AND day < ?4 GROUP BY day ORDER BY day`;
  const DAYS = `SELECT day, breakdowns FROM days WHERE page_id = ${page} AND day >= ?3 AND day < ?4`;
  // ?3 to ?4: whole months that are over, each by its middle, and the days that are in none of them.
  // They are added up by the Worker: D1 would need 2 µs for each value, and no other page's reads go on
  // meanwhile.
  const MONTHS = `SELECT (month + until) / 2 AS day, breakdowns FROM months
    WHERE page_id = ${page} AND month >= ?3 AND until <= ?4
  UNION ALL ${DAYS} AND day >= COALESCE((
    SELECT until FROM months
    WHERE months.page_id = days.page_id AND months.shard = days.shard
      AND month <= day AND month >= ?3 AND until <= ?4 ORDER BY month DESC LIMIT 1), 0)`;
  // ?3 to ?4: all hours to read.
  const LINK_HOURS = `SELECT hour, SUM(n) AS n FROM tallies
  WHERE page_id = ${page} AND hour >= ?3 AND hour < ?4 AND kind = 'click' AND link_id = ?5 AND class = 'human'
  GROUP BY hour`;
  // ?5: the JSON path of a dimension, ?6: its value.
  const valueIn = (rows: string) =>
    `SELECT day, SUM(entry.value ->> 0) AS views, SUM(entry.value ->> 1) AS clicks
  FROM (${rows}) AS counted, json_each(counted.breakdowns, ?5) AS entry WHERE entry.key = ?6 GROUP BY day`;
  return {
    ROLLED_TO: rolled_to,
    HOURS,
    CLICKS,
    VISITORS,
    BREAKDOWNS: MONTHS,
    LINK_HOURS,
    VALUE_DAYS: valueIn(DAYS),
    VALUE_MONTHS: valueIn(MONTHS),
  };
}

const LAST_LABEL = `(SELECT label FROM removed_links
    WHERE removed_links.page_id = ?1 AND removed_links.link_id = clicked.link_id)`;
const TOGETHER = countsOf(MINE, LAST_LABEL);
const APART = countsOf(ANYBODYS, "NULL");
const LINK_LABEL = `SELECT label FROM removed_links WHERE page_id = ${MINE} AND link_id = ?3`;

/** Makes one round trip to each database. Null if the page is not this owner's. */
export async function readStats(
  at: StatsPlaces,
  owner_id: string,
  page_id: string,
  { hours, period, utc, days, days_before_s }: ReadSpans,
  { link, filter, interval }: Part & { interval: Interval },
): Promise<StatsRows | null> {
  const isApart = at.stats !== at.db;
  const sql = isApart ? APART : TOGETHER;
  const of_page: Asked[] = [
    [isApart ? PAGE_ALONE : PAGE],
    [LINKS],
    [REVISIONS, period.from_s, period.to_s],
    ...(isApart ? [[LABELS] as const] : []),
    ...(link === null ? [] : [[LINK_LABEL, link] as const]),
  ];
  const part: Asked[] = [];
  if (link !== null) part.push([sql.LINK_HOURS, hours.from_s, hours.to_s, link]);
  if (filter !== null) {
    const of = [`$.${filter.dimension}`, filter.value] as const;
    const inPeriod = interval === "month" ? sql.VALUE_MONTHS : sql.VALUE_DAYS;
    part.push([inPeriod, days.from_s, days.to_s, ...of]);
    part.push([sql.VALUE_MONTHS, days_before_s, days.from_s, ...of]);
  }
  const [[pages, links, revisions, ...labels], counts] = await readPlaces(
    at,
    [page_id, owner_id],
    of_page,
    () => [
      [sql.ROLLED_TO],
      [sql.HOURS, hours.from_s, hours.to_s],
      [sql.CLICKS, period.from_s, period.to_s, utc.from_s, utc.to_s],
      [sql.VISITORS, days_before_s, days.to_s],
      [sql.BREAKDOWNS, days.from_s, days.to_s],
      ...(isApart ? [[FIRST] as const] : []),
      ...part,
    ],
  );
  const page = toPage(pages);
  if (page === null) return null;
  const [rolled, by_hour, clicks, visitors, breakdowns, ...more] = counts;
  const first = isApart ? more.shift() : undefined;
  const removed = isApart ? labels.shift() : undefined;
  return {
    page: withFirst(page, first),
    links: toLinks(links),
    rolled_to: rowsOf<{ rolled_to: number }>(rolled)[0]?.rolled_to ?? 0,
    hours: rowsOf(by_hour),
    clicks: withAsked(toClicks(clicks, removed), link, labels[0]),
    visitors: rowsOf(visitors),
    breakdowns: rowsOf<{ breakdowns: string }>(breakdowns).map((row) => row.breakdowns),
    revisions: toRevisions(revisions),
    link_hours: link === null ? [] : rowsOf(more[0]),
    value_days: filter === null ? [] : rowsOf(more[0]),
    value_before: filter === null ? [] : rowsOf(more[1]),
  };
}

/** Adds a removed link that was asked for, even if nobody clicked it in the period. */
function withAsked(
  clicks: ClickRow[],
  link_id: string | null,
  found: D1Result | undefined,
): ClickRow[] {
  const [removed] = rowsOf<{ label: string }>(found);
  if (link_id === null || removed === undefined) return clicks;
  if (clicks.some((row) => row.link_id === link_id)) return clicks;
  const last_label = JSON.parse(removed.label) as ByLocale;
  return [...clicks, { link_id, n: 0, imported: 0, last_label }];
}

/** `removed`: the labels of removed links, where the clicks are from another database. */
function toClicks(found: D1Result | undefined, removed: D1Result | undefined): ClickRow[] {
  type Row = Omit<ClickRow, "last_label"> & { last_label: string | null };
  const labels = new Map(
    rowsOf<{ link_id: string; label: string }>(removed).map(({ link_id, label }) => [
      link_id,
      label,
    ]),
  );
  return rowsOf<Row>(found).map(({ last_label, ...row }) => {
    const json = last_label ?? labels.get(row.link_id) ?? null;
    return { ...row, last_label: json === null ? null : (JSON.parse(json) as ByLocale) };
  });
}

function toRevisions(found: D1Result | undefined): Revision[] {
  type Row = Omit<Revision, "what"> & { what: string };
  return rowsOf<Row>(found).map(({ what, ...row }) => ({
    ...row,
    what: JSON.parse(what) as Change[],
  }));
}
