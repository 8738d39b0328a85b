/**
 * What the identity Worker tells the service of an account: table `auth_events`, which this file alone writes. The events
 * are those of the hub's webhooks (docs/contract.md section 8), stored in one transaction with the change that they tell
 * of. The service applies each once by its id, and then deletes it.
 */
import type * as z from "zod/mini";
import { newId } from "../http/new-id.ts";
import type { HubEvent } from "./hub-event.ts";

export interface StoredEvent {
  id: string;
  body: string;
}

/** In the batch of the change. */
export function addEvent(db: D1Database, event: z.input<typeof HubEvent>): D1PreparedStatement {
  return db
    .prepare("INSERT INTO auth_events (id, body) VALUES (?1, ?2)")
    .bind(`box_${newId()}`, JSON.stringify(event));
}

/** The oldest ones. */
export async function listEvents(db: D1Database, limit: number): Promise<StoredEvent[]> {
  const { results } = await db
    .prepare("SELECT id, body FROM auth_events ORDER BY n LIMIT ?1")
    .bind(limit)
    .all<StoredEvent>();
  return results;
}

export function deleteEvent(db: D1Database, id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_events WHERE id = ?1").bind(id);
}
