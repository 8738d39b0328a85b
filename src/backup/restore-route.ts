/** The route by which `npm run restore` puts a backup back (docs/operations.md "Restoring"). */
import { Hono } from "hono";
import { logError } from "../../objects/platform/log.ts";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { parseJson, readBytes } from "../http/body.ts";
import type { AppEnv } from "../http/context.ts";
import { answerNotFound } from "../http/error-answer.tsx";
import { exactLimit } from "../http/exact-limit.ts";
import { validate } from "../http/validate.ts";
import { BadBackupError } from "./backup-format.ts";
import { RESTORE_BYTES_MAX, RESTORE_HEADER, RESTORE_PATH, verifyCall } from "./restore-call.ts";
import { RestoreCall, restoreStep } from "./restore-steps.ts";
import { backupSettings } from "./run-backup.ts";

export const restore = new Hono<AppEnv>();

/**
 * One step, as JSON with its signature in `X-Sila-Restore`; answers its result. 400 with `details.reason`
 * where the backup is not whole or not this deployment's; 503. Without a valid signature, and without
 * BACKUP_KEY, it is a path that does not exist: 404 at the price of one.
 */
restore.post(RESTORE_PATH, async (c, next) => {
  const settings = backupSettings(c.env);
  const header = c.req.header(RESTORE_HEADER);
  if (settings === null || header === undefined) return next();
  const body = await readBytes(c.req.raw, RESTORE_BYTES_MAX);
  const now = Date.now();
  if (!verifyCall(settings.key, header, body, now)) return next();
  const call = validate(RestoreCall, parseJson(body));
  const env = { ...c.env, BACKUPS: settings.env.BACKUPS };
  try {
    return c.json(await restoreStep(env, settings.key, call, now));
  } catch (error) {
    if (error instanceof BadBackupError) {
      throw new ApiError("VALIDATION_FAILED", { details: { reason: error.message }, cause: error });
    }
    logError("restore_failed", { step: call.step }, error);
    throw dependencyDown(error);
  }
});
restore.all(RESTORE_PATH, exactLimit, answerNotFound);
