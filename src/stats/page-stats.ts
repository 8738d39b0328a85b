/** A page's statistics, made from a consistent read of D1 and the page object. */
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { spansToRead, statsOf } from "./aggregation.ts";
import type { Period } from "./calendar.ts";
import { consistentRead } from "./consistent-read.ts";
import type { Interval, Stats } from "./stats-shape.ts";
import { findOwnedPage, type PageColumns, readStats } from "./stats-store.ts";

interface StatsRequest {
  owner_id: string;
  page_id: string;
  period: Period;
  interval: Interval;
  /** Flushes first, so that every event acknowledged before the request is in the numbers. */
  fresh: boolean;
}

/** Throws 404 if the page is not this owner's, and 503 if D1 or the object fails. */
export async function pageStats(
  env: Cloudflare.Env,
  { owner_id, page_id, period, interval, fresh }: StatsRequest,
  now_ms: number,
): Promise<{ page: PageColumns; stats: Stats }> {
  const answer = await callDependency("stats_failed", async () => {
    if (fresh) {
      // Checked first, so that a stranger cannot make the object flush.
      if ((await findOwnedPage(env.DB, owner_id, page_id)) === null) return null;
      await env.PAGE.getByName(page_id).flush();
    }
    const spans = spansToRead(period);
    const read = () => readStats(env.DB, owner_id, page_id, spans);
    const { snapshot, found } = await consistentRead(env, page_id, read);
    if (found === null) return null;
    return { page: found.page, stats: statsOf(found, snapshot, { period, interval }, now_ms) };
  });
  if (answer === null) throw new ApiError("PAGE_NOT_FOUND");
  return answer;
}
