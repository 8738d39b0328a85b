import { logError } from "../../../objects/platform/log.ts";
import { ApiError, dependencyDown } from "../../http/api-error.ts";
import { parseJson } from "../../http/body.ts";
import { utf8 } from "../../http/bytes.ts";
import { readConfig } from "../../http/config.ts";
import type { AppEnv } from "../../http/context.ts";
import { answerNotFound } from "../../http/error-answer.tsx";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { validate } from "../../http/validate.ts";
import { CALL_HEADER, DUMP_PATH, SIGNATURE_HEADER, verifyCall } from "./dump-call.ts";
import { DumpCall, dumpStep } from "./dump-steps.ts";

export const dump = new Hono<AppEnv>();

/**
 * One step of `npm run dump` or `npm run load` (docs/operations.md "Moving"): JSON in `X-Sila-Dump` with its
 * signature in `X-Sila-Dump-Signature`; answers JSON or bytes. 400 for what this deployment does not have; 503.
 * Without a valid signature, and without BACKUP_KEY, the path does not exist: 404 at the price of one.
 */
dump.post(DUMP_PATH, async (c, next) => {
  const key = readConfig(c.env).dump?.BACKUP_KEY;
  const [asked = "", signature = ""] = [c.req.header(CALL_HEADER), c.req.header(SIGNATURE_HEADER)];
  const { host } = new URL(c.req.url);
  if (key === undefined || !verifyCall(key, signature, host, asked, Date.now())) return next();
  const call = validate(DumpCall, parseJson(utf8(asked)));
  try {
    return await dumpStep(c.env, call, c.req.raw);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    logError("dump_failed", { step: call.do }, error);
    throw dependencyDown(error);
  }
});
dump.all(DUMP_PATH, exactLimit, answerNotFound);
