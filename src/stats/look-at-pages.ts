/**
 * Brings D1's numbers of some pages up to date before they are read: each page's object flushes what
 * has waited for longer than FLUSH_SECONDS. A page that nobody looks at is flushed once an hour.
 */
import { withTimeout } from "../../objects/platform/clock.ts";
import { LOOK_TIMEOUT_MS } from "./limits.ts";

/**
 * Waits for the slowest page for a second at most: its numbers in D1 are then older. Never rejects.
 * Answers the names of the databases that have the numbers of each page, of those that answered.
 */
export async function lookAtPages(
  { PAGE }: Pick<Cloudflare.Env, "PAGE">,
  page_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, readonly string[]>();
  const looking = page_ids.map(async (page_id) => {
    names.set(page_id, await PAGE.getByName(page_id).look());
  });
  await withTimeout(Promise.allSettled(looking), LOOK_TIMEOUT_MS).catch(() => {});
  return names;
}
