/**
 * The cron sweep: walks all pages, a part each minute, and lets each object whose flush is overdue
 * re-arm its alarm. The second net: requests re-arm a lost alarm too (docs/faults.md F8). On the same visit each
 * page rolls its hours older than 90 days into days (`objects/tables/retention.ts`). Every minute the changes of pages
 * that could not be delivered are tried again (`page-changes.ts`). Once an hour the sweep looks after the error
 * logs.
 */
import { ERROR_LOGS } from "../objects/errors/error-report.ts";
import { forgetErrors } from "../objects/errors/flush-errors.ts";
import type { SweepResult } from "../objects/flush/flush-scheduler.ts";
import { DAY_MS, MINUTE_MS, withTimeout } from "../objects/platform/clock.ts";
import { logError } from "../objects/platform/log.ts";
import { forgetAccounts } from "./accounts/accounts-store.ts";
import { endPage } from "./accounts/end-page.ts";
import { forgetWebhooks } from "./accounts/webhooks-store.ts";
import { deliverPageChanges } from "./pages/page-changes.ts";
import { listPageIds } from "./pages/pages-store.ts";

/** Pages of one run. The platform allows 1,000 calls; a million pages are walked in 19 hours. */
const PAGES_PER_RUN = 900;
/** Calls at once, so that one run neither queues up nor takes long. */
const CALLS_AT_ONCE = 30;
/** Longest wait for one object, for KV or D1, in milliseconds. */
const CALL_TIMEOUT_MS = 15_000;
const CURSOR_KEY = "sweep-cursor";

/**
 * Sweeps the next part and remembers where it ended; answers how many alarms had been lost.
 *
 * @param now unix milliseconds
 */
export async function sweepPages(env: Cloudflare.Env, now: number): Promise<number> {
  const inTime = <T>(work: Promise<T>) => withTimeout(work, CALL_TIMEOUT_MS);
  const cursor = (await inTime(env.KV.get(CURSOR_KEY))) ?? "";
  const page_ids = await inTime(listPageIds(env.DB, cursor, PAGES_PER_RUN));
  const swept = await sweepAll(page_ids, (page_id) => env.PAGE.getByName(page_id).sweep());
  for (const page_id of page_ids) {
    // A D1 that was restored to an older point has pages again that had ended.
    if (swept.get(page_id) === "ended") await inTime(endPage(env.DB, page_id, now));
  }
  // The walk starts over at its end, so a full turn is never skipped.
  const next = page_ids.length < PAGES_PER_RUN ? "" : (page_ids.at(-1) ?? "");
  if (next !== cursor) await inTime(env.KV.put(CURSOR_KEY, next));
  return rearmedIn(swept);
}

/** What the cron does at this time, in unix milliseconds; answers how many alarms had been lost. */
export async function runCron(env: Cloudflare.Env, scheduled_at: number): Promise<number> {
  const on_the_hour = Math.floor(scheduled_at / MINUTE_MS) % 60 === 0;
  const logs = on_the_hour ? sweepErrorLogs(env, scheduled_at) : 0;
  const forgotten = on_the_hour ? forgetHubEvents(env, scheduled_at) : null;
  const [lost, lost_logs] = await Promise.all([sweepAndDeliver(env), logs, forgotten]);
  return lost + lost_logs;
}

/** Changes of pages do not wait for objects that do not answer; once more for the pages that the sweep ended. */
async function sweepAndDeliver(env: Cloudflare.Env): Promise<number> {
  const delivering = deliverPageChanges(env, Date.now());
  const [swept, delivered] = await Promise.allSettled([sweepPages(env, Date.now()), delivering]);
  if (swept.status === "fulfilled") await deliverPageChanges(env, Date.now());
  if (delivered.status === "rejected") logError("delivery_failed", {}, delivered.reason);
  if (swept.status === "rejected") throw swept.reason;
  return swept.value;
}

/** Sweeps the error logs and deletes what they have forgotten; answers how many alarms had been lost. */
export async function sweepErrorLogs(env: Cloudflare.Env, now: number): Promise<number> {
  const swept = await sweepAll(ERROR_LOGS, (name) => env.ERROR_LOG.getByName(name).sweep());
  await withTimeout(forgetErrors(env.DB, now), CALL_TIMEOUT_MS);
  return rearmedIn(swept);
}

/** Forgets what the hub told us when nobody can need it any more: sessions are remembered for a minute. */
async function forgetHubEvents({ DB }: Cloudflare.Env, now: number): Promise<void> {
  await DB.batch([forgetWebhooks(DB, now), forgetAccounts(DB, DAY_MS)]);
}

/** Sweeps objects, some at once; one that fails, or does not answer in time, is left to its next turn. */
async function sweepAll(
  names: readonly string[],
  sweep: (name: string) => Promise<SweepResult>,
): Promise<Map<string, SweepResult>> {
  const swept = new Map<string, SweepResult>();
  for (let from = 0; from < names.length; from += CALLS_AT_ONCE) {
    const some = names.slice(from, from + CALLS_AT_ONCE);
    const results = await Promise.allSettled(
      some.map((name) => withTimeout(sweep(name), CALL_TIMEOUT_MS)),
    );
    for (const [i, name] of some.entries()) {
      const result = results[i];
      if (result?.status === "fulfilled") swept.set(name, result.value);
      else logError("sweep_failed", {}, result?.reason);
    }
  }
  return swept;
}

function rearmedIn(swept: ReadonlyMap<string, SweepResult>): number {
  return [...swept.values()].filter((found) => found === "rearmed").length;
}
