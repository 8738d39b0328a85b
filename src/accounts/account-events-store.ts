/**
 * What the service must still be told of accounts, in the form of the hub's webhooks (docs/contract.md section 8): table
 * `auth_events`, which this file alone writes. An event is written in the batch of the change that it tells of, and
 * deleted when it was applied.
 */
import type * as z from "zod/mini";
import type { HubEvent } from "./hub-event.ts";

export type AccountEvent = z.input<typeof HubEvent>;

export interface StoredEvent {
  /** In the order of the changes. */
  n: number;
  /** By which the service knows an event that it has processed. */
  id: string;
  /** `{type, timestamp, data}`. */
  event: unknown;
}

export function addEvent(db: D1Database, event: AccountEvent, now: number): D1PreparedStatement {
  return db
    .prepare("INSERT INTO auth_events (id, body) VALUES (?1, ?2)")
    .bind(newId(), bodyOf(event, now));
}

/** In the batch that makes this transfer: nothing where it was refused, or made before under another id. */
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

/** The oldest ones. */
export async function listEvents(db: D1Database, limit: number): Promise<StoredEvent[]> {
  const { results } = await db
    .prepare("SELECT n, id, body FROM auth_events ORDER BY n LIMIT ?1")
    .bind(limit)
    .all<{ n: number; id: string; body: string }>();
  return results.map(({ n, id, body }) => ({ n, id, event: JSON.parse(body) }));
}

/** Puts the event behind all others. Its id stays. */
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
