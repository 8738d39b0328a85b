/** Processed webhooks: table `webhooks`, which this file alone writes. */
import { DAY_MS } from "../../objects/platform/clock.ts";

/** Longer than senders retry. */
const KEEP_MS = 7 * DAY_MS;

export async function isProcessed(db: D1Database, webhook_id: string): Promise<boolean> {
  const row = await db
    .prepare("SELECT 1 FROM webhooks WHERE webhook_id = ?1")
    .bind(webhook_id)
    .first();
  return row !== null;
}

/** Run it in the transaction of the webhook's effects, which a second insert rolls back. */
export function markProcessed(
  db: D1Database,
  webhook_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare("INSERT INTO webhooks (webhook_id, received_at) VALUES (?1, ?2)")
    .bind(webhook_id, now);
}

export function deleteOldWebhooks(db: D1Database, now: number): D1PreparedStatement {
  return db.prepare("DELETE FROM webhooks WHERE received_at <= ?1").bind(now - KEEP_MS);
}
