import { flushIntervalMs } from "../../objects/flush/flush-interval.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { spansToRead, statsOf, type View } from "./aggregation.ts";
import { consistentRead } from "./consistent-read.ts";
import type { PageColumns } from "./page-columns.ts";
import type { Stats } from "./stats-shape.ts";
import { readStats } from "./stats-store.ts";

interface StatsRequest extends View {
  /** The owner has been checked: a stranger cannot make the object flush. */
  owner_id: string;
  page_id: string;
  /**
   * Flushes first, so that every event acknowledged before the request is in the numbers. `tried`:
   * if D1 takes the flush; otherwise the numbers say how far they are behind.
   */
  fresh: boolean | "tried";
}

/** Throws 404 for another owner's page and an unknown link, 503 if D1 or the object fails. */
export async function pageStats(
  env: Cloudflare.Env,
  { owner_id, page_id, fresh, ...view }: StatsRequest,
  now_ms: number,
): Promise<{ page: PageColumns; stats: Stats }> {
  const answer = await callDependency("stats_failed", async () => {
    if (fresh !== false) {
      const flushing = env.PAGE.getByName(page_id).flush();
      await (fresh === "tried" ? flushing.catch(() => {}) : flushing);
    }
    const spans = spansToRead(view);
    const read = (stats: D1Database) =>
      readStats({ db: env.DB, stats }, owner_id, page_id, spans, view);
    const { snapshot, found } = await consistentRead(env, page_id, read);
    if (found === null) return null;
    return {
      page: found.page,
      stats: statsOf(found, snapshot, view, now_ms, flushIntervalMs(env.FLUSH_SECONDS)),
    };
  });
  if (answer === null) throw new ApiError("PAGE_NOT_FOUND");
  const { link, links } = answer.stats;
  if (link !== null && !links.some(({ link_id }) => link_id === link.link_id)) {
    throw new ApiError("LINK_NOT_FOUND");
  }
  return answer;
}
