/**
 * A page's counts in D1: reads of `tallies`, `days` and `rolled_days`, which the page object writes
 * (`objects/page/flush-page.ts`), and of the page's removed links and revisions. Every statement
 * filters by owner, so another owner's page is not found.
 */
import type { Dimension } from "../../objects/tables/event.ts";
import { BREAKDOWN_SHARES_MAX, STATS_REVISIONS_MAX } from "../http/limits.ts";
import type { ByLocale } from "../pages/page-document.ts";
import type { Change, Revision } from "../pages/revisions-store.ts";
import type { Span } from "./calendar.ts";
import {
  LINKS,
  type LinkRow,
  PAGE,
  type PageColumns,
  rowsOf,
  toLinks,
  toPage,
} from "./page-columns.ts";
import type { Part } from "./stats-query.ts";
import type { Counts } from "./stats-shape.ts";

/** The spans of time to read from D1. */
export interface ReadSpans {
  /** All hours of the period and of the one before. */
  hours: Span;
  /** The period in the requested time zone. */
  period: Span;
  /** The same dates as UTC days, for rolled-up hours. */
  utc: Span;
  /** When the days of visitors and breakdowns start that belong to the same dates. */
  days: Span;
  /** The same for the period before: the earliest start. */
  days_before_s: number;
}

/** The events of one hour and kind, by class. */
export interface HourRow {
  /** Unix second at which the hour starts; before `rolled_to` the row is of a whole UTC day. */
  hour: number;
  kind: "view" | "click";
  human: number;
  bot: number;
  owner: number;
  limited: number;
  /** How many of the human events are imported history or invented sample data. */
  imported: number;
}

/** The human clicks of one link. */
export interface ClickRow {
  link_id: string;
  n: number;
  /** How many of them are imported history or invented sample data. */
  imported: number;
  /** Of a link that was removed from the page; null if none is stored. */
  last_label: ByLocale | null;
}

export interface StatsRows {
  page: PageColumns;
  /** In the page's order. */
  links: LinkRow[];
  /** Unix second up to which hours have been rolled up into UTC days. */
  rolled_to: number;
  hours: HourRow[];
  /** In the period. */
  clicks: ClickRow[];
  /** By the unix second at which a day of the page starts, the earliest first. */
  visitors: { day: number; n: number; imported: number }[];
  shares: ({ dimension: Dimension; value: string } & Counts)[];
  /** Saves of the page in the period, the newest first. */
  revisions: Revision[];
  /** The human clicks of the link that is asked for, in all hours that were read. */
  link_hours: { hour: number; n: number }[];
  /** The human events of the value that is asked for, in all days that were read. */
  value_days: ({ day: number } & Counts)[];
}

/** The id of page ?1 if ?2 owns it; else NULL, which no row has. */
export const MINE = "(SELECT page_id FROM pages WHERE page_id = ?1 AND owner_id = ?2)";
const ROLLED_TO = `SELECT COALESCE(MAX(rolled_to), 0) AS rolled_to FROM rolled_days WHERE page_id = ${MINE}`;

/**
 * Page objects have the shards from 0 on. No object has counted the events of negative shards,
 * which are imported history or invented sample data.
 */
export const COUNTED = "shard >= 0";
const IMPORTED = "shard < 0";
const human = "FILTER (WHERE class = 'human')";
// ?3 to ?4: all hours to read. Grouped in the order of the primary key, so SQLite does not sort.
const HOURS = `SELECT hour, kind,
    TOTAL(n) ${human} AS human, TOTAL(n) FILTER (WHERE class = 'bot') AS bot,
    TOTAL(n) FILTER (WHERE class = 'owner') AS owner, TOTAL(n) FILTER (WHERE class = 'limited') AS limited,
    TOTAL(n) FILTER (WHERE class = 'human' AND ${IMPORTED}) AS imported
  FROM tallies WHERE page_id = ${MINE} AND hour >= ?3 AND hour < ?4 GROUP BY hour, kind`;
// ?3 to ?4: the period. ?5 to ?6: the same dates in UTC, for hours rolled up into UTC days.
const CLICKS = `SELECT link_id, n, imported, (SELECT label FROM removed_links
    WHERE removed_links.page_id = ?1 AND removed_links.link_id = clicked.link_id) AS last_label
  FROM (SELECT link_id, SUM(n) AS n, TOTAL(n) FILTER (WHERE ${IMPORTED}) AS imported FROM tallies
    WHERE page_id = ${MINE} AND hour >= MIN(?3, ?5) AND hour < MAX(?4, ?6) AND kind = 'click' AND class = 'human'
      AND CASE WHEN hour < (${ROLLED_TO}) THEN hour >= ?5 AND hour < ?6 ELSE hour >= ?3 AND hour < ?4 END
    GROUP BY link_id) AS clicked`;
const VISITORS = `SELECT day, SUM(visitors) AS n, TOTAL(visitors) FILTER (WHERE ${IMPORTED}) AS imported
  FROM days WHERE page_id = ${MINE} AND day >= ?3 AND day < ?4 GROUP BY day ORDER BY day`;
// The largest shares of each dimension; the rest is added to the share `(other)`.
const SHARES = `WITH summed AS (
    SELECT dimension.key AS dimension, entry.key AS value,
           SUM(entry.value ->> 0) AS views, SUM(entry.value ->> 1) AS clicks
    FROM days, json_each(days.breakdowns) AS dimension, json_each(dimension.value) AS entry
    WHERE page_id = ${MINE} AND day >= ?3 AND day < ?4
    GROUP BY dimension.key, entry.key
  ), ranked AS (
    SELECT *, ROW_NUMBER() OVER (
      PARTITION BY dimension ORDER BY value = '(other)', views DESC, clicks DESC, value) AS place
    FROM summed
  )
  SELECT dimension, CASE WHEN place <= ${BREAKDOWN_SHARES_MAX} THEN value ELSE '(other)' END AS value,
         SUM(views) AS views, SUM(clicks) AS clicks
  FROM ranked GROUP BY 1, 2`;
const REVISIONS = `SELECT version, saved_at, what FROM revisions
  WHERE page_id = ${MINE} AND saved_at >= ?3 * 1000 AND saved_at < ?4 * 1000
  ORDER BY version DESC LIMIT ${STATS_REVISIONS_MAX}`;

// ?3 to ?4: all hours to read.
const LINK_HOURS = `SELECT hour, SUM(n) AS n FROM tallies
  WHERE page_id = ${MINE} AND hour >= ?3 AND hour < ?4 AND kind = 'click' AND link_id = ?5 AND class = 'human'
  GROUP BY hour`;
const LINK_LABEL = `SELECT label FROM removed_links WHERE page_id = ${MINE} AND link_id = ?3`;
// ?5: the JSON path of a dimension.
const VALUE_DAYS = `SELECT day, SUM(entry.value ->> 0) AS views, SUM(entry.value ->> 1) AS clicks
  FROM days, json_each(days.breakdowns, ?5) AS entry
  WHERE page_id = ${MINE} AND day >= ?3 AND day < ?4 AND entry.key = ?6 GROUP BY day`;

/** All rows of a page's statistics in one round trip, or null if the page is not this owner's. */
export async function readStats(
  db: D1Database,
  owner_id: string,
  page_id: string,
  { hours, period, utc, days, days_before_s }: ReadSpans,
  { link, filter }: Part,
): Promise<StatsRows | null> {
  const ask = (sql: string, ...values: (number | string)[]) =>
    db.prepare(sql).bind(page_id, owner_id, ...values);
  const of_link =
    link === null ? [] : [ask(LINK_HOURS, hours.from_s, hours.to_s, link), ask(LINK_LABEL, link)];
  const of_value =
    filter === null
      ? []
      : [ask(VALUE_DAYS, days_before_s, days.to_s, `$.${filter.dimension}`, filter.value)];
  const [pages, links, rolled, by_hour, clicks, visitors, shares, revisions, ...parts] =
    await db.batch([
      ask(PAGE),
      ask(LINKS),
      ask(ROLLED_TO),
      ask(HOURS, hours.from_s, hours.to_s),
      ask(CLICKS, period.from_s, period.to_s, utc.from_s, utc.to_s),
      ask(VISITORS, days_before_s, days.to_s),
      ask(SHARES, days.from_s, days.to_s),
      ask(REVISIONS, period.from_s, period.to_s),
      ...of_link,
      ...of_value,
    ]);
  const page = toPage(pages);
  if (page === null) return null;
  return {
    page,
    links: toLinks(links),
    rolled_to: rowsOf<{ rolled_to: number }>(rolled)[0]?.rolled_to ?? 0,
    hours: rowsOf(by_hour),
    clicks: withAsked(toClicks(clicks), link, parts[1]),
    visitors: rowsOf(visitors),
    shares: rowsOf(shares),
    revisions: toRevisions(revisions),
    link_hours: link === null ? [] : rowsOf(parts[0]),
    value_days: filter === null ? [] : rowsOf(parts[0]),
  };
}

/** With the removed link that is asked for, even if nobody clicked it in the period. */
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

function toClicks(found: D1Result | undefined): ClickRow[] {
  type Row = Omit<ClickRow, "last_label"> & { last_label: string | null };
  return rowsOf<Row>(found).map(({ last_label, ...row }) => ({
    ...row,
    last_label: last_label === null ? null : (JSON.parse(last_label) as ByLocale),
  }));
}

function toRevisions(found: D1Result | undefined): Revision[] {
  type Row = Omit<Revision, "what"> & { what: string };
  return rowsOf<Row>(found).map(({ what, ...row }) => ({
    ...row,
    what: JSON.parse(what) as Change[],
  }));
}
