/** Reads of `pages`, and of their tallies in the last 24 hours by the keys of few pages. */
import { HOUR_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import type { Page } from "../pages/document/pages-store.ts";

export interface PageTraffic extends Pick<Page, "page_id" | "slug" | "status"> {
  name: string;
  /** People's views in the last 24 hours, as far as D1 has them; `clicks` likewise. */
  views: number;
  clicks: number;
}

export const TRAFFIC_HOURS = 24;

/** These pages with their traffic, most visited first. Pages that D1 lacks are left out. */
export async function readTraffic(
  db: D1Database,
  databases: readonly D1Database[],
  page_ids: readonly string[],
  now: number,
): Promise<PageTraffic[]> {
  const ids = JSON.stringify(page_ids);
  const from = Math.floor((now - TRAFFIC_HOURS * HOUR_MS) / SECOND_MS);
  const [pages, ...tallies] = await Promise.all([
    db
      .prepare(
        `SELECT page_id, slug, status, name FROM pages
         WHERE page_id IN (SELECT value FROM json_each(?1))`,
      )
      .bind(ids)
      .all<Pick<PageTraffic, "page_id" | "slug" | "status" | "name">>(),
    ...databases.map((db) =>
      db
        .prepare(
          `SELECT page_id, kind, SUM(n) AS n FROM tallies
           WHERE page_id IN (SELECT value FROM json_each(?1)) AND hour >= ?2
             AND class = 'human' AND shard >= 0
           GROUP BY page_id, kind`,
        )
        .bind(ids, from)
        .all<{ page_id: string; kind: "view" | "click"; n: number }>(),
    ),
  ]);
  const counts = new Map<string, number>();
  for (const { page_id, kind, n } of tallies.flatMap(({ results }) => results)) {
    const key = `${kind}/${page_id}`;
    // A page that moves has rows in two databases, and one of them has all.
    counts.set(key, Math.max(counts.get(key) ?? 0, n));
  }
  return pages.results
    .map((page) => ({
      ...page,
      views: counts.get(`view/${page.page_id}`) ?? 0,
      clicks: counts.get(`click/${page.page_id}`) ?? 0,
    }))
    .toSorted((one, other) => other.views + other.clicks - (one.views + one.clicks));
}
