/**
 * How a change of a page reaches the copies of it: the page's object and the edge cache
 * (docs/contract.md section 10; docs/faults.md F19, F25).
 *
 *   change ─▶ D1, one transaction: the change, and a note of it
 *             deliver: object.changed() or object.end(), purge by tag ─▶ note deleted
 *
 * Code that changes a page puts `notePageChanged` into its transaction and calls `startDelivery` after it.
 * A change that could not be delivered stays noted. The next change or the cron delivers it, which runs
 * every minute. The platform grants few purges, so the isolates take turns, and one purge covers every
 * page that is noted.
 */
import { logError } from "../../../objects/platform/log.ts";
import { systemClock } from "../../../objects/platform/ports.ts";
import type { Following } from "../../http/context.ts";
import type { PageChange } from "../document/page-changes-store.ts";
import { type DeliveryPorts, deliverChanges, keepDelivering } from "./change-delivery.ts";
import { SITEMAP_TAG, slugTagOf, tagOf } from "./freshness.ts";
import { purgeCached } from "./page-cache.ts";

/** Call it once the transaction of the changes is committed: objects and renderings read D1. */
export function startDelivery(c: Following): void {
  const delivering = keepDelivering(portsOf(c.env));
  c.executionCtx.waitUntil(delivering.catch((error) => logError("delivery_failed", {}, error)));
}

/** Returns whether no noted change is left; rejects if D1 fails. `now` is in unix milliseconds. */
export function deliverPageChanges(env: Cloudflare.Env, now: number): Promise<boolean> {
  return deliverChanges(portsOf(env), now);
}

function portsOf(env: Cloudflare.Env): DeliveryPorts {
  return {
    db: env.DB,
    clock: systemClock,
    announce: ({ page_id, ended }) =>
      ended ? endObjects(env, page_id) : env.PAGE.getByName(page_id).changed(),
    purge: (changes) => purgeCached([...changes.flatMap(tagsOf), SITEMAP_TAG]),
    failed: (event, error) => logError(event, {}, error),
  };
}

/** Rejects, and is repeated, while one of them fails. */
async function endObjects(env: Cloudflare.Env, page_id: string): Promise<void> {
  // The blocks' objects first: what they still send to the page is ignored once it has ended.
  await Promise.all([
    env.WEBHOOKS.getByName(page_id).end(),
    env.DOWNLOADS.getByName(page_id).end(),
    env.SUBSCRIBERS.getByName(page_id).end(),
  ]);
  await env.PAGE.getByName(page_id).end();
}

function tagsOf({ page_id, slug }: PageChange): string[] {
  return [tagOf(page_id), ...(slug === null ? [] : [slugTagOf(slug)])];
}
