/**
 * Pages that are deleted for good: ended half an hour after their owner deleted them, and ended again
 * where D1 was restored to a time before (docs/faults.md F25).
 *
 *   DELETE ─▶ pages.ends_at ─ cron ─▶ rows deleted, object ended, `ended:<page_id>` in KV
 *   D1 restored: its count of cron runs is behind the one in KV ─▶ pages that KV says ended, ended again
 *
 * D1 can be restored to a time within 30 days (docs/operations.md), and KV keeps the ids for longer.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { statsDatabases } from "../../objects/stats/databases.ts";
import { deleteOldLeft, endIn } from "../../objects/stats/left-pages.ts";
import { listEndedPages, whichExist } from "../pages/pages-store.ts";
import { endPage } from "./end-page.ts";
import { whichRemembered } from "./ended-users.ts";

/** Time after `ends_at` for a request that undoes the deletion, on a machine with a slower clock. */
const GRACE_MS = MINUTE_MS;
/** Pages that one run ends. */
const ENDED_PER_RUN = 100;
/** Longest wait for D1 or KV. */
const STORE_TIMEOUT_MS = 15 * SECOND_MS;
const ENDED_PREFIX = "ended:";
const ENDED_KEPT_S = (35 * DAY_MS) / SECOND_MS;
const RUNS_KEY = "cron-runs";
const STATS_RUNS_KEY = "stats-cron-runs";

const inTime = <T>(work: Promise<T>) => withTimeout(work, STORE_TIMEOUT_MS);

/** Ends a page and remembers it outside of D1. Rejects, and may be repeated, if D1 or KV fails. */
async function endForGood(
  { DB, KV }: Pick<Cloudflare.Env, "DB" | "KV">,
  page_id: string,
  now: number,
): Promise<void> {
  // First, so that a page cannot be deleted and not be remembered.
  await inTime(KV.put(ENDED_PREFIX + page_id, "", { expirationTtl: ENDED_KEPT_S }));
  await inTime(endPage(DB, page_id, now));
}

/** The same; a failure is logged, because the next page must not wait for this one. */
export async function endsForGood(
  env: Pick<Cloudflare.Env, "DB" | "KV">,
  page_id: string,
  now: number,
): Promise<boolean> {
  try {
    await endForGood(env, page_id, now);
    return true;
  } catch (error) {
    logError("ending_failed", { page_id }, error);
    return false;
  }
}

/** Which of these pages have ended, as far as KV remembers. */
export function whichEnded(KV: KVNamespace, page_ids: readonly string[]): Promise<string[]> {
  return whichRemembered(KV, ENDED_PREFIX, page_ids);
}

/** Ends the pages whose deletion can no longer be undone. Returns how many. */
export async function endDeletedPages(
  env: Pick<Cloudflare.Env, "DB" | "KV">,
  now: number,
): Promise<number> {
  const page_ids = await inTime(listEndedPages(env.DB, now - GRACE_MS, ENDED_PER_RUN));
  let ended = 0;
  for (const page_id of page_ids) if (await endsForGood(env, page_id, now)) ended += 1;
  return ended;
}

/**
 * Ends pages again that came back because D1 was restored to an older point. Returns how many. To be
 * called once a minute.
 */
export async function endRestoredPages(
  env: Pick<Cloudflare.Env, "DB" | "KV">,
  now: number,
): Promise<number> {
  const { DB, KV } = env;
  const runs = await inTime(countRun(DB));
  const before = Number((await inTime(KV.get(RUNS_KEY))) ?? 0);
  let ended = 0;
  if (runs <= before) {
    for await (const page_ids of endedPages(KV)) {
      const back = await inTime(whichExist(DB, page_ids));
      for (const page_id of back) await inTime(endPage(DB, page_id, now));
      ended += back.length;
    }
  }
  // Last, so that a run that fails is repeated by the next one.
  await inTime(KV.put(RUNS_KEY, String(runs)));
  return ended;
}

/**
 * The same of the rows in databases of statistics. Their numbers of runs are one value of KV. A database that
 * fails holds up no other; rejects if one has.
 */
export async function endRestoredStats(
  env: Pick<Cloudflare.Env, "DB" | "KV">,
  now: number,
): Promise<void> {
  const { KV } = env;
  const { bound } = statsDatabases(env);
  if (bound.size === 0) return;
  const before = (await inTime(KV.get<Record<string, number>>(STATS_RUNS_KEY, "json"))) ?? {};
  const runs: Record<string, number> = {};
  const failures: unknown[] = [];
  for (const [name, db] of bound) {
    runs[name] = before[name] ?? 0;
    try {
      const n = await inTime(countRun(db));
      if (n <= (before[name] ?? 0)) {
        for await (const page_ids of endedPages(KV)) await inTime(endIn(db, page_ids, now));
      }
      runs[name] = n;
    } catch (error) {
      failures.push(error);
    }
  }
  await inTime(KV.put(STATS_RUNS_KEY, JSON.stringify(runs)));
  if (failures.length > 0) throw failures[0];
}

/** The ids of the pages that KV knows to have ended, in parts of up to 1,000. */
async function* endedPages(KV: KVNamespace): AsyncGenerator<string[]> {
  for (let cursor: string | null = null, done = false; !done; ) {
    const list: KVNamespaceListResult<unknown> = await inTime(
      KV.list({ prefix: ENDED_PREFIX, cursor }),
    );
    yield list.keys.map(({ name }) => name.slice(ENDED_PREFIX.length));
    done = list.list_complete;
    cursor = list.list_complete ? null : list.cursor;
  }
}

/** Deletes, in all databases, the rows about pages that left them long ago. */
export async function deleteOldLeftPages(
  env: Pick<Cloudflare.Env, "DB">,
  now: number,
): Promise<void> {
  const all = [env.DB, ...statsDatabases(env).bound.values()];
  await inTime(Promise.all(all.map((db) => deleteOldLeft(db, now))));
}

/** Counts this run: table `cron_runs`, which only this function writes. */
async function countRun(db: D1Database): Promise<number> {
  const runs = await db
    .prepare("UPDATE cron_runs SET n = n + 1 WHERE id = 1 RETURNING n")
    .first<number>("n");
  if (runs === null) throw new Error("cron_runs has no row");
  return runs;
}
