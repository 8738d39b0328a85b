/**
 * The table `downloads` in D1; only this file writes it. Numbers are absolute and only grow, so a
 * flush that is repeated, overtaken or whose reply is lost changes nothing.
 */

import type { LinkDownloads } from "../../events/announced.ts";
import type { Database } from "../../platform/ports.ts";

const FIND_PAGE = "SELECT 1 AS n FROM pages WHERE page_id = ?1";
const MERGE = `INSERT INTO downloads (page_id, link_id, uses, bytes)
  SELECT ?1, value ->> 'link_id', value ->> 'uses', value ->> 'bytes' FROM json_each(?2)
  WHERE EXISTS (${FIND_PAGE})
  ON CONFLICT DO UPDATE
  SET uses = max(downloads.uses, excluded.uses), bytes = max(downloads.bytes, excluded.bytes)
  WHERE excluded.uses > downloads.uses OR excluded.bytes > downloads.bytes`;

/**
 * Sends all blocks of the page, because a D1 that was restored to an older point has lost some.
 * Rejects, and writes nothing, if D1 lacks the page, which it may get back.
 */
export async function flushDownloads(
  db: Database,
  page_id: string,
  links: readonly LinkDownloads[],
): Promise<void> {
  const [found] = await db.batch([
    db.prepare(FIND_PAGE).bind(page_id),
    db.prepare(MERGE).bind(page_id, JSON.stringify(links)),
  ]);
  if (found?.results.length !== 1) throw new Error("D1 does not have the page");
}
