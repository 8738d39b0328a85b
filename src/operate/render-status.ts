/** Makes the status on a miss of the edge cache, for all readers of a minute. */
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import { withTimeout } from "../../objects/platform/clock.ts";
import { edgeCacheControl, STORE_TIMEOUT_MS } from "../pages/cache/freshness.ts";
import { statusOf } from "./status.ts";

export const STATUS_REUSED_S = 60;

/** 200 JSON. Rejects if the monitor does not answer. */
export async function renderStatus(env: Cloudflare.Env): Promise<Response> {
  const samples = await withTimeout(env.MONITOR.getByName(MONITOR).status(), STORE_TIMEOUT_MS);
  return Response.json(statusOf(samples, Date.now()), {
    headers: edgeCacheControl({ max_age_s: STATUS_REUSED_S, stale_if_error_s: 0 }),
  });
}
