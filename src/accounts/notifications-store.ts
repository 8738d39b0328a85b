/**
 * What users are told: tables `hub_notifications` and `notification_reads`, which this file alone writes,
 * and the view `notifications`, which joins the milestones of a user's pages to what the hub said.
 *
 * Every statement names the user: what is somebody else's is as if it were not there (docs/security.md S22).
 */
import { HUB_NOTIFICATIONS_MAX } from "../http/limits.ts";
import type { HubNotification } from "./hub-event.ts";

interface NotificationBase {
  id: string;
  /** Unix milliseconds. */
  created_at: number;
  /** Unix milliseconds, or null where it is unread. */
  read_at: number | null;
}

/** A page reached a round number of people's views or clicks. */
export interface MilestoneNotification extends NotificationBase {
  kind: "milestone";
  page_id: string;
  name: string;
  counted: "view" | "click";
  n: number;
}

export interface StoredHubNotification extends NotificationBase {
  kind: "hub";
  text: string;
  text_en: string;
  url: string | null;
}

export type StoredNotification = MilestoneNotification | StoredHubNotification;

/** Where a list goes on: after the notification of this time and id. */
export interface Cursor {
  created_at: number;
  id: string;
}

export interface Listing {
  limit: number;
  unread_only: boolean;
  after: Cursor | null;
}

/** Before all others: no time is as late. */
const NEWEST: Cursor = { created_at: Number.MAX_SAFE_INTEGER, id: "" };

const LIST = `
  SELECT told.id, told.kind, told.created_at, reads.read_at, page_id, name, counted, n,
         text, text_en, url
  FROM notifications AS told
  LEFT JOIN notification_reads AS reads ON reads.user_id = ?1 AND reads.id = told.id
  WHERE told.user_id = ?1 AND (told.created_at, told.id) < (?2, ?3) AND (?4 = 0 OR reads.read_at IS NULL)
  ORDER BY told.created_at DESC, told.id DESC LIMIT ?5`;

const UNREAD = `
  SELECT COUNT(*) AS n FROM notifications AS told
  LEFT JOIN notification_reads AS reads ON reads.user_id = ?1 AND reads.id = told.id
  WHERE told.user_id = ?1 AND reads.id IS NULL`;

const THEIRS = `
  SELECT COUNT(*) AS n FROM notifications
  WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2))`;

/** The newest first, and how many are unread in all; in one round trip. */
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

/**
 * Marks as read, all or these; one that was read stays read when it was. Answers how many are unread
 * then, or null where one of these is not the user's: then nothing is marked.
 */
export async function markRead(
  db: D1Database,
  user_id: string,
  which: "all" | readonly string[],
  now: number,
): Promise<number | null> {
  const ids = JSON.stringify(which === "all" ? [] : [...new Set(which)]);
  const wanted = which === "all" ? 0 : new Set(which).size;
  const [theirs, , unread] = await db.batch<{ n: number }>([
    db.prepare(THEIRS).bind(user_id, ids),
    db
      .prepare(
        `INSERT INTO notification_reads (user_id, id, read_at)
         SELECT ?1, id, ?3 FROM notifications
         WHERE user_id = ?1 AND (?4 = 0 OR id IN (SELECT value FROM json_each(?2)))
           AND ?4 = (${THEIRS})
         ON CONFLICT DO NOTHING`,
      )
      .bind(user_id, ids, now, wanted),
    db.prepare(UNREAD).bind(user_id),
  ]);
  if (theirs?.results[0]?.n !== wanted) return null;
  return unread?.results[0]?.n ?? 0;
}

/** Tells a user what the hub has to say, once by its id, and forgets the oldest beyond 500. */
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

/** Forgets what a user was told by the hub, and what they read. */
export function forgetNotifications(db: D1Database, user_id: string): D1PreparedStatement[] {
  return ["hub_notifications", "notification_reads"].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE user_id = ?1`).bind(user_id),
  );
}

/** Deletes what the page's owner has read of its milestones. Must run before the page's row is deleted. */
export function forgetReadsOfPage(db: D1Database, page_id: string): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM notification_reads
       WHERE user_id = (SELECT owner_id FROM pages WHERE page_id = ?1)
         AND id GLOB 'milestone-' || ?1 || '-*'`,
    )
    .bind(page_id);
}
