/**
 * D1's numbers beside the page object's, so that they belong together: read again where a flush came in
 * between, because its events would be in both.
 */
import type { PageSnapshot } from "../../objects/page/page-snapshot.ts";
import { CONSISTENT_READ_TRIES_MAX } from "../http/limits.ts";

/**
 * What the object has, and what `read` found in D1. On a page that flushes all the time, what came with the
 * last flush may be both in D1's numbers and among the pending; never is anything in neither.
 */
export async function consistentRead<T>(
  env: Cloudflare.Env,
  page_id: string,
  read: () => Promise<T>,
): Promise<{ snapshot: PageSnapshot; found: T }> {
  const page = env.PAGE.getByName(page_id);
  let snapshot: PageSnapshot = await page.snapshot();
  for (let times = 1; ; times += 1) {
    const found = await read();
    const after: PageSnapshot = await page.snapshot();
    if (after.version === snapshot.version) return { snapshot: after, found };
    if (times === CONSISTENT_READ_TRIES_MAX) return { snapshot, found };
    snapshot = after;
  }
}
