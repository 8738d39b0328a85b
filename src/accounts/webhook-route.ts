/** What the account hub has to tell us (docs/contract.md section 8). */
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
import { addNotification, forgetNotifications } from "./notifications-store.ts";
import { verifyWebhook } from "./standard-webhooks.ts";
import { isProcessed, markProcessed } from "./webhooks-store.ts";

const PATH = "/api/webhooks/hub";

export const webhooks = new Hono<AppEnv>();

webhooks.use(PATH, exactLimit);

/**
 * One event. 200 `{"ok":true}` once it took effect, and again whenever the same id comes; 400, 401
 * WEBHOOK_SIGNATURE_INVALID, 413, 429, or 503 when nothing took effect and it should be sent again.
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

/** The id and all that the event changes, in one transaction: both are there, or neither is. */
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
    // A concurrent delivery of the same webhook won, or D1 wrote and its reply was lost.
    if (!(await inTime(isProcessed(DB, id)).catch(() => false))) {
      logError("webhook_failed", { request_id: c.get("requestId"), type: event.type }, error);
      throw dependencyDown(error);
    }
  }
  // Also for a webhook that is sent again: the first request may have ended before this.
  if (event.type !== "notification.created") closeLiveSockets(c, event.data.user_id);
  if (event.type === "user.deleted") startDelivery(c);
}

/** D1 at a distance: an answer that does not come is a failure, and the webhook is sent again. */
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
        ...forgetNotifications(db, user_id),
        // Out of sight, but not thrown away: what was counted stays true.
        suspendPagesOf(db, user_id, now),
        notePagesChangedOf(db, user_id, now),
      ];
  }
}
