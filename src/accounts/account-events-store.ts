/**
 * Events that the service must still apply, in the form of the hub's webhooks (docs/contract.md section 8): table
 * `auth_events`, which this file alone writes. Each is written in the batch of its change, and deleted once applied.
 */
import type * as z from "zod/mini";
import type { HubEvent } from "./hub-event.ts";

export type AccountEvent = z.input<typeof HubEvent>;

export interface StoredEvent {
  n: number;
  /** The service applies each id once. */
  id: string;
  /** `{type, timestamp, data}` */
  event: unknown;
}

export function addEvent(db: D1Database, event: AccountEvent, now: number): D1PreparedStatement {
  return db
    .prepare("INSERT INTO auth_events (id, body) VALUES (?1, ?2)")
    .bind(newId(), bodyOf(event, now));
}

/** Belongs in the transfer's batch: adds nothing if it was refused, or made before under another id. */
export function addEventOfTransfer(
  db: D1Database,
  { user_id, key, id }: { user_id: string; key: string; id: string },
  event: AccountEvent,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO auth_events (id, body) SELECT ?1, ?2
       WHERE EXISTS (SELECT 1 FROM auth_transfers WHERE user_id = ?3 AND key = ?4 AND id = ?5)`,
    )
    .bind(newId(), bodyOf(event, now), user_id, key, id);
}

export async function listEvents(db: D1Database, limit: number): Promise<StoredEvent[]> {
  const { results } = await db
    .prepare("SELECT n, id, body FROM auth_events ORDER BY n LIMIT ?1")
    .bind(limit)
    .all<{ n: number; id: string; body: string }>();
  return results.map(({ n, id, body }) => ({ n, id, event: JSON.parse(body) }));
}

/** An event that fails must not hold up the others. It keeps its id, by which the service applies it once. */
export function postponeEvent(db: D1Database, n: number): D1PreparedStatement {
  return db
    .prepare("UPDATE auth_events SET n = (SELECT MAX(n) + 1 FROM auth_events) WHERE n = ?1")
    .bind(n);
}

export function deleteEvent(db: D1Database, n: number): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_events WHERE n = ?1").bind(n);
}

function newId(): string {
  return `evt_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** Standard Webhooks 1.0 gives each payload its time. */
function bodyOf({ type, data }: AccountEvent, now: number): string {
  return JSON.stringify({ type, timestamp: new Date(now).toISOString(), data });
}
