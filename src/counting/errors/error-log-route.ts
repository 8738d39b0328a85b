/** The error log: errors in browsers, counted by group (docs/contract.md section 7). */

import { errorLogOf, type IfUnknown, type Report } from "../../../objects/errors/error-report.ts";
import { HOUR_MS, withTimeout } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { dependencyDown } from "../../http/api-error.ts";
import { readJson } from "../../http/body.ts";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { cors } from "../../http/cors.ts";
import { ERROR_LOG_PATH } from "../../http/endpoints.ts";
import { callLimiter, exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { RECORD_TIMEOUT_MS } from "../limits.ts";
import { ErrorReport, toSample } from "./error-report.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { ERROR_GROUPS_PER_HOUR, ERROR_REPORT_BYTES_MAX } from "./limits.ts";

/** The limiter's scope for new groups. It refuses no request. */
const NEW_GROUP = {
  scope: "error_group",
  limit: ERROR_GROUPS_PER_HOUR,
  window_ms: HOUR_MS,
} as const;

export const errorLog = new Hono<AppEnv>();

errorLog.use(ERROR_LOG_PATH, cors("POST"), exactLimit);

/** 202 `{"ok":true,"id":"<fingerprint>"}` once it is durable; else 400, 413, 415, 429 or 503. */
errorLog.post(ERROR_LOG_PATH, async (c) => {
  const sample = toSample(await readJson(c.req.raw, ErrorReport, ERROR_REPORT_BYTES_MAX));
  const fingerprint = await fingerprintOf(sample);
  const counting = count(c, { fingerprint, sample });
  // A browser that leaves the page disconnects.
  c.executionCtx.waitUntil(counting.catch(() => undefined));
  try {
    await counting;
  } catch (error) {
    logError("report_failed", { request_id: c.get("requestId") }, error);
    throw dependencyDown(error);
  }
  return c.json({ ok: true, id: fingerprint }, 202);
});
errorLog.all(ERROR_LOG_PATH, onlyMethods("POST"));

/**
 * Makes one call where the report's group is known. Otherwise that call counts nothing, and the
 * limiter decides whether a second one creates the group or counts the report as `(other)`.
 */
async function count(c: AppContext, report: Omit<Report, "if_unknown">): Promise<void> {
  const send = (if_unknown: IfUnknown) =>
    withTimeout(
      c.env.ERROR_LOG.getByName(errorLogOf(report.fingerprint)).report({ ...report, if_unknown }),
      RECORD_TIMEOUT_MS,
    );
  if ((await send("skip")) === "counted") return;
  await send((await mayCreateGroup(c)) ? "create" : "other");
}

/** False past the sender's limit or without the limiter: a flood must not displace real errors. */
async function mayCreateGroup(c: AppContext): Promise<boolean> {
  const decision = await callLimiter(c, NEW_GROUP);
  return decision?.admitted ?? false;
}
