/**
 * The platform's rate limit on cacheable GETs, in front of the cache: approximate, per location,
 * without a call to an object (docs/contract.md section 6, scope "edge").
 */

import { createMiddleware } from "hono/factory";
import { SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import type { ApiError } from "./api-error.ts";
import { type AppContext, type AppEnv, senderOf } from "./context.ts";
import { EDGE_LIMIT_PER_MINUTE, EDGE_LIMIT_TIMEOUT_MS, WINDOW_S } from "./limits.ts";
import { requestCounts } from "./request-counts.ts";
import { tooMany } from "./too-many.ts";

export const edgeLimit = createMiddleware<AppEnv>(async (c, next) => {
  if (c.get("isAdmittedByEdge")) return next();
  if (!(await isAdmittedByEdge(c, senderOf(c)))) throw edgeRefusal(Date.now());
  c.set("isAdmittedByEdge", true);
  await next();
});

/** Charges one request to a key. Where the limit fails, the page is served without it. */
export async function isAdmittedByEdge(c: AppContext, key: string): Promise<boolean> {
  try {
    return (await withTimeout(c.env.EDGE_LIMIT.limit({ key }), EDGE_LIMIT_TIMEOUT_MS)).success;
  } catch (error) {
    logError("edge_limit_failed", { request_id: c.get("requestId") }, error);
    return true;
  }
}

export function edgeRefusal(now_ms: number): ApiError {
  requestCounts.refused("edge");
  const limit = { scope: "edge", limit: EDGE_LIMIT_PER_MINUTE, window_s: WINDOW_S };
  return tooMany(limit, secondsToNextWindow(now_ms) * SECOND_MS);
}

/**
 * Whole seconds from `now_ms` to the next full minute, 1 to 60. The binding does not say when it
 * admits again, but it counts in fixed windows that begin with the minute.
 */
export function secondsToNextWindow(now_ms: number): number {
  const window_ms = WINDOW_S * SECOND_MS;
  return Math.ceil((window_ms - (now_ms % window_ms)) / SECOND_MS);
}
