/**
 * Removed links of a page with their last labels: table `removed_links`, which only this file
 * writes. Their clicks stay in the page's totals, and a link that comes back keeps its id.
 */
import { REMOVED_LINKS_MAX } from "./limits.ts";
import type { ByLocale } from "./page-document.ts";

export interface RemovedLink {
  link_id: string;
  label: ByLocale;
}

/** Notes what a save removed and brought back. Changes nothing if the save was not made. */
export function noteRemovedLinks(
  db: D1Database,
  page_id: string,
  { removed, kept }: { removed: readonly RemovedLink[]; kept: readonly RemovedLink[] },
  save_id: string,
  now: number,
): D1PreparedStatement[] {
  const saved = "EXISTS (SELECT 1 FROM pages WHERE page_id = ?1 AND save_id = ?2)";
  const rows = removed.map(({ link_id, label }) => ({ link_id, label: JSON.stringify(label) }));
  return [
    db
      .prepare(
        `INSERT INTO removed_links (page_id, link_id, label, removed_at)
         SELECT ?1, value ->> 'link_id', value ->> 'label', ?4 FROM json_each(?3) WHERE ${saved}
         ON CONFLICT DO UPDATE SET label = excluded.label, removed_at = excluded.removed_at`,
      )
      .bind(page_id, save_id, JSON.stringify(rows), now),
    db
      .prepare(
        `DELETE FROM removed_links WHERE page_id = ?1
           AND link_id IN (SELECT value FROM json_each(?3)) AND ${saved}`,
      )
      .bind(page_id, save_id, JSON.stringify(kept.map(({ link_id }) => link_id))),
    db
      .prepare(
        `DELETE FROM removed_links WHERE page_id = ?1 AND link_id IN (
           SELECT link_id FROM removed_links WHERE page_id = ?1
           ORDER BY removed_at DESC, link_id LIMIT -1 OFFSET ${REMOVED_LINKS_MAX})`,
      )
      .bind(page_id),
  ];
}

export async function listRemovedLinks(db: D1Database, page_id: string): Promise<RemovedLink[]> {
  const { results } = await db
    .prepare(
      "SELECT link_id, label FROM removed_links WHERE page_id = ?1 ORDER BY removed_at DESC, link_id",
    )
    .bind(page_id)
    .all<{ link_id: string; label: string }>();
  return results.map(({ link_id, label }) => ({ link_id, label: JSON.parse(label) as ByLocale }));
}

export async function findRemovedLinks(
  db: D1Database,
  page_id: string,
  link_ids: readonly string[],
): Promise<Set<string>> {
  if (link_ids.length === 0) return new Set();
  const { results } = await db
    .prepare(
      `SELECT link_id FROM removed_links
       WHERE page_id = ?1 AND link_id IN (SELECT value FROM json_each(?2))`,
    )
    .bind(page_id, JSON.stringify(link_ids))
    .all<{ link_id: string }>();
  return new Set(results.map(({ link_id }) => link_id));
}

/** Belongs into the transaction that deletes the page. */
export function deleteRemovedLinks(db: D1Database, page_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM removed_links WHERE page_id = ?1").bind(page_id);
}
