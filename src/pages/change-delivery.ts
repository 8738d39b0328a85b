/**
 * Delivery of the changes of pages that are noted in D1, to each page's object and to the edge cache
 * (`page-changes.ts`). On ports, so that the model runs it.
 */
import { HOUR_MS, SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import {
  listPageChanges,
  type PageChange,
  settlePageChanges,
  takePurgeTurn,
} from "./page-changes-store.ts";

/** Pages of one delivery: a purge takes 100 tags (the platform's limit), the sitemap's among them. */
const CHANGES_MAX = 99;
/** Longest wait for an object, a purge or D1, in milliseconds. */
const DELIVERY_TIMEOUT_MS = 10 * SECOND_MS;
/**
 * Of a change that is younger than this, in milliseconds, the purge is repeated: a rendering may have read D1
 * before the change and be stored after the first purge. Longer than a rendering waits for D1 and R2.
 */
export const PURGED_AGAIN_MS = 8 * SECOND_MS;
/** So long after a change no edge serves the old page any more, purged or not: a day of stale-if-error, and an hour. */
export const EDGE_OUTLIVED_MS = 25 * HOUR_MS;
/** Pauses between the tries of the request that made the change, in milliseconds; then it is the cron's turn. */
const RETRY_PAUSES_MS = [0, 1_100, 1_100, 2_200, 4_400];

export interface DeliveryPorts {
  db: D1Database;
  clock: Clock;
  /** Calls the page's object: `end()` where the page has ended, else `changed()`. */
  announce: (change: PageChange) => Promise<void>;
  /** Takes the pages out of the edge cache. */
  purge: (changes: readonly PageChange[]) => Promise<void>;
  /** Called for each object call and purge that failed; the others are not stopped. */
  failed: (event: string, error: unknown) => void;
}

/**
 * Delivers what is noted, up to 99 pages to be announced and 99 to be purged; answers whether nothing is left.
 * Rejects where D1 fails.
 *
 * @param now unix milliseconds
 */
export async function deliverChanges(ports: DeliveryPorts, now: number): Promise<boolean> {
  const { db, clock } = ports;
  const inTime = <T>(work: Promise<T>) => withTimeout(work, DELIVERY_TIMEOUT_MS, clock);
  const changes = await inTime(listPageChanges(db, CHANGES_MAX));
  if (changes.length === 0) return true;
  const succeeds = async (event: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await inTime(work());
      return true;
    } catch (error) {
      ports.failed(event, error);
      return false;
    }
  };
  const isOld = ({ changed_at }: PageChange) => now - changed_at >= PURGED_AGAIN_MS;
  const unpurged = changes
    .filter((change) => change.purged === 0 || (change.purged === 1 && isOld(change)))
    .slice(0, CHANGES_MAX);
  const purge = async () =>
    unpurged.length > 0 &&
    (await inTime(takePurgeTurn(db))) &&
    succeeds("purge_failed", () => ports.purge(unpurged));
  const [isPurged, ...announced] = await Promise.all([
    purge(),
    ...changes.map(
      (change) => change.announced || succeeds("announce_failed", () => ports.announce(change)),
    ),
  ]);
  const delivered = changes.map((change, i): PageChange => {
    let { purged } = change;
    if (isPurged && unpurged.includes(change)) purged = isOld(change) ? 2 : 1;
    if (now - change.changed_at > EDGE_OUTLIVED_MS) purged = 2;
    return { ...change, announced: announced[i] ?? false, purged };
  });
  return inTime(settlePageChanges(db, delivered, now));
}

/** The same, tried again for some seconds as long as anything is left. Rejects where D1 fails to the end. */
export async function keepDelivering(ports: DeliveryPorts): Promise<void> {
  let failure: unknown = null;
  for (const pause_ms of RETRY_PAUSES_MS) {
    if (pause_ms > 0) await new Promise<void>((resolve) => ports.clock.after(pause_ms, resolve));
    try {
      if (await deliverChanges(ports, ports.clock.now())) return;
      failure = null;
    } catch (error) {
      failure = error;
    }
  }
  if (failure !== null) throw failure;
}
