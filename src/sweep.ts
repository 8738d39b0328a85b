/**
 * The cron sweep: walks all pages, a part each minute, and lets each object whose flush is overdue
 * re-arm its alarm. The second net: requests re-arm a lost alarm too (FAULTS F8).
 */
import { logError } from "./log.ts";
import { listPageIds } from "./stores/pages.ts";

/** Pages of one run. The platform allows 1,000 calls; a million pages are walked in 19 hours. */
const PAGES_PER_RUN = 900;
/** Calls at once, so that one run neither queues up nor takes long. */
const CALLS_AT_ONCE = 30;
const CURSOR_KEY = "sweep-cursor";

/** Sweeps the next part and remembers where it ended; answers how many alarms had been lost. */
export async function sweep(env: Cloudflare.Env): Promise<number> {
  const cursor = (await env.KV.get(CURSOR_KEY)) ?? "";
  const page_ids = await listPageIds(env.DB, cursor, PAGES_PER_RUN);
  let lost = 0;
  for (let from = 0; from < page_ids.length; from += CALLS_AT_ONCE) {
    const results = await Promise.allSettled(
      page_ids
        .slice(from, from + CALLS_AT_ONCE)
        .map((page_id) => env.PAGE.getByName(page_id).sweep()),
    );
    for (const result of results) {
      if (result.status === "rejected") logError("sweep_failed", {}, result.reason);
      else if (result.value) lost += 1;
    }
  }
  // The walk starts over at its end, so a full turn is never skipped.
  const next = page_ids.length < PAGES_PER_RUN ? "" : (page_ids.at(-1) ?? "");
  if (next !== cursor) await env.KV.put(CURSOR_KEY, next);
  return lost;
}
