/**
 * The cron job, which runs every minute.
 *
 * - It walks all pages, up to 500 a minute. Each page's object re-arms its alarm if a flush is overdue
 *   (docs/faults.md F8; requests re-arm a lost alarm too) and rolls its hours older than 90 days into days.
 * - It ends pages that were deleted half an hour ago, and deletes again what a restored D1 brought back.
 * - Where D1 was restored, it raises an alert, and asks objects what D1 lacks, in slices
 *   (`operate/lacking.ts`).
 * - It retries changes of pages that could not be delivered (`page-changes.ts`).
 * - It deletes pictures that no page uses (`sweep-pictures.ts`), ended files and abandoned uploads
 *   (`sweep-files.ts`).
 * - It ends accounts in the box whose deletion can be undone no more, and applies events that wait.
 * - It measures the service and its dependencies for the operators, before all that (`operate/measure.ts`).
 * - Once an hour it sweeps the error logs and deletes old rows and notes.
 */
import { ERROR_LOGS } from "../objects/errors/error-report.ts";
import { forgetErrors } from "../objects/errors/flush-errors.ts";
import type { SweepResult } from "../objects/flush/flush-scheduler.ts";
import { DAY_MS, MINUTE_MS, withTimeout } from "../objects/platform/clock.ts";
import { logError } from "../objects/platform/log.ts";
import { applyAccountEvents } from "./accounts/account-events.ts";
import { deleteOldAccountChanges, deleteOldDeletedUsers } from "./accounts/accounts-store.ts";
import {
  deleteOldLeftPages,
  endDeletedPages,
  endRestoredPages,
  endRestoredStats,
  endsForGood,
} from "./accounts/ended-pages.ts";
import { deleteOldNotes } from "./accounts/page-notes.ts";
import { deleteOldWebhooks } from "./accounts/webhooks-store.ts";
import { sweepPictures } from "./authoring/pictures/sweep-pictures.ts";
import { sweepFiles } from "./blocks/files/sweep-files.ts";
import { askWhatD1Lacks, noticeRestored } from "./operate/lacking.ts";
import { measure, reportLostAlarms } from "./operate/measure.ts";
import { probeAll } from "./operate/probes.ts";
import { deliverPageChanges } from "./pages/cache/page-changes.ts";
import { listPageIds } from "./pages/document/pages-store.ts";
import { deleteOldSlugs } from "./pages/document/slugs-store.ts";

/** A run has 1,000 calls, of which deliveries and ends may take 400. A million pages take 33 h. */
const PAGES_PER_RUN = 500;
const CALLS_AT_ONCE = 30;
const CALL_TIMEOUT_MS = 15_000;
const CURSOR_KEY = "cron/sweep-cursor";

/** Returns how many alarms had been lost. `now` is in unix milliseconds. */
export async function sweepPages(
  env: Cloudflare.Env,
  now: number,
  limit = PAGES_PER_RUN,
): Promise<number> {
  const inTime = <T>(work: Promise<T>) => withTimeout(work, CALL_TIMEOUT_MS);
  const stored = await inTime(env.MEDIA.get(CURSOR_KEY));
  const cursor = stored === null ? "" : await inTime(stored.text());
  const page_ids = await inTime(listPageIds(env.DB, cursor, limit));
  const swept = await sweepAll(page_ids, (page_id) => env.PAGE.getByName(page_id).sweep());
  for (const page_id of page_ids) {
    // A D1 that was restored to an older point has rows of pages that had ended.
    if (swept.get(page_id) === "ended") await endsForGood(env, page_id, now);
  }
  // After the last page the walk starts again.
  const next = page_ids.length < limit ? "" : (page_ids.at(-1) ?? "");
  if (next !== cursor) await inTime(env.MEDIA.put(CURSOR_KEY, next));
  return rearmedIn(swept);
}

/** `scheduled_at` is in unix milliseconds. Returns how many alarms had been lost. */
export async function runCron(env: Cloudflare.Env, scheduled_at: number): Promise<number> {
  const on_the_hour = Math.floor(scheduled_at / MINUTE_MS) % 60 === 0;
  const logs = on_the_hour ? sweepErrorLogs(env, scheduled_at) : 0;
  const deletion = on_the_hour ? deleteOldRows(env, scheduled_at) : null;
  // Whatever else fails, operators learn it.
  const measuring = measure(env, () => probeAll(env));
  const work = Promise.all([
    sweepAndDeliver(env),
    logs,
    deletion,
    sweepPictures(env, Date.now()),
    sweepFiles(env, Date.now()),
    endAccounts(env),
  ]);
  await Promise.allSettled([measuring, work]);
  const [lost_pages, lost_logs] = await work;
  const lost = lost_pages + lost_logs;
  if (lost > 0) await reportLostAlarms(env, lost);
  return lost;
}

async function endAccounts(env: Cloudflare.Env): Promise<void> {
  if (env.HUB_URL !== "") return;
  const tidying = withTimeout(env.IDENTITY.tidy(), CALL_TIMEOUT_MS);
  await tidying.catch((error) => logError("identity_failed", {}, error));
  const following: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void following.push(promise);
  await applyAccountEvents({ env, executionCtx: { waitUntil } }, Date.now());
  await Promise.allSettled(following);
}

/** Changes are delivered at once, and once more after the sweep, for the pages that ended in it. */
async function sweepAndDeliver(env: Cloudflare.Env): Promise<number> {
  const delivering = deliverPageChanges(env, Date.now());
  const [swept, delivered] = await Promise.allSettled([endAndSweep(env), delivering]);
  if (swept.status === "fulfilled") await deliverPageChanges(env, Date.now());
  if (delivered.status === "rejected") logError("delivery_failed", {}, delivered.reason);
  if (swept.status === "rejected") throw swept.reason;
  return swept.value;
}

/** The sweep comes last: where D1 was restored, it has objects send again what D1 lacks. */
async function endAndSweep(env: Cloudflare.Env): Promise<number> {
  await endPages(env).catch((error) => logError("ending_failed", {}, error));
  const asked = await askWhatD1Lacks(env);
  return sweepPages(env, Date.now(), PAGES_PER_RUN - asked);
}

async function endPages(env: Cloudflare.Env): Promise<void> {
  const now = Date.now();
  await endRestoredPages(env, now, (runs_back) => noticeRestored(env, runs_back, now));
  await endDeletedPages(env, Date.now());
  await endRestoredStats(env, Date.now());
}

/** Returns the number of lost alarms. */
async function sweepErrorLogs(env: Cloudflare.Env, now: number): Promise<number> {
  const swept = await sweepAll(ERROR_LOGS, (name) => env.ERROR_LOG.getByName(name).sweep());
  await withTimeout(forgetErrors(env.DB, now), CALL_TIMEOUT_MS);
  return rearmedIn(swept);
}

/** A session is cached for a minute, so a day of changes of accounts is enough. */
async function deleteOldRows(env: Cloudflare.Env, now: number): Promise<void> {
  const { DB } = env;
  await DB.batch([
    deleteOldWebhooks(DB, now),
    deleteOldAccountChanges(DB, DAY_MS),
    deleteOldDeletedUsers(DB, 35 * DAY_MS),
    deleteOldSlugs(DB, now),
  ]);
  await deleteOldLeftPages(env, now);
  await deleteOldNotes(env.MEDIA, now);
}

/** A failed or slow object is logged and left out, so that it holds up no other. */
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
