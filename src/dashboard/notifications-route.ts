/** The page of notifications; programs use `/api/me/notifications`. */

import * as z from "zod/mini";
import { NOTIFICATIONS_PER_PAGE } from "../accounts/limits.ts";
import { cursorAfter, NotificationQuery } from "../accounts/notification-query.ts";
import { listNotifications } from "../accounts/notifications-store.ts";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { callDependency } from "../http/dependency.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import { drawnPage } from "./drawn-page.ts";
import { frameOf } from "./frame-of.ts";

const PATH = "/dashboard/notifications";

export const notificationsPage = new Hono<SignedIn>();

notificationsPage.use(PATH, exactLimit);

const CursorQuery = z.pick(NotificationQuery, { cursor: true });

/** Twenty notifications after `?cursor=`. 200 HTML; 400, 401, 429, 502, 503, 504 as error pages. */
notificationsPage.get(PATH, privateRoute, async (c) => {
  const frame = await frameOf(c);
  const { cursor } = validate(CursorQuery, c.req.query());
  const { user } = c.get("session");
  // One more than is shown tells whether there is a next page.
  const listing = {
    limit: NOTIFICATIONS_PER_PAGE + 1,
    unread_only: false,
    after: cursor ?? null,
  };
  const found = await callDependency("notifications_failed", () =>
    listNotifications(c.env.DB, user.id, listing),
  );
  const shown = found.notifications.slice(0, NOTIFICATIONS_PER_PAGE);
  const has_more = found.notifications.length > shown.length;
  const next_cursor = has_more ? cursorAfter(shown.at(-1)) : null;
  const props = { notifications: shown, next_cursor };
  return c.html(await drawnPage(c, frame, ["notifications", props]));
});
notificationsPage.all(PATH, onlyMethods("GET"));
