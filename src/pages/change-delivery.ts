/**
 * Delivers the changes that are noted in D1: each page's object reads the page again, and the edge cache
 * is purged (`page-changes.ts`). The ports let the model in test/model run this code.
 */
import { HOUR_MS, SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import {
  listPageChanges,
  type PageChange,
  settlePageChanges,
  takePurgeTurn,
} from "./page-changes-store.ts";

/** Pages that one delivery announces. */
const ANNOUNCED_MAX = 99;
/** Pages that one purge covers. It takes at most 100 tags: two for each page, and the sitemap's. */
const PURGED_MAX = 49;
/** Longest wait for an object, a purge or D1, in milliseconds. */
const DELIVERY_TIMEOUT_MS = 10 * SECOND_MS;
/**
 * A change younger than this when it is purged, in milliseconds, is purged a second time: a rendering
 * that read D1 before the change may be stored after the first purge. Longer than a rendering waits for
 * D1.
 */
export const PURGED_AGAIN_MS = 8 * SECOND_MS;
/**
 * After this time no edge has the old page, even without a purge: stale-if-error is 24 h, and 1 h is
 * margin.
 */
export const EDGE_OUTLIVED_MS = 25 * HOUR_MS;
/** Pauses before each attempt of the request that made the change, in milliseconds. Then the cron retries. */
const RETRY_PAUSES_MS = [0, 1_100, 1_100, 2_200, 4_400];

export interface DeliveryPorts {
  db: D1Database;
  clock: Clock;
  /** Calls the page's object: `end()` if the page has ended, else `changed()`. */
  announce: (change: PageChange) => Promise<void>;
  purge: (changes: readonly PageChange[]) => Promise<void>;
  /** Reports an announcement or a purge that failed. The others go on. */
  failed: (event: string, error: unknown) => void;
}

/**
 * Announces up to 99 noted changes and purges up to 49. Returns whether none is left. Rejects if D1
 * fails.
 *
 * @param now unix milliseconds
 */
export async function deliverChanges(ports: DeliveryPorts, now: number): Promise<boolean> {
  const { db, clock } = ports;
  const inTime = <T>(work: Promise<T>) => withTimeout(work, DELIVERY_TIMEOUT_MS, clock);
  const changes = await inTime(listPageChanges(db, ANNOUNCED_MAX));
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
    .slice(0, PURGED_MAX);
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

/** Delivers and retries for some seconds while any change is left. Rejects if D1 still fails at the end. */
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
