/**
 * Notifications: tables `hub_notifications` and `notification_reads`, which this file alone writes,
 * and the view `notifications` of the hub's notifications, and of milestones, tips and disabled
 * webhooks of a user's pages.
 *
 * Every statement has the user's id as a condition, so other users' rows are as if absent
 * (docs/security.md S22).
 */

import type { HubNotification } from "./hub-event.ts";
import { HUB_NOTIFICATIONS_MAX } from "./limits.ts";

/** Times are unix milliseconds. */
interface NotificationBase {
  id: string;
  created_at: number;
  read_at: number | null;
}

interface MilestoneNotification extends NotificationBase {
  kind: "milestone";
  page_id: string;
  name: string;
  counted: "view" | "click";
  n: number;
}

interface TipNotification extends NotificationBase {
  kind: "tip";
  page_id: string;
  name: string;
  from_name: string;
  points: number;
  message: string;
}

interface WebhookNotification extends NotificationBase {
  kind: "webhook";
  page_id: string;
  name: string;
  text: string;
  /** `failing`: nothing arrived for three days; `gone`: the endpoint answered so. */
  text_en: "failing" | "gone";
}

interface StoredHubNotification extends NotificationBase {
  kind: "hub";
  text: string;
  text_en: string;
  url: string | null;
}

export const NOTIFICATION_KINDS = [
  "milestone",
  "tip",
  "webhook",
  "hub",
] as const satisfies readonly StoredNotification["kind"][];

export type StoredNotification =
  | MilestoneNotification
  | TipNotification
  | WebhookNotification
  | StoredHubNotification;

export interface Cursor {
  created_at: number;
  id: string;
}

interface Listing {
  limit: number;
  unread_only: boolean;
  after: Cursor | null;
}

const NEWEST: Cursor = { created_at: Number.MAX_SAFE_INTEGER, id: "" };

const LIST = `
  SELECT item.id, item.kind, item.created_at, reads.read_at, page_id, name, counted, n,
         text, text_en, url, from_name, points, message
  FROM notifications AS item
  LEFT JOIN notification_reads AS reads ON reads.user_id = ?1 AND reads.id = item.id
  WHERE item.user_id = ?1 AND (item.created_at, item.id) < (?2, ?3) AND (?4 = 0 OR reads.read_at IS NULL)
  ORDER BY item.created_at DESC, item.id DESC LIMIT ?5`;

const UNREAD = `
  SELECT COUNT(*) AS n FROM notifications AS item
  LEFT JOIN notification_reads AS reads ON reads.user_id = ?1 AND reads.id = item.id
  WHERE item.user_id = ?1 AND reads.id IS NULL`;

const OWNED = `
  SELECT COUNT(*) AS n FROM notifications
  WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2))`;

/** One round trip: newest first, with the number of all unread ones. */
export async function listNotifications(
  db: D1Database,
  user_id: string,
  { limit, unread_only, after }: Listing,
): Promise<{ notifications: StoredNotification[]; unread: number }> {
  const { created_at, id } = after ?? NEWEST;
  const [list, unread] = await db.batch([
    db.prepare(LIST).bind(user_id, created_at, id, unread_only ? 1 : 0, limit),
    db.prepare(UNREAD).bind(user_id),
  ]);
  return {
    notifications: (list?.results ?? []) as StoredNotification[],
    unread: (unread?.results[0] as { n: number } | undefined)?.n ?? 0,
  };
}

export async function countUnread(db: D1Database, user_id: string): Promise<number> {
  return (await db.prepare(UNREAD).bind(user_id).first<number>("n")) ?? 0;
}

/**
 * A notification that was read keeps its time. Returns how many stay unread, or null, with nothing marked,
 * where one is another user's.
 */
export async function markRead(
  db: D1Database,
  user_id: string,
  which: "all" | readonly string[],
  now: number,
): Promise<number | null> {
  const ids = JSON.stringify(which === "all" ? [] : [...new Set(which)]);
  const wanted = which === "all" ? 0 : new Set(which).size;
  const [owned, , unread] = await db.batch<{ n: number }>([
    db.prepare(OWNED).bind(user_id, ids),
    db
      .prepare(
        `INSERT INTO notification_reads (user_id, id, read_at)
         SELECT ?1, id, ?3 FROM notifications
         WHERE user_id = ?1 AND (?4 = 0 OR id IN (SELECT value FROM json_each(?2)))
           AND ?4 = (${OWNED})
         ON CONFLICT DO NOTHING`,
      )
      .bind(user_id, ids, now, wanted),
    db.prepare(UNREAD).bind(user_id),
  ]);
  if (owned?.results[0]?.n !== wanted) return null;
  return unread?.results[0]?.n ?? 0;
}

/** Stores a notification of the hub, once by its id, and deletes the user's oldest beyond 500. */
export function addNotification(
  db: D1Database,
  { user_id, id, text, text_en, url, created_at }: HubNotification,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT INTO hub_notifications (user_id, id, text, text_en, url, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING`,
      )
      .bind(user_id, id, text, text_en, url, created_at),
    db
      .prepare(
        `DELETE FROM hub_notifications WHERE user_id = ?1 AND id IN (
           SELECT id FROM hub_notifications WHERE user_id = ?1
           ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ${HUB_NOTIFICATIONS_MAX})`,
      )
      .bind(user_id),
    db
      .prepare(
        `DELETE FROM notification_reads WHERE user_id = ?1 AND id LIKE 'hub-%'
           AND substr(id, 5) NOT IN (SELECT id FROM hub_notifications WHERE user_id = ?1)`,
      )
      .bind(user_id),
  ];
}

/** Part of the action's transaction, after it. No change without the action or an owner. */
export function notifyOfAction(
  db: D1Database,
  { action_id, page_id, at }: { action_id: string; page_id: string; at: number },
  { ar, en }: { ar: string; en: string },
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO hub_notifications (user_id, id, text, text_en, url, created_at)
       SELECT owner_id, 'operator-' || ?2, ?3, ?4, '/dashboard/' || ?1, ?5 FROM pages
       WHERE page_id = ?1 AND owner_id IS NOT NULL
         AND EXISTS (SELECT 1 FROM operator_actions WHERE action_id = ?2)
       ON CONFLICT DO NOTHING`,
    )
    .bind(page_id, action_id, ar, en, at);
}

export function deleteNotifications(db: D1Database, user_id: string): D1PreparedStatement[] {
  return ["hub_notifications", "notification_reads"].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE user_id = ?1`).bind(user_id),
  );
}

/** Run it before the page's row is deleted. */
export function deleteReadsOfPage(db: D1Database, page_id: string): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM notification_reads
       WHERE user_id = (SELECT owner_id FROM pages WHERE page_id = ?1)
         AND (id GLOB 'milestone-' || ?1 || '-*' OR id GLOB 'tip-' || ?1 || '-*'
           OR id GLOB 'webhook-' || ?1 || '-*')`,
    )
    .bind(page_id);
}
