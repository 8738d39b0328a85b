/**
 * Delivers the changes that are noted in D1: each page's object reads the page again, and the edge cache
 * is purged (`page-changes.ts`). The ports let the model in test/model run this code.
 */
import { HOUR_MS, SECOND_MS, withTimeout } from "../../../objects/platform/clock.ts";
import type { Clock } from "../../../objects/platform/ports.ts";
import { pauseAfter, type RetrySchedule } from "../../../objects/platform/retries.ts";
import {
  listPageChanges,
  type PageChange,
  settlePageChanges,
  takePurgeTurn,
} from "../document/page-changes-store.ts";

const ANNOUNCED_MAX = 99;
/** A purge takes at most 100 tags: two for each page, and the sitemap's. */
const PURGED_MAX = 49;
const DELIVERY_TIMEOUT_MS = 10 * SECOND_MS;
/**
 * A change that is younger at its purge is purged a second time: a rendering that read D1 before
 * the change may be stored after the first purge. Longer than a rendering waits for D1.
 */
export const PURGED_AGAIN_MS = 8 * SECOND_MS;
/** Even without a purge no edge has the page then: stale-if-error is 24 h, and 1 h is margin. */
export const EDGE_OUTLIVED_MS = 25 * HOUR_MS;
/**
 * The request that made the change retries for 17.6 s in all, because a page that has used up its
 * share may be purged 15 s after its last purge. Then the cron retries.
 */
const RETRIES: RetrySchedule = { pauses_ms: [1_100, 1_100], growth: 2, longest_ms: 4_400 };
const TRIES_MAX = 7;
/**
 * Purges of the account that are left to pages which were not purged a moment ago. A page that was,
 * and a purge that is repeated, wait until there are more, or until another page is purged.
 */
const KEPT_PURGES = 5;
/** An edit that has waited for this long need not leave any. */
const WAITED_MS = 12 * SECOND_MS;

export interface DeliveryPorts {
  db: D1Database;
  clock: Clock;
  /** Calls the page's object: `end()` if the page has ended, else `changed()`. */
  announce: (change: PageChange) => Promise<void>;
  purge: (changes: readonly PageChange[]) => Promise<void>;
  /** A failed announcement or purge holds up no other. */
  failed: (event: string, error: unknown) => void;
}

/**
 * Announces up to 99 noted changes and purges up to 49. Returns whether none is left of those that
 * were made until `until`. Rejects if D1 fails. Times are in unix milliseconds.
 */
export async function deliverChanges(
  ports: DeliveryPorts,
  now: number,
  until = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
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
  const unpurged = toPurge(
    changes.filter((change) => change.purged === 0 || (change.purged === 1 && isOld(change))),
    now,
  );
  const purge = async () =>
    unpurged !== null &&
    (await inTime(takePurgeTurn(db, pageIdsOf(unpurged.pages), unpurged.kept))) &&
    succeeds("purge_failed", () => ports.purge(unpurged.pages));
  const [isPurged, ...announced] = await Promise.all([
    purge(),
    ...changes.map(
      (change) => change.announced || succeeds("announce_failed", () => ports.announce(change)),
    ),
  ]);
  const delivered = changes.map((change, i): PageChange => {
    let { purged } = change;
    if (isPurged && unpurged?.pages.includes(change)) purged = isOld(change) ? 2 : 1;
    if (now - change.changed_at > EDGE_OUTLIVED_MS) purged = 2;
    return { ...change, announced: announced[i] ?? false, purged };
  });
  return inTime(settlePageChanges(db, delivered, { now, until }));
}

/**
 * What one purge covers, and how many of the account's purges it must leave; null where no page has
 * a right to a purge now. Once a page has it, all others that wait are purged too, at no cost.
 */
function toPurge(
  waiting: readonly PageChange[],
  now: number,
): { pages: readonly PageChange[]; kept: number } | null {
  const ranked = waiting
    .map((change) => ({ change, rank: rankOf(change, now) }))
    .sort((a, b) => a.rank - b.rank);
  const [first] = ranked;
  if (first === undefined || first.rank === Rank.none) return null;
  return {
    pages: ranked.slice(0, PURGED_MAX).map(({ change }) => change),
    kept: first.rank === Rank.edit ? 0 : KEPT_PURGES,
  };
}

const Rank = { edit: 0, repeated: 1, none: 2 } as const;

/** A repeated purge leaves one of the page's own for its next edit. */
function rankOf({ purged, share, changed_at }: PageChange, now: number): number {
  if (purged === 1) return share >= 2 ? Rank.repeated : Rank.none;
  if (share < 1) return Rank.none;
  return share >= 2 || now - changed_at >= WAITED_MS ? Rank.edit : Rank.repeated;
}

function pageIdsOf(changes: readonly PageChange[]): string[] {
  return changes.map(({ page_id }) => page_id);
}

/**
 * Delivers and retries for some seconds while any change is left that was made until now; a request
 * that changes a page later delivers its own. Rejects if D1 still fails at the end.
 */
export async function keepDelivering(ports: DeliveryPorts): Promise<void> {
  const until = ports.clock.now();
  for (let tries = 1; ; tries += 1) {
    try {
      if ((await deliverChanges(ports, ports.clock.now(), until)) || tries === TRIES_MAX) return;
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
    }
    const pause_ms = pauseAfter(RETRIES, tries);
    await new Promise<void>((resolve) => ports.clock.after(pause_ms, resolve));
  }
}
