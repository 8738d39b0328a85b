/**
 * How a change of a page reaches everything that keeps a copy of it: the page's object and the edge cache
 * (CONTRACT section 10; FAULTS F19, F25).
 *
 *   change ─▶ D1, one transaction: the change, and a note of it
 *             deliver: object.changed() or object.end(), purge by tag ─▶ note deleted
 *
 * Whoever changes a page puts `notePageChanged` into its transaction and calls `announcePageChanges` after it.
 * What could not be delivered stays noted and is delivered by the next change or by the cron, which comes
 * every minute. The platform allows few purges, so one purge takes along all pages that are noted.
 */
import { exports } from "cloudflare:workers";
import { MINUTE_MS, SECOND_MS, withTimeout } from "../objects/clock.ts";
import type { AppContext } from "./context.ts";
import { logError } from "./log.ts";
import { SITEMAP_TAG, tagOf } from "./renderers/freshness.ts";
import { forgetReadsOfPage } from "./stores/notifications.ts";
import {
  listPageChanges,
  notePageEnded,
  type PageChange,
  settlePageChanges,
} from "./stores/page-changes.ts";
import { deletePage } from "./stores/pages.ts";

/** Tags that one purge takes (the platform's limit), the sitemap's among them. */
const TAGS_MAX = 100;
/** Longest wait for an object or for a purge, in milliseconds. */
const DELIVERY_TIMEOUT_MS = 10 * SECOND_MS;
/** So long after a change no edge serves the old page any more, purged or not. */
const EDGE_OUTLIVED_MS = 2 * MINUTE_MS;
/** Pauses between the tries of the request that made the change; then it is the cron's turn. */
const RETRY_PAUSES_MS = [0, 1 * SECOND_MS, 3 * SECOND_MS, 8 * SECOND_MS];

/** Delivers the changes that are noted, behind the answer. To be called when their transaction holds. */
export function announcePageChanges(c: Pick<AppContext, "env" | "executionCtx">): void {
  const deliver = async () => {
    for (const pause_ms of RETRY_PAUSES_MS) {
      if (pause_ms > 0) await scheduler.wait(pause_ms);
      if (await deliverPageChanges(c.env, Date.now())) return;
    }
  };
  c.executionCtx.waitUntil(deliver().catch((error) => logError("announcement_failed", {}, error)));
}

/**
 * Delivers what is noted, up to 99 pages; answers whether nothing is left. Rejects where D1 fails.
 *
 * @param now unix milliseconds
 */
export async function deliverPageChanges(env: Cloudflare.Env, now: number): Promise<boolean> {
  const changes = await listPageChanges(env.DB, TAGS_MAX - 1);
  if (changes.length === 0) return true;
  const unpurged = changes.filter(({ purged }) => !purged);
  const [purged, ...told] = await Promise.all([
    succeeds("purge_failed", () => purge(unpurged)),
    ...changes.map((change) => succeeds("telling_failed", () => tell(env, change))),
  ]);
  const delivered = changes.map((change, i): PageChange => {
    const outlived = now - change.changed_at > EDGE_OUTLIVED_MS;
    return {
      ...change,
      told: told[i] ?? false,
      purged: change.purged || purged === true || outlived,
    };
  });
  await settlePageChanges(env.DB, delivered);
  return changes.length < TAGS_MAX - 1 && delivered.every((change) => change.told && change.purged);
}

/**
 * Ends a page for good in D1: its row is gone, and so is what its flushes could still write. `announcePageChanges`
 * must follow, and has its object forget everything. Rejects, and has changed nothing, if D1 fails.
 */
export async function endPage(db: D1Database, page_id: string, now: number): Promise<void> {
  await db.batch([
    notePageEnded(db, page_id, now),
    forgetReadsOfPage(db, page_id),
    deletePage(db, page_id),
  ]);
}

async function tell({ PAGE }: Cloudflare.Env, { page_id, ended, told }: PageChange): Promise<void> {
  if (told) return;
  const page = PAGE.getByName(page_id);
  await withTimeout(ended ? page.end() : page.changed(), DELIVERY_TIMEOUT_MS);
}

async function purge(changes: readonly PageChange[]): Promise<void> {
  if (changes.length === 0) return;
  const tags = [...changes.map(({ page_id }) => tagOf(page_id)), SITEMAP_TAG];
  await withTimeout(exports.PageRenderer.purge(tags), DELIVERY_TIMEOUT_MS);
}

async function succeeds(event: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    logError(event, {}, error);
    return false;
  }
}
