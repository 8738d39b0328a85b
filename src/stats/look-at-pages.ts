import { withTimeout } from "../../objects/platform/clock.ts";
import { LOOK_TIMEOUT_MS } from "./limits.ts";

/**
 * Makes each page's object flush what has waited for longer than FLUSH_SECONDS, because a page that
 * nobody looks at is flushed once an hour. Waits a second at most: slower pages have older numbers
 * in D1. Never rejects. Answers the names of the databases of each page that answered.
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
