import { ApiError } from "../http/api-error.ts";
import { parseJson, readBytes } from "../http/body.ts";
import { requireConfig } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import { HUB_WEBHOOK_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import { applyEvent } from "./apply-event.ts";
import { AnyEvent, HubEvent, isHandled } from "./hub-event.ts";
import { WEBHOOK_BYTES_MAX } from "./limits.ts";
import { verifyWebhook } from "./standard-webhooks.ts";

export const webhooks = new Hono<AppEnv>();

webhooks.use(HUB_WEBHOOK_PATH, exactLimit);

/**
 * One event of the hub (docs/contract.md section 8). 200 `{"ok":true}` once it is processed, also
 * for retries of its id; 400, 401 WEBHOOK_SIGNATURE_INVALID, 413, 429; 503: nothing was changed,
 * retry.
 */
webhooks.post(HUB_WEBHOOK_PATH, async (c) => {
  const { HUB_WEBHOOK_SECRET } = requireConfig(c.env, "webhooks");
  // Without a hub nobody can have signed it.
  if (HUB_WEBHOOK_SECRET === undefined) throw new ApiError("WEBHOOK_SIGNATURE_INVALID");
  const body = await readBytes(c.req.raw, WEBHOOK_BYTES_MAX);
  const now = Date.now();
  const id = await verifyWebhook(HUB_WEBHOOK_SECRET, c.req.raw.headers, body, now);
  const json = parseJson(body);
  if (isHandled(validate(AnyEvent, json))) await applyEvent(c, id, validate(HubEvent, json), now);
  return c.json({ ok: true });
});
webhooks.all(HUB_WEBHOOK_PATH, onlyMethods("POST"));
