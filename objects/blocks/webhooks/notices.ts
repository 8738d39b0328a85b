/** Only this file writes the table `disabled_webhooks`, which tells owners. */
import type { Database } from "../../platform/ports.ts";

const KEPT = 20;

/** Stored once by its id. A page that has ended gets no notice. */
export async function addNotice(
  db: Database,
  page_id: string,
  { id, host, reason, at }: { id: string; host: string; reason: string; at: number },
): Promise<void> {
  await db.batch([
    db
      .prepare(
        `INSERT INTO disabled_webhooks (page_id, id, host, reason, at)
         SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM pages WHERE page_id = ?1)
         ON CONFLICT DO NOTHING`,
      )
      .bind(page_id, id, host, reason, at),
    db
      .prepare(
        `DELETE FROM disabled_webhooks WHERE page_id = ?1 AND id NOT IN (
           SELECT id FROM disabled_webhooks WHERE page_id = ?1 ORDER BY at DESC, id DESC LIMIT ${KEPT})`,
      )
      .bind(page_id),
  ]);
}

export async function forgetNotices(db: Database, page_id: string): Promise<void> {
  await db.prepare("DELETE FROM disabled_webhooks WHERE page_id = ?1").bind(page_id).all();
}
