/**
 * Slugs that pages have given up: table `former_slugs`, which only this file writes. A trigger on
 * `pages` refuses a slug that is in this table for another page, so taking one is atomic.
 */
import { DAY_MS } from "../../../objects/platform/clock.ts";
import { FORMER_SLUG_DAYS, RESTING_SLUG_DAYS } from "./limits.ts";
import type { PageStatus } from "./pages-store.ts";

/** A page with more former slugs frees its oldest. */
const FORMER_SLUGS_MAX = 20;

/** Keeps the order. The page's own, its former and reserved slugs count as free. */
export async function findFreeSlugs(
  db: D1Database,
  slugs: readonly string[],
  page_id: string | null,
  now: number,
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT wanted.value AS slug FROM json_each(?1) AS wanted
       WHERE NOT EXISTS (SELECT 1 FROM pages WHERE slug = wanted.value AND page_id IS NOT ?2)
         AND NOT EXISTS (SELECT 1 FROM former_slugs
                         WHERE slug = wanted.value AND page_id IS NOT ?2 AND until > ?3)
       ORDER BY wanted.key`,
    )
    .bind(JSON.stringify(slugs), page_id, now)
    .all<{ slug: string }>();
  return results.map(({ slug }) => slug);
}

export async function findCurrentSlug(
  db: D1Database,
  former: string,
  now: number,
): Promise<{ page_id: string; slug: string } | null> {
  return db
    .prepare(
      `SELECT pages.page_id, pages.slug FROM former_slugs JOIN pages USING (page_id)
       WHERE former_slugs.slug = ?1 AND until > ?2 AND status = 'published' AND ends_at IS NULL`,
    )
    .bind(former, now)
    .first();
}

/** Frees a slug whose time is over. Must come before the statement that takes it. */
export function freeSlug(db: D1Database, slug: string, now: number): D1PreparedStatement {
  return db.prepare("DELETE FROM former_slugs WHERE slug = ?1 AND until <= ?2").bind(slug, now);
}

export function deleteOldSlugs(db: D1Database, now: number): D1PreparedStatement {
  return db.prepare("DELETE FROM former_slugs WHERE until <= ?1").bind(now);
}

/**
 * Keeps the slug which a page gives up with the save `save_id`. Changes nothing where that save was
 * not made, and keeps no slug of a page that was never published before.
 */
export function keepFormerSlug(
  db: D1Database,
  { page_id, slug: former, status }: { page_id: string; slug: string; status: PageStatus },
  save_id: string,
  now: number,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT INTO former_slugs (slug, page_id, until)
         SELECT ?2, page_id, ?4 FROM pages
         WHERE page_id = ?1 AND save_id = ?3 AND slug <> ?2
           AND published_at IS NOT NULL AND (published_at <> ?5 OR ?6 <> 'draft')
         ON CONFLICT (slug) DO UPDATE SET page_id = excluded.page_id, until = excluded.until`,
      )
      // A save that publishes the page and renames it sets `published_at` too.
      .bind(page_id, former, save_id, now + FORMER_SLUG_DAYS * DAY_MS, now, status),
    db
      .prepare(
        `DELETE FROM former_slugs WHERE slug = (SELECT slug FROM pages WHERE page_id = ?1 AND save_id = ?2)`,
      )
      .bind(page_id, save_id),
    db
      .prepare(
        `DELETE FROM former_slugs WHERE slug IN (
           SELECT slug FROM former_slugs WHERE page_id = ?1
           ORDER BY until DESC, slug LIMIT -1 OFFSET ${FORMER_SLUGS_MAX})`,
      )
      .bind(page_id),
  ];
}

/** The page's slug rests from its deletion on, and its former slugs no longer than that. */
export function restSlugs(db: D1Database, page_id: string, now: number): D1PreparedStatement[] {
  const until = now + RESTING_SLUG_DAYS * DAY_MS;
  return [
    db
      .prepare("UPDATE former_slugs SET until = min(until, ?2) WHERE page_id = ?1")
      .bind(page_id, until),
    db
      .prepare(
        `INSERT INTO former_slugs (slug, page_id, until)
         SELECT slug, page_id, ?2 FROM pages WHERE page_id = ?1 AND published_at IS NOT NULL
         ON CONFLICT (slug) DO UPDATE SET page_id = excluded.page_id, until = excluded.until`,
      )
      .bind(page_id, until),
  ];
}
