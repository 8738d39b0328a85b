/**
 * D1's numbers and the page object's, read at one version of the page. If a flush ran between the
 * two reads, its events would be in both or in neither, so both are read again.
 */

import { MAIN } from "../../objects/page/home/databases.ts";
import type { PageSnapshot } from "../../objects/page/page-snapshot.ts";
import { CONSISTENT_READ_TRIES_MAX } from "./limits.ts";
import { statsOfPage } from "./stats-database.ts";

/**
 * `read` gets the database that the object's snapshot names. On a page that flushes during every
 * try, events of the last flush may be both in D1's numbers and pending; no event is missing from
 * both.
 */
export async function consistentRead<T>(
  env: Cloudflare.Env,
  page_id: string,
  read: (stats: D1Database) => Promise<T>,
): Promise<{ snapshot: PageSnapshot; found: T }> {
  const page = env.PAGE.getByName(page_id);
  let snapshot: PageSnapshot = await page.snapshot();
  for (let times = 1; ; times += 1) {
    // While a version is deployed, objects of the one before may answer no name.
    const found = await read(statsOfPage(env, snapshot.stats ?? MAIN));
    const after: PageSnapshot = await page.snapshot();
    const isThere = after.stats === snapshot.stats;
    if (isThere && after.version === snapshot.version) return { snapshot: after, found };
    // Where the page has left, its rows may have been deleted before the read.
    if (isThere && times >= CONSISTENT_READ_TRIES_MAX) return { snapshot, found };
    snapshot = after;
  }
}
