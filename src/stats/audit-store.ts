/** The statements of an audit filter by owner. */
import type { ByLocale } from "../pages/document/page-document.ts";
import {
  LINKS,
  type LinkRow,
  PAGE,
  PAGE_ALONE,
  type PageColumns,
  rowsOf,
  toLinks,
  toPage,
} from "./page-columns.ts";
import { MINE, readPlaces, type StatsPlaces } from "./stats-places.ts";
import { COUNTED } from "./stats-store.ts";

/** The events that the page's object counted; they need all tallies of the page. */
export interface AuditRows {
  page: PageColumns;
  links: LinkRow[];
  removed: { link_id: string; label: ByLocale }[];
  /** Events by link; `''` for views. */
  flushed: { link_id: string; n: number }[];
}

const REMOVED = `SELECT link_id, label FROM removed_links WHERE page_id = ${MINE}`;
const flushed = (page: string) => `SELECT link_id, SUM(n) AS n FROM tallies
  WHERE page_id = ${page} AND ${COUNTED} GROUP BY link_id`;

/** Events of the page's object that this database has, whoever owns the page. */
export async function readFlushed(db: D1Database, page_id: string): Promise<AuditRows["flushed"]> {
  const { results } = await db
    .prepare(flushed("?1"))
    .bind(page_id)
    .all<{ link_id: string; n: number }>();
  return results;
}

/** One round trip to each database; null if the page is not this owner's. */
export async function readAuditRows(
  at: StatsPlaces,
  owner_id: string,
  page_id: string,
): Promise<AuditRows | null> {
  const [[pages, links, removed], [counted]] = await readPlaces(
    at,
    [page_id, owner_id],
    [[at.stats === at.db ? PAGE : PAGE_ALONE], [LINKS], [REMOVED]],
    (page) => [[flushed(page)]],
  );
  const page = toPage(pages);
  if (page === null) return null;
  return {
    page,
    links: toLinks(links),
    removed: rowsOf<{ link_id: string; label: string }>(removed).map(({ link_id, label }) => ({
      link_id,
      label: JSON.parse(label) as ByLocale,
    })),
    flushed: rowsOf(counted),
  };
}
