/** A page's totals in D1 for its audit. The statements filter by owner. */
import type { ByLocale } from "../pages/page-document.ts";
import {
  LINKS,
  type LinkRow,
  PAGE,
  type PageColumns,
  rowsOf,
  toLinks,
  toPage,
} from "./page-columns.ts";
import { COUNTED, MINE } from "./stats-store.ts";

/** The events that the page's object counted; they need all tallies of the page. */
export interface AuditRows {
  page: PageColumns;
  links: LinkRow[];
  /** Links that were removed from the page, with their last labels. */
  removed: { link_id: string; label: ByLocale }[];
  /** By link; `''` for views. */
  flushed: { link_id: string; n: number }[];
}

const REMOVED = `SELECT link_id, label FROM removed_links WHERE page_id = ${MINE}`;
const FLUSHED = `SELECT link_id, SUM(n) AS n FROM tallies
  WHERE page_id = ${MINE} AND ${COUNTED} GROUP BY link_id`;

/** In one round trip; null if the page is not this owner's. */
export async function readAuditRows(
  db: D1Database,
  owner_id: string,
  page_id: string,
): Promise<AuditRows | null> {
  const [pages, links, removed, flushed] = await db.batch(
    [PAGE, LINKS, REMOVED, FLUSHED].map((sql) => db.prepare(sql).bind(page_id, owner_id)),
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
    flushed: rowsOf(flushed),
  };
}
