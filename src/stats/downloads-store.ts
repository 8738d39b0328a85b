/** Reads of `downloads`, which `objects/blocks/downloads/flush-downloads.ts` writes. */

import type { LinkDownloads } from "../../objects/events/announced.ts";
import { SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { MINE } from "./stats-places.ts";

/** D1's numbers are a few seconds old without the object. */
const LOOK_TIMEOUT_MS = 2 * SECOND_MS;

/**
 * Each download block of the page, and each that was used and is not on it any more, since the page
 * was created; the most used first. Empty if the page is not this owner's. The numbers are the
 * object's, because D1 may have been restored to an older point (F20).
 */
export async function readDownloads(
  { DB, DOWNLOADS }: Pick<Cloudflare.Env, "DB" | "DOWNLOADS">,
  owner_id: string,
  page_id: string,
): Promise<LinkDownloads[]> {
  const { results } = await DB.prepare(
    `SELECT link_id, SUM(uses) AS uses, SUM(bytes) AS bytes FROM (
       SELECT link_id, uses, bytes FROM downloads WHERE page_id = ${MINE}
       UNION ALL
       SELECT value ->> 'link_id', 0, 0 FROM pages, json_each(document, '$.links')
       WHERE page_id = ?1 AND owner_id = ?2 AND value ->> 'kind' = 'download')
     GROUP BY link_id`,
  )
    .bind(page_id, owner_id)
    .all<LinkDownloads>();
  if (results.length === 0) return results;
  const looking = DOWNLOADS.getByName(page_id).look(results);
  const used = await withTimeout(looking, LOOK_TIMEOUT_MS).catch(() => []);
  const newest = new Map([...results, ...used].map((each) => [each.link_id, each]));
  return [...newest.values()].sort((one, other) => other.uses - one.uses);
}
