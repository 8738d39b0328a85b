/**
 * Pages that are deleted for good: half an hour after their owner deleted them, and again where D1 was restored to a
 * time before (docs/faults.md F25).
 *
 *   DELETE ─▶ note ─▶ pages.ends_at ─ cron ─▶ rows deleted, object ended, `ended:<page_id>` in KV
 *   D1 restored: its count of cron runs is behind the one in R2, or far ahead where that was undone
 *                ─▶ pages in KV are ended again, and what the notes ask for is done again (`page-notes.ts`)
 *
 * D1 can be restored to a time within 30 days (docs/operations.md), and KV keeps the ids for longer. What each run
 * writes is in R2: a day has 1,440 runs, and KV takes 1,000 writes of a free account.
 */

import { statsDatabases } from "../../objects/page/home/databases.ts";
import { deleteOldLeft, endIn } from "../../objects/page/home/left-pages.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { notePageSaved } from "../pages/document/page-changes-store.ts";
import {
  listEndedPages,
  repeatEnd,
  whichExist,
  whichLackEnd,
} from "../pages/document/pages-store.ts";
import { addRevision } from "../pages/document/revisions-store.ts";
import { whichNotDeleted } from "./accounts-store.ts";
import { endPage } from "./end-page.ts";
import { endUser } from "./ended-users.ts";
import { type Asked, NOTES_KEPT_MS, NOTES_RECENT_MS, readAsked } from "./page-notes.ts";

/** Time after `ends_at` for an undo on a machine with a slower clock. */
const GRACE_MS = MINUTE_MS;
const ENDED_PER_RUN = 100;
const STORE_TIMEOUT_MS = 15 * SECOND_MS;
const ENDED_PREFIX = "ended:";
const ENDED_KEPT_S = (35 * DAY_MS) / SECOND_MS;
/** Runs that R2 may lack because its writes failed. */
const RUNS_AHEAD_MAX = 5;
const RUNS_KEY = "cron/runs";
const STATS_RUNS_KEY = "cron/stats-runs";

const inTime = <T>(work: Promise<T>) => withTimeout(work, STORE_TIMEOUT_MS);

/** Rejects if D1 or KV fails; then repeat it. */
async function endForGood(
  { DB, KV }: Pick<Cloudflare.Env, "DB" | "KV">,
  page_id: string,
  now: number,
): Promise<void> {
  // First, so that no page is deleted without being remembered.
  await inTime(KV.put(ENDED_PREFIX + page_id, "", { expirationTtl: ENDED_KEPT_S }));
  await inTime(endPage(DB, page_id, now));
}

/** {@link endForGood}; a failure is only logged, so that the next page need not wait. */
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

const KEYS_MAX = 100;

export async function whichEnded(KV: KVNamespace, page_ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < page_ids.length; from += KEYS_MAX) {
    const some = page_ids.slice(from, from + KEYS_MAX);
    const values = await KV.get(some.map((page_id) => ENDED_PREFIX + page_id));
    found.push(...some.filter((page_id) => values.get(ENDED_PREFIX + page_id) !== null));
  }
  return found;
}

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
 * Ends pages again that came back with a restored D1. Call it once a minute, before `endDeletedPages`: a
 * deletion may have been undone after that point.
 *
 * @param notice gets the number of runs that D1 has lost; 0 for none
 */
export async function endRestoredPages(
  env: Pick<Cloudflare.Env, "DB" | "KV" | "MEDIA">,
  now: number,
  notice: (runs_back: number) => Promise<void> = async () => {},
): Promise<void> {
  const { DB, KV, MEDIA } = env;
  // Read before this run is counted: overlapping runs look like no restored D1.
  const before = (await readRuns<number>(MEDIA, RUNS_KEY)) ?? 0;
  const runs = await inTime(countRun(DB));
  const isElsewhere = isAtAnotherPoint(runs, before);
  if (isElsewhere) {
    for await (const page_ids of endedPages(KV)) {
      for (const page_id of await inTime(whichExist(DB, page_ids))) {
        await inTime(endPage(DB, page_id, now));
        logError("deletion_repeated", { page_id, what: "ended" });
      }
    }
  }
  const since = now - (isElsewhere ? NOTES_KEPT_MS : NOTES_RECENT_MS);
  await repeatEnds(DB, await readAsked(MEDIA, since), now);
  await notice(Math.max(0, before + 1 - runs));
  // Last, so that the next run repeats one that fails.
  await inTime(MEDIA.put(RUNS_KEY, JSON.stringify(runs)));
}

const ASKED_AT_ONCE = 1_000;

/**
 * Repeats deletions of pages and users, and undone ones, that D1 lacks. May be repeated. Rejects if D1 does
 * not answer what it lacks; a failed one is logged, and holds up no other.
 */
async function repeatEnds(DB: D1Database, asked: Asked, now: number): Promise<void> {
  // Users first: no undo of their pages holds.
  for (const user_ids of groups([...asked.user_ids])) {
    for (const user_id of await inTime(whichNotDeleted(DB, user_ids))) {
      await repeat({ what: "user" }, DB.batch(endUser(DB, user_id, now)));
    }
  }
  for (const pages of groups([...asked.pages.values()])) {
    for (const page of await inTime(whichLackEnd(DB, pages))) {
      const { page_id, ends_at } = page;
      const save_id = crypto.randomUUID();
      const what = ends_at === null ? "undeleted" : "deleted";
      const saving = DB.batch([
        repeatEnd(DB, page, save_id, now),
        ...addRevision(DB, page_id, save_id, [what], now),
        notePageSaved(DB, page_id, save_id, now),
      ]);
      await repeat({ page_id, what }, saving);
    }
  }
}

async function repeat(which: { page_id?: string; what: string }, saving: Promise<unknown>) {
  try {
    await inTime(saving);
    logError("deletion_repeated", which);
  } catch (error) {
    logError("ending_failed", which, error);
  }
}

function* groups<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += ASKED_AT_ONCE) {
    yield items.slice(from, from + ASKED_AT_ONCE);
  }
}

/**
 * {@link endRestoredPages} for databases of statistics, whose runs are one value of R2. A failed database
 * holds up no other; rejects if one has failed.
 */
export async function endRestoredStats(
  env: Pick<Cloudflare.Env, "DB" | "KV" | "MEDIA">,
  now: number,
): Promise<void> {
  const { KV, MEDIA } = env;
  const { bound } = statsDatabases(env);
  if (bound.size === 0) return;
  const before = (await readRuns<Record<string, number>>(MEDIA, STATS_RUNS_KEY)) ?? {};
  const runs: Record<string, number> = {};
  const failures: unknown[] = [];
  for (const [name, db] of bound) {
    runs[name] = before[name] ?? 0;
    try {
      const n = await inTime(countRun(db));
      if (isAtAnotherPoint(n, before[name] ?? 0)) {
        for await (const page_ids of endedPages(KV)) await inTime(endIn(db, page_ids, now));
      }
      runs[name] = n;
    } catch (error) {
      failures.push(error);
    }
  }
  await inTime(MEDIA.put(STATS_RUNS_KEY, JSON.stringify(runs)));
  if (failures.length > 0) throw failures[0];
}

async function readRuns<T>(bucket: R2Bucket, key: string): Promise<T | undefined> {
  const stored = await inTime(bucket.get(key));
  return stored === null ? undefined : await inTime(stored.json<T>());
}

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

export async function deleteOldLeftPages(
  env: Pick<Cloudflare.Env, "DB">,
  now: number,
): Promise<void> {
  const all = [env.DB, ...statsDatabases(env).bound.values()];
  await inTime(Promise.all(all.map((db) => deleteOldLeft(db, now))));
}

/** Whether a database was restored since the last run, or a restore was undone, which brings its runs back. */
function isAtAnotherPoint(runs: number, before: number): boolean {
  return runs <= before || runs > before + RUNS_AHEAD_MAX;
}

/** Table `cron_runs`, which only this function writes. */
async function countRun(db: D1Database): Promise<number> {
  const runs = await db
    .prepare("UPDATE cron_runs SET n = n + 1 WHERE id = 1 RETURNING n")
    .first<number>("n");
  if (runs === null) throw new Error("cron_runs has no row");
  return runs;
}
