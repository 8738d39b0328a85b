/**
 * Delivery of the changes of pages that are noted in D1, to each page's object and to the edge cache
 * (`page-changes.ts`). On ports, so that the model runs it.
 */
import { MINUTE_MS, SECOND_MS, withTimeout } from "../../objects/clock.ts";
import type { Clock } from "../../objects/ports.ts";
import { listPageChanges, type PageChange, settlePageChanges } from "../stores/page-changes.ts";

/** Pages of one delivery: a purge takes 100 tags (the platform's limit), the sitemap's among them. */
const CHANGES_MAX = 99;
/** Longest wait for an object or for a purge, in milliseconds. */
const DELIVERY_TIMEOUT_MS = 10 * SECOND_MS;
/** So long after a change no edge serves the old page any more, purged or not. */
const EDGE_OUTLIVED_MS = 2 * MINUTE_MS;
/** Pauses between the tries of the request that made the change; then it is the cron's turn. */
const RETRY_PAUSES_MS = [0, 1 * SECOND_MS, 3 * SECOND_MS, 8 * SECOND_MS];

export interface DeliveryPorts {
  db: D1Database;
  clock: Clock;
  /** Calls the page's object: `end()` where the page has ended, else `changed()`. */
  tell: (change: PageChange) => Promise<void>;
  /** Takes the pages out of the edge cache. */
  purge: (changes: readonly PageChange[]) => Promise<void>;
  /** Is told of each part that failed; the others go on. */
  failed: (event: string, error: unknown) => void;
}

/**
 * Delivers what is noted, up to 99 pages; answers whether nothing is left. Rejects where D1 fails.
 *
 * @param now unix milliseconds
 */
export async function deliverChanges(ports: DeliveryPorts, now: number): Promise<boolean> {
  const { db, clock } = ports;
  const changes = await listPageChanges(db, CHANGES_MAX);
  if (changes.length === 0) return true;
  const succeeds = async (event: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await withTimeout(work(), DELIVERY_TIMEOUT_MS, clock);
      return true;
    } catch (error) {
      ports.failed(event, error);
      return false;
    }
  };
  const unpurged = changes.filter(({ purged }) => !purged);
  const [purged, ...told] = await Promise.all([
    unpurged.length === 0 || succeeds("purge_failed", () => ports.purge(unpurged)),
    ...changes.map((change) => change.told || succeeds("telling_failed", () => ports.tell(change))),
  ]);
  const delivered = changes.map((change, i): PageChange => {
    const outlived = now - change.changed_at > EDGE_OUTLIVED_MS;
    return {
      ...change,
      told: told[i] ?? false,
      purged: change.purged || purged === true || outlived,
    };
  });
  await settlePageChanges(db, delivered);
  return changes.length < CHANGES_MAX && delivered.every((change) => change.told && change.purged);
}

/** The same, tried again for some seconds as long as anything is left. Rejects where D1 fails. */
export async function keepDelivering(ports: DeliveryPorts): Promise<void> {
  for (const pause_ms of RETRY_PAUSES_MS) {
    if (pause_ms > 0) await new Promise<void>((resolve) => ports.clock.after(pause_ms, resolve));
    if (await deliverChanges(ports, ports.clock.now())) return;
  }
}
