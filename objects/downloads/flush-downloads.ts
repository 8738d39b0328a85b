/**
 * The table `downloads` in D1, of which this file is the only writer. Numbers are absolute and only
 * grow, so a flush that is repeated, overtaken or whose reply is lost changes nothing.
 */
import type { Database } from "../platform/ports.ts";
import type { LinkDownloads } from "../tables/announced.ts";

/**
 * Merges the numbers of all blocks of a page, so that a D1 that was restored to an older point has
 * them again. Rows that D1 has already cost nothing. Writes nothing for a page that has ended.
 */
export async function flushDownloads(
  db: Database,
  page_id: string,
  links: readonly LinkDownloads[],
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO downloads (page_id, link_id, uses, bytes)
       SELECT ?1, value ->> 'link_id', value ->> 'uses', value ->> 'bytes' FROM json_each(?2)
       WHERE EXISTS (SELECT 1 FROM pages WHERE page_id = ?1)
       ON CONFLICT DO UPDATE
       SET uses = max(downloads.uses, excluded.uses), bytes = max(downloads.bytes, excluded.bytes)
       WHERE excluded.uses > downloads.uses OR excluded.bytes > downloads.bytes`,
    )
    .bind(page_id, JSON.stringify(links))
    .all();
}
