/**
 * A page's counts in D1: reads of `tallies`, `days` and `rolled_days`, which the page object writes
 * (`objects/page/flush-page.ts`). Every statement filters by owner, so another owner's page is not found.
 */
import type { Dimension } from "../../objects/tables/event.ts";
import { BREAKDOWN_SHARES_MAX } from "../http/limits.ts";
import type { Page } from "../pages/pages-store.ts";
import type { Span } from "./calendar.ts";
import type { Counts } from "./stats-shape.ts";

/** The columns of a page that its statistics need. */
export type PageColumns = Pick<
  Page,
  "page_id" | "slug" | "name" | "locale" | "theme" | "status" | "contact"
>;

/** The spans of time to read from D1. */
export interface ReadSpans {
  /** All hours of the period and of the one before. */
  hours: Span;
  /** The period in the creator's time zone. */
  period: Span;
  /** The same dates as UTC days, for visitors, breakdowns and rolled-up hours. */
  utc: Span;
  /** Where the UTC days of the period before start. */
  utc_before_s: number;
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

export interface StatsRows {
  page: PageColumns;
  /** In the page's order. */
  links: { link_id: string; label: string }[];
  /** Unix second up to which hours have been rolled up into UTC days. */
  rolled_to: number;
  hours: HourRow[];
  /** Human clicks in the period. */
  clicks: { link_id: string; n: number }[];
  /** By UTC day. */
  visitors: { day: number; n: number }[];
  shares: ({ dimension: Dimension; value: string } & Counts)[];
}

const MINE = "(SELECT page_id FROM pages WHERE page_id = ?1 AND owner_id = ?2)";
const ROLLED_TO = "(SELECT COALESCE(MAX(rolled_to), 0) FROM rolled_days WHERE page_id = ?1)";
const PAGE = `SELECT page_id, slug, name, locale, theme, status, contact, ${ROLLED_TO} AS rolled_to
  FROM pages WHERE page_id = ?1 AND owner_id = ?2`;
const LINKS = `SELECT link_id, label FROM links WHERE page_id = ${MINE} ORDER BY position, link_id`;

// Page objects have the shards from 0 on. No object has counted the events of negative shards, which
// are imported history or invented sample data.
const COUNTED = "shard >= 0";
const IMPORTED = "shard < 0";
const human = "FILTER (WHERE class = 'human')";
// ?3 to ?4: all hours to read. Grouped in the order of the primary key, so SQLite does not sort.
const HOURS = `SELECT hour, kind,
    TOTAL(n) ${human} AS human, TOTAL(n) FILTER (WHERE class = 'bot') AS bot,
    TOTAL(n) FILTER (WHERE class = 'owner') AS owner, TOTAL(n) FILTER (WHERE class = 'limited') AS limited,
    TOTAL(n) FILTER (WHERE class = 'human' AND ${IMPORTED}) AS imported
  FROM tallies WHERE page_id = ${MINE} AND hour >= ?3 AND hour < ?4 GROUP BY hour, kind`;
// ?3 to ?4: the period. ?5 to ?6: the same dates in UTC, for hours that were rolled up into UTC days.
const CLICKS = `SELECT link_id, SUM(n) AS n FROM tallies
  WHERE page_id = ${MINE} AND hour >= MIN(?3, ?5) AND hour < MAX(?4, ?6) AND kind = 'click' AND class = 'human'
    AND CASE WHEN hour < ${ROLLED_TO} THEN hour >= ?5 AND hour < ?6 ELSE hour >= ?3 AND hour < ?4 END
  GROUP BY link_id`;
const VISITORS = `SELECT day, SUM(visitors) AS n FROM days
  WHERE page_id = ${MINE} AND day >= ?3 AND day < ?4 GROUP BY day`;
// The largest shares of each dimension; the rest is added to the share `(other)` that the days may have.
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

/** All rows of a page's statistics in one round trip, or null if the page is not this owner's. */
export async function readStats(
  db: D1Database,
  owner_id: string,
  page_id: string,
  { hours, period, utc, utc_before_s }: ReadSpans,
): Promise<StatsRows | null> {
  const ask = (sql: string, ...values: number[]) =>
    db.prepare(sql).bind(page_id, owner_id, ...values);
  const [pages, links, by_hour, clicks, visitors, shares] = await db.batch([
    ask(PAGE),
    ask(LINKS),
    ask(HOURS, hours.from_s, hours.to_s),
    ask(CLICKS, period.from_s, period.to_s, utc.from_s, utc.to_s),
    ask(VISITORS, utc_before_s, utc.to_s),
    ask(SHARES, utc.from_s, utc.to_s),
  ]);
  const row = pages?.results[0] as (PageRow & { rolled_to: number }) | undefined;
  if (row === undefined) return null;
  const { rolled_to, ...page } = row;
  return {
    page: toPage(page),
    rolled_to,
    links: (links?.results ?? []) as StatsRows["links"],
    hours: (by_hour?.results ?? []) as unknown as HourRow[],
    clicks: (clicks?.results ?? []) as StatsRows["clicks"],
    visitors: (visitors?.results ?? []) as StatsRows["visitors"],
    shares: (shares?.results ?? []) as StatsRows["shares"],
  };
}

/** A page's totals in D1, as its object counted them. Reading them reads every tally of the page. */
export interface AuditRows {
  page: PageColumns;
  links: { link_id: string; label: string }[];
  /** By link; `''` for views. */
  flushed: { link_id: string; n: number }[];
}

const FLUSHED = `SELECT link_id, SUM(n) AS n FROM tallies
  WHERE page_id = ${MINE} AND ${COUNTED} GROUP BY link_id`;

/** In one round trip; null if the page is not this owner's. */
export async function readAuditRows(
  db: D1Database,
  owner_id: string,
  page_id: string,
): Promise<AuditRows | null> {
  const [pages, links, flushed] = await db.batch(
    [PAGE, LINKS, FLUSHED].map((sql) => db.prepare(sql).bind(page_id, owner_id)),
  );
  const row = pages?.results[0] as PageRow | undefined;
  if (row === undefined) return null;
  return {
    page: toPage(row),
    links: (links?.results ?? []) as AuditRows["links"],
    flushed: (flushed?.results ?? []) as AuditRows["flushed"],
  };
}

/** The page, or null if it is not this owner's. */
export async function findOwnedPage(
  db: D1Database,
  owner_id: string,
  page_id: string,
): Promise<PageColumns | null> {
  const row = await db.prepare(PAGE).bind(page_id, owner_id).first<PageRow>();
  return row === null ? null : toPage(row);
}

type PageRow = Omit<PageColumns, "contact"> & { contact: string | null };

function toPage({ contact, ...row }: PageRow): PageColumns {
  return {
    ...row,
    contact: contact === null ? null : (JSON.parse(contact) as PageColumns["contact"]),
  };
}
