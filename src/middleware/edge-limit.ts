/**
 * The platform's own limit on cacheable GETs, in front of the cache: approximate, per location, no
 * object involved (CONTRACT section 6, scope "edge").
 */
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../context.ts";
import { ApiError } from "../errors.ts";
import { EDGE_LIMIT_PER_MINUTE, WINDOW_S } from "../limits.ts";
import { logError } from "../log.ts";
import { parseSender } from "../sender.ts";

export const edgeLimit = createMiddleware<AppEnv>(async (c, next) => {
  const sender = parseSender(c.req.header("CF-Connecting-IP"));
  let success = true;
  try {
    ({ success } = await c.env.EDGE_LIMIT.limit({ key: sender }));
  } catch (error) {
    // Pages are served whatever happens to their shield (FAULTS I6).
    logError("edge_limit_failed", { request_id: c.get("requestId") }, error);
  }
  if (!success) {
    // The binding does not tell when it opens again; a whole window is always long enough.
    throw new ApiError("RATE_LIMITED", {
      details: {
        scope: "edge",
        limit: EDGE_LIMIT_PER_MINUTE,
        window_s: WINDOW_S,
        retry_after_s: WINDOW_S,
      },
      headers: { "Retry-After": String(WINDOW_S) },
    });
  }
  await next();
});
