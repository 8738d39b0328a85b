/**
 * The limit on names below `/media/` and `/assets/` that nobody was given: each costs a rendering
 * and a read of D1 or R2, and no cache can have it (docs/contract.md section 6, docs/security.md
 * S23). Only a 404 is charged, after it was made, so pictures that exist are not limited; and a
 * 410, which any name of a suspended page gets. Kept per isolate: a lost entry costs a read, or
 * shows a 404 where a 429 was due.
 */
import { BoundedMap } from "../../../objects/platform/bounded-map.ts";
import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { type AppContext, senderOf } from "../../http/context.ts";
import { edgeRefusal, isAdmittedByEdge } from "../../http/edge-limit.ts";
import { WINDOW_S } from "../../http/limits.ts";
import { fetchCached } from "./page-cache.ts";

const SENDERS_MAX = 10_000;
const PATHS_MAX = 10_000;

/** The minute in which a sender is over the limit. */
const refused = new BoundedMap<string, number>(SENDERS_MAX);
/** Existing paths: a refused sender may share its address with people who view pages. */
const known = new BoundedMap<string, true>(PATHS_MAX);

/**
 * Answers as {@link fetchCached}. Throws 429, without a read, for the rest of the minute in which
 * the sender had too many 404s and 410s, except for paths that this isolate knows to exist.
 */
export async function fetchUnlessAbsent(c: AppContext, path: string): Promise<Response> {
  const now = Date.now();
  const minute = Math.floor(now / (WINDOW_S * SECOND_MS));
  const sender = senderOf(c);
  if (refused.get(sender) === minute && !known.has(path)) throw edgeRefusal(now);
  const response = await fetchCached(c, path);
  if (response.ok) known.set(path, true);
  const is_absent = response.status === 404 || response.status === 410;
  const is_over = is_absent && !(await isAdmittedByEdge(c, `absent ${sender}`));
  if (is_over) refused.set(sender, minute);
  return response;
}
