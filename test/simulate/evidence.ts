/** Waits until the system is idle, then reads what it counted from its objects, from D1 and from its files. */
import { setTimeout as pause } from "node:timers/promises";
import type { Sum } from "../server/serve.ts";
import type { Serving } from "../server/serving.ts";
import { BLOCKS_PAGE } from "./blocks/blocks-page.ts";
import { storedKeys } from "./disk.ts";
import type { Evidence } from "./judge.ts";
import { agree } from "./judge-numbers.ts";
import type { Witness } from "./witness.ts";

/** After the last recovery D1 must agree with the objects within this time (docs/faults.md I3). */
const HEAL_MS = 60_000;
const POLL_MS = 200;
const KEYS_AT_ONCE = 5_000;

/** The system's totals; `after_ms` is when D1 and the objects agreed, or null if they never did. */
export interface Healed extends Pick<Evidence, "totals" | "sums"> {
  after_ms: number | null;
}

/**
 * Time in milliseconds for work after the last answers: clicks counted after their redirects, and
 * refusals that are handed over as numbers a second later.
 */
const BEHIND_MS = 3_000;

export async function rest(signal: AbortSignal): Promise<void> {
  await pause(BEHIND_MS, undefined, { signal });
}

/** Waits, looking at the numbers, until D1 agrees with the objects, at most a minute from `since_ms`. */
export async function heal(
  serving: Serving,
  page_ids: readonly string[],
  since_ms: number,
): Promise<Healed> {
  for (;;) {
    const asked_ms = performance.now();
    const totals = await totalsOf(serving, page_ids);
    const all = await serving.call("sums");
    // The page with blocks has a judge of its own.
    const sums = all.filter(({ page_id }) => page_id !== BLOCKS_PAGE);
    const after_ms = Math.max(0, asked_ms - since_ms);
    if (agree(totals, sums)) return { totals, sums, after_ms };
    if (after_ms > HEAL_MS) return { totals, sums, after_ms: null };
    await pause(POLL_MS);
  }
}

export async function collectEvidence(
  serving: Serving,
  statePath: string,
  page_ids: readonly string[],
  witness: Witness,
): Promise<Pick<Evidence, "stored" | "forgotten" | "handed_over">> {
  const forgotten: string[] = [];
  const objects = new Map<string, string>();
  const keys = Map.groupBy(witness.acknowledged, (key) => witness.sent.get(key)?.page_id);
  for (const page_id of page_ids) {
    objects.set(await serving.call("objectId", page_id), page_id);
    const theirs = keys.get(page_id) ?? [];
    for (let from = 0; from < theirs.length; from += KEYS_AT_ONCE) {
      const some = theirs.slice(from, from + KEYS_AT_ONCE);
      const remembered = await serving.call("remembers", page_id, some);
      forgotten.push(...some.filter((_, i) => !remembered[i]));
    }
  }
  objects.set(await serving.call("objectId", BLOCKS_PAGE), BLOCKS_PAGE);
  const handed_over = await serving.call("handedOver");
  await serving.stop();
  const all = await storedKeys(statePath, objects);
  const stored = all.filter(({ page_id }) => page_id !== BLOCKS_PAGE);
  return { stored, forgotten, handed_over };
}

export async function totalsOf(serving: Serving, page_ids: readonly string[]): Promise<Sum[]> {
  const totals = await Promise.all(
    page_ids.map(async (page_id) => {
      const lines = await serving.call("look", page_id);
      return lines.map(({ kind, link_id, class: visitor, accepted }): Sum => {
        return { page_id, kind, link_id, class: visitor, n: accepted };
      });
    }),
  );
  return totals.flat();
}
