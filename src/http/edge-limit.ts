/**
 * The platform's rate limit on cacheable GETs, in front of the cache: approximate, per location,
 * without a call to an object (docs/contract.md section 6, scope "edge").
 */
import { createMiddleware } from "hono/factory";
import { SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { ApiError } from "./api-error.ts";
import { type AppEnv, senderOf } from "./context.ts";
import { EDGE_LIMIT_PER_MINUTE, EDGE_LIMIT_TIMEOUT_MS, WINDOW_S } from "./limits.ts";
import { requestCounts } from "./request-counts.ts";

export const edgeLimit = createMiddleware<AppEnv>(async (c, next) => {
  if (c.get("isAdmittedByEdge")) return next();
  const sender = senderOf(c);
  let success = true;
  try {
    ({ success } = await withTimeout(
      c.env.EDGE_LIMIT.limit({ key: sender }),
      EDGE_LIMIT_TIMEOUT_MS,
    ));
  } catch (error) {
    // Pages are served without the limit where it fails.
    logError("edge_limit_failed", { request_id: c.get("requestId") }, error);
  }
  if (!success) {
    requestCounts.refused("edge");
    const retry_after_s = secondsToNextWindow(Date.now());
    throw new ApiError("RATE_LIMITED", {
      details: {
        scope: "edge",
        limit: EDGE_LIMIT_PER_MINUTE,
        window_s: WINDOW_S,
        retry_after_s,
      },
      headers: { "Retry-After": String(retry_after_s) },
    });
  }
  c.set("isAdmittedByEdge", true);
  await next();
});

/**
 * Whole seconds from `now_ms` to the next full minute, 1 to 60. The binding does not say when it
 * admits again, but it counts in fixed windows that begin with the minute.
 */
export function secondsToNextWindow(now_ms: number): number {
  const window_ms = WINDOW_S * SECOND_MS;
  return Math.ceil((window_ms - (now_ms % window_ms)) / SECOND_MS);
}
