/**
 * What D1 knows of a page's visits: reads of `tallies`, `days` and `rolled_days`, which the page's object
 * writes (`objects/page/flush-page.ts`). Every statement names the owner: another's page is as if it were not there.
 */
import type { Dimension } from "../../objects/tables/event.ts";
import { BREAKDOWN_SHARES_MAX } from "../http/limits.ts";
import type { Page } from "../pages/pages-store.ts";
import type { Span } from "./calendar.ts";
import type { Counts } from "./stats-shape.ts";

/** A page, as its owner's statistics speak of it. */
export type StatsPage = Pick<
  Page,
  "page_id" | "slug" | "name" | "locale" | "theme" | "status" | "contact"
>;

/** What of D1 is read: the hours for a series, and the same time as days of UTC. */
export interface ReadSpans {
  /** All hours that are of any use. */
  hours: Span;
  /** The period that is asked for, by the creator's clock … */
  period: Span;
  /** … and by days of UTC, for what is known by those alone. */
  utc: Span;
  /** Days of UTC from here on are of use too, for the period before. */
  utc_before_s: number;
}

/** Events of one hour and kind, by class. */
export interface HourRow {
  /** Unix second at which it starts; a whole day of UTC before `rolled_to`. */
  hour: number;
  kind: "view" | "click";
  human: number;
  bot: number;
  owner: number;
  limited: number;
  /** How many of the human events were imported. */
  imported: number;
}

export interface StatsRows {
  page: StatsPage;
  /** In the page's order. */
  links: { link_id: string; label: string }[];
  /** Unix second up to which hours have been rolled into days of UTC. */
  rolled_to: number;
  hours: HourRow[];
  /** People's clicks in the period. */
  clicks: { link_id: string; n: number }[];
  /** Visitors by day of UTC. */
  visitors: { day: number; n: number }[];
  shares: ({ dimension: Dimension; value: string } & Counts)[];
}

const MINE = "(SELECT page_id FROM pages WHERE page_id = ?1 AND owner_id = ?2)";
const ROLLED_TO = "(SELECT COALESCE(MAX(rolled_to), 0) FROM rolled_days WHERE page_id = ?1)";
const PAGE = `SELECT page_id, slug, name, locale, theme, status, contact, ${ROLLED_TO} AS rolled_to
  FROM pages WHERE page_id = ?1 AND owner_id = ?2`;
const LINKS = `SELECT link_id, label FROM links WHERE page_id = ${MINE} ORDER BY position, link_id`;

// Page objects have the shards from 0 on. Negative shards hold imported history, which no object has counted.
const COUNTED = "shard >= 0";
const IMPORTED = "shard < 0";
const human = "FILTER (WHERE class = 'human')";
// ?3 and ?4: all hours of use. In the order of the primary key, so nothing is sorted.
const HOURS = `SELECT hour, kind,
    TOTAL(n) ${human} AS human, TOTAL(n) FILTER (WHERE class = 'bot') AS bot,
    TOTAL(n) FILTER (WHERE class = 'owner') AS owner, TOTAL(n) FILTER (WHERE class = 'limited') AS limited,
    TOTAL(n) FILTER (WHERE class = 'human' AND ${IMPORTED}) AS imported
  FROM tallies WHERE page_id = ${MINE} AND hour >= ?3 AND hour < ?4 GROUP BY hour, kind`;
// ?3 to ?4 the period, ?5 to ?6 the same days of UTC, for hours that became such days.
const CLICKS = `SELECT link_id, SUM(n) AS n FROM tallies
  WHERE page_id = ${MINE} AND hour >= MIN(?3, ?5) AND hour < MAX(?4, ?6) AND kind = 'click' AND class = 'human'
    AND CASE WHEN hour < ${ROLLED_TO} THEN hour >= ?5 AND hour < ?6 ELSE hour >= ?3 AND hour < ?4 END
  GROUP BY link_id`;
const VISITORS = `SELECT day, SUM(visitors) AS n FROM days
  WHERE page_id = ${MINE} AND day >= ?3 AND day < ?4 GROUP BY day`;
// The largest of each dimension; what is beyond joins those that the days have under (other) already.
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

/** Everything about a page's visits in one round trip, or null where it is not this owner's page. */
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

/** What D1 has of a page in all, by link; `''` for views. Reads every tally of the page. */
export interface AuditRows {
  page: StatsPage;
  links: { link_id: string; label: string }[];
  flushed: { link_id: string; n: number }[];
}

const FLUSHED = `SELECT link_id, SUM(n) AS n FROM tallies
  WHERE page_id = ${MINE} AND ${COUNTED} GROUP BY link_id`;

/** For the audit, in one round trip; null where it is not this owner's page. */
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

/** The page, if it is this owner's. */
export async function findOwnedPage(
  db: D1Database,
  owner_id: string,
  page_id: string,
): Promise<StatsPage | null> {
  const row = await db.prepare(PAGE).bind(page_id, owner_id).first<PageRow>();
  return row === null ? null : toPage(row);
}

type PageRow = Omit<StatsPage, "contact"> & { contact: string | null };

function toPage({ contact, ...row }: PageRow): StatsPage {
  return {
    ...row,
    contact: contact === null ? null : (JSON.parse(contact) as StatsPage["contact"]),
  };
}
