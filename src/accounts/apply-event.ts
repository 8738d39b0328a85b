/** Effects of an account event (docs/contract.md section 8), from a webhook or from the identity Worker. */
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { dependencyDown } from "../http/api-error.ts";
import type { Following } from "../http/context.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../http/limits.ts";
import { startDelivery } from "../pages/cache/page-changes.ts";
import { notePageSaved } from "../pages/document/page-changes-store.ts";
import { reinstatePage, suspendPage } from "../pages/document/pages-store.ts";
import { addRevision } from "../pages/document/revisions-store.ts";
import { noteHubsWish } from "../pages/document/takedowns-store.ts";
import { noteAccountChanged } from "./accounts-store.ts";
import { endUser } from "./ended-users.ts";
import type { HubEvent, PageEvent } from "./hub-event.ts";
import { closeLiveSockets } from "./live-sockets.ts";
import { addNotification } from "./notifications-store.ts";
import { noteUserEnd } from "./page-notes.ts";
import { isProcessed, markProcessed } from "./webhooks-store.ts";

/**
 * Writes the event's id and effects in one transaction, so that it happens once. Throws 503 where nothing was
 * changed, and where a follow-up must be repeated.
 */
export async function applyEvent(
  c: Following,
  id: string,
  event: HubEvent,
  now: number,
): Promise<void> {
  const { DB } = c.env;
  try {
    if (!(await inTime(isProcessed(DB, id)))) {
      // First, so that no restored D1 brings the user back.
      if (event.type === "user.deleted") {
        await inTime(noteUserEnd(c.env.MEDIA, event.data.user_id, now));
      }
      await inTime(DB.batch([markProcessed(DB, id, now), ...effectsOf(DB, event, now)]));
    }
  } catch (error) {
    // A concurrent delivery came first, or D1's reply to a write was lost.
    if (!(await inTime(isProcessed(DB, id)).catch(() => false))) {
      logError("webhook_failed", { type: event.type }, error);
      throw dependencyDown(error);
    }
  }
  // Retries do it too: the first request may have ended before this.
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

/** Rejects if the object fails: then the hub repeats the webhook. */
async function endTips({ env }: Following, user_id: string): Promise<void> {
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
