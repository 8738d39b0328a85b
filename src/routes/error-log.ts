/** The error log: what went wrong in people's browsers, counted by group (CONTRACT section 7). */
import { Hono } from "hono";
import { withTimeout } from "../../objects/clock.ts";
import { errorLogOf } from "../../objects/error-report.ts";
import { readJson } from "../body.ts";
import type { AppEnv } from "../context.ts";
import { ErrorReport, toSample } from "../error-report.ts";
import { dependencyDown } from "../errors.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { ERROR_REPORT_BYTES_MAX, RECORD_TIMEOUT_MS } from "../limits.ts";
import { logError } from "../log.ts";
import { anyOrigin } from "../middleware/any-origin.ts";
import { exactLimit } from "../middleware/limiter.ts";
import { onlyMethods } from "../middleware/methods.ts";

const PATH = "/api/log/error";

export const errorLog = new Hono<AppEnv>();

errorLog.use(PATH, anyOrigin("POST"), exactLimit);

/**
 * One report. 202 `{"ok":true,"id":"<fingerprint>"}` once it is counted, durably; 400, 413, 415, 429,
 * or 503 when nothing was counted.
 */
errorLog.post(PATH, async (c) => {
  const sample = toSample(await readJson(c.req.raw, ErrorReport, ERROR_REPORT_BYTES_MAX));
  const fingerprint = await fingerprintOf(sample);
  const log = c.env.ERROR_LOG.getByName(errorLogOf(fingerprint));
  const counting = withTimeout(log.report({ fingerprint, sample }), RECORD_TIMEOUT_MS);
  // A browser that leaves the page hangs up on its report.
  c.executionCtx.waitUntil(counting.catch(() => undefined));
  try {
    await counting;
  } catch (error) {
    logError("report_failed", { request_id: c.get("requestId") }, error);
    throw dependencyDown(error);
  }
  return c.json({ ok: true, id: fingerprint }, 202);
});
errorLog.all(PATH, onlyMethods("POST"));
