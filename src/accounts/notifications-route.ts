import { ApiError } from "../http/api-error.ts";
import { readJson } from "../http/body.ts";
import { callDependency } from "../http/dependency.ts";
import { NOTIFICATIONS_PATH, READ_NOTIFICATIONS_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import { READ_BYTES_MAX } from "./limits.ts";
import { cursorAfter, NotificationQuery, ReadMarks } from "./notification-query.ts";
import { toJson } from "./notification-texts.ts";
import { listNotifications, markRead } from "./notifications-store.ts";
import { privateRoute } from "./private.ts";
import type { SignedIn } from "./require-session.ts";

export const notifications = new Hono<SignedIn>();

const FAILED = "notifications_failed";

notifications.use(NOTIFICATIONS_PATH, exactLimit);
notifications.use(READ_NOTIFICATIONS_PATH, exactLimit);

/**
 * A user's notifications (docs/contract.md section 8). 200 `{ok, notifications, unread, next_cursor}`, newest
 * first; `unread` counts all. 400 for a wrong query.
 */
notifications.get(NOTIFICATIONS_PATH, privateRoute, async (c) => {
  const { limit, cursor, unread } = validate(NotificationQuery, c.req.query());
  const { user } = c.get("session");
  // One more than is shown: then there is a next page.
  const listing = { limit: limit + 1, unread_only: unread, after: cursor ?? null };
  const found = await callDependency(FAILED, () => listNotifications(c.env.DB, user.id, listing));
  const shown = found.notifications.slice(0, limit);
  return c.json({
    ok: true,
    notifications: shown.map(toJson),
    unread: found.unread,
    next_cursor: found.notifications.length > limit ? cursorAfter(shown.at(-1)) : null,
  });
});
notifications.all(NOTIFICATIONS_PATH, onlyMethods("GET"));

/** Marks `{"ids":[…]}` or `{"all":true}`. 200 `{ok, unread}`; 404, and nothing marked, for a foreign id. */
notifications.post(READ_NOTIFICATIONS_PATH, privateRoute, async (c) => {
  const marks = await readJson(c.req.raw, ReadMarks, READ_BYTES_MAX);
  const { user } = c.get("session");
  const which = "ids" in marks ? marks.ids : "all";
  const unread = await callDependency(FAILED, () => markRead(c.env.DB, user.id, which, Date.now()));
  if (unread === null) throw new ApiError("NOT_FOUND");
  return c.json({ ok: true, unread });
});
notifications.all(READ_NOTIFICATIONS_PATH, onlyMethods("POST"));
