/** The list of one owner's pages: reads of `pages` and `tallies`. */
import type { Page } from "../pages/pages-store.ts";
import type { Counts } from "./stats-shape.ts";

/** A page in its owner's list. */
export interface OwnedPage extends Pick<Page, "page_id" | "slug" | "name" | "locale" | "status"> {
  /** Human views and clicks of today, and of the last 30 days including today. */
  today: Counts;
  month: Counts;
}

interface OwnedRow extends Omit<OwnedPage, "today" | "month"> {
  today_views: number;
  today_clicks: number;
  month_views: number;
  month_clicks: number;
}

// ?2: start of the 30 days. ?3: start of today. ?4: end of today.
const counted = (kind: string, from: string) =>
  `(SELECT COALESCE(SUM(n), 0) FROM tallies WHERE tallies.page_id = pages.page_id
      AND hour >= ${from} AND hour < ?4 AND kind = '${kind}' AND class = 'human')`;
const OWNED = `SELECT page_id, slug, name, locale, status,
    ${counted("view", "?3")} AS today_views, ${counted("click", "?3")} AS today_clicks,
    ${counted("view", "?2")} AS month_views, ${counted("click", "?2")} AS month_clicks
  FROM pages WHERE owner_id = ?1 ORDER BY page_id LIMIT ?5`;

/** Up to `limit` pages of an owner with their recent counts. */
export async function listOwnedPages(
  db: D1Database,
  owner_id: string,
  { from_s, today_s, to_s }: { from_s: number; today_s: number; to_s: number },
  limit: number,
): Promise<OwnedPage[]> {
  const { results } = await db
    .prepare(OWNED)
    .bind(owner_id, from_s, today_s, to_s, limit)
    .all<OwnedRow>();
  return results.map(({ today_views, today_clicks, month_views, month_clicks, ...page }) => ({
    ...page,
    today: { views: today_views, clicks: today_clicks },
    month: { views: month_views, clicks: month_clicks },
  }));
}
