/** Webhooks of the account hub (docs/contract.md section 8). */
import { type Context, Hono } from "hono";
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { dependencyDown } from "../http/api-error.ts";
import { parseJson, readBytes } from "../http/body.ts";
import { requireConfig } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { DEPENDENCY_TIMEOUT_MS, WEBHOOK_BYTES_MAX } from "../http/limits.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import { startDelivery } from "../pages/page-changes.ts";
import { notePagesChangedOf } from "../pages/page-changes-store.ts";
import { suspendPagesOf } from "../pages/pages-store.ts";
import { noteAccountChanged } from "./accounts-store.ts";
import { AnyEvent, HubEvent, isHandled } from "./hub-event.ts";
import { closeLiveSockets } from "./live-sockets.ts";
import { addNotification, deleteNotifications } from "./notifications-store.ts";
import { verifyWebhook } from "./standard-webhooks.ts";
import { isProcessed, markProcessed } from "./webhooks-store.ts";

const PATH = "/api/webhooks/hub";

export const webhooks = new Hono<AppEnv>();

webhooks.use(PATH, exactLimit);

/**
 * One event. 200 `{"ok":true}` once it is processed, and for every retry with the same id; 400, 401
 * WEBHOOK_SIGNATURE_INVALID, 413, 429, or 503 when nothing was changed and the hub should retry.
 */
webhooks.post(PATH, async (c) => {
  const { HUB_WEBHOOK_SECRET } = requireConfig(c.env, "webhooks");
  const body = await readBytes(c.req.raw, WEBHOOK_BYTES_MAX);
  const now = Date.now();
  const id = await verifyWebhook(HUB_WEBHOOK_SECRET, c.req.raw.headers, body, now);
  const json = parseJson(body);
  if (isHandled(validate(AnyEvent, json))) await process(c, id, validate(HubEvent, json), now);
  return c.json({ ok: true });
});
webhooks.all(PATH, onlyMethods("POST"));

/** Writes the webhook's id and the event's effects in one transaction. */
async function process(
  c: Context<AppEnv>,
  id: string,
  event: HubEvent,
  now: number,
): Promise<void> {
  const { DB } = c.env;
  try {
    if (!(await inTime(isProcessed(DB, id)))) {
      await inTime(DB.batch([markProcessed(DB, id, now), ...effectsOf(DB, event, now)]));
    }
  } catch (error) {
    // Either a concurrent delivery of the webhook came first, or D1's reply to a write was lost.
    if (!(await inTime(isProcessed(DB, id)).catch(() => false))) {
      logError("webhook_failed", { request_id: c.get("requestId"), type: event.type }, error);
      throw dependencyDown(error);
    }
  }
  // For retries too: the first request may have ended before this.
  if (event.type !== "notification.created") closeLiveSockets(c, event.data.user_id);
  if (event.type === "user.deleted") startDelivery(c);
}

function inTime<T>(asking: Promise<T>): Promise<T> {
  return withTimeout(asking, DEPENDENCY_TIMEOUT_MS);
}

function effectsOf(db: D1Database, event: HubEvent, now: number): D1PreparedStatement[] {
  const { user_id } = event.data;
  switch (event.type) {
    case "session.revoked":
    case "user.updated":
      return [noteAccountChanged(db, user_id)];
    case "notification.created":
      return addNotification(db, event.data);
    case "user.deleted":
      return [
        noteAccountChanged(db, user_id),
        ...deleteNotifications(db, user_id),
        // Hidden and not deleted: the counts stay true.
        suspendPagesOf(db, user_id, now),
        notePagesChangedOf(db, user_id, now),
      ];
  }
}
