/** Webhooks of the account hub (docs/contract.md section 8). */
import { type Context, Hono } from "hono";
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { dependencyDown } from "../http/api-error.ts";
import { parseJson, readBytes } from "../http/body.ts";
import { requireConfig } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import { HUB_WEBHOOK_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { DEPENDENCY_TIMEOUT_MS, WEBHOOK_BYTES_MAX } from "../http/limits.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import { startDelivery } from "../pages/page-changes.ts";
import { notePageSaved } from "../pages/page-changes-store.ts";
import { reinstatePage, suspendPage } from "../pages/pages-store.ts";
import { addRevision } from "../pages/revisions-store.ts";
import { noteHubsWish } from "../pages/takedowns-store.ts";
import { noteAccountChanged } from "./accounts-store.ts";
import { endUser } from "./ended-users.ts";
import { AnyEvent, HubEvent, isHandled, type PageEvent } from "./hub-event.ts";
import { closeLiveSockets } from "./live-sockets.ts";
import { addNotification } from "./notifications-store.ts";
import { noteUserEnd } from "./page-notes.ts";
import { verifyWebhook } from "./standard-webhooks.ts";
import { isProcessed, markProcessed } from "./webhooks-store.ts";

export const webhooks = new Hono<AppEnv>();

webhooks.use(HUB_WEBHOOK_PATH, exactLimit);

/**
 * One event. 200 `{"ok":true}` once it is processed, and for every retry with the same id; 400, 401
 * WEBHOOK_SIGNATURE_INVALID, 413, 429, or 503 when nothing was changed and the hub should retry.
 */
webhooks.post(HUB_WEBHOOK_PATH, async (c) => {
  const { HUB_WEBHOOK_SECRET } = requireConfig(c.env, "webhooks");
  const body = await readBytes(c.req.raw, WEBHOOK_BYTES_MAX);
  const now = Date.now();
  const id = await verifyWebhook(HUB_WEBHOOK_SECRET, c.req.raw.headers, body, now);
  const json = parseJson(body);
  if (isHandled(validate(AnyEvent, json))) await process(c, id, validate(HubEvent, json), now);
  return c.json({ ok: true });
});
webhooks.all(HUB_WEBHOOK_PATH, onlyMethods("POST"));

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
      // First, so that no D1 of a time before can bring the user back.
      if (event.type === "user.deleted") {
        await inTime(noteUserEnd(c.env.MEDIA, event.data.user_id, now));
      }
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
  switch (event.type) {
    case "session.revoked":
    case "user.updated":
      return closeLiveSockets(c, event.data.user_id);
    case "user.deleted":
      closeLiveSockets(c, event.data.user_id);
      startDelivery(c);
      return endTips(c, event.data.user_id);
    case "page.suspended":
    case "page.reinstated":
      return startDelivery(c);
  }
}

/** Rejects if the object fails: then the hub sends the webhook again. */
async function endTips({ env }: Context<AppEnv>, user_id: string): Promise<void> {
  try {
    await inTime(env.TIPS.getByName(user_id).end());
  } catch (error) {
    logError("tips_failed", {}, error);
    throw dependencyDown(error);
  }
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
    case "page.suspended":
    case "page.reinstated":
      return saveStatus(db, event, now);
    case "user.deleted":
      return endUser(db, user_id, now);
  }
}

/** Changes nothing where the page is not this user's, or has that status already. */
function saveStatus(db: D1Database, event: PageEvent, now: number): D1PreparedStatement[] {
  const { user_id: owner_id, page_id } = event.data;
  const save_id = crypto.randomUUID();
  const [save, what] =
    event.type === "page.suspended"
      ? ([suspendPage, "suspended"] as const)
      : ([reinstatePage, "reinstated"] as const);
  return [
    noteHubsWish(db, { owner_id, page_id }, what === "suspended"),
    save(db, { owner_id, page_id }, save_id, now),
    ...addRevision(db, page_id, save_id, [what], now),
    notePageSaved(db, page_id, save_id, now),
  ];
}
