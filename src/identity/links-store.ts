/** Operators' links for one use: table `auth_links`, which this file alone writes. It stores the code's hash. */
import type { Plan } from "./limits.ts";

export type NewLink = { kind: "invitation"; plan: Plan } | { kind: "way_in"; user_id: string };

/** A link as operators see it. Times are unix milliseconds. */
export interface ListedLink {
  id: string;
  hash: string;
  kind: NewLink["kind"];
  user_id: string | null;
  plan: Plan | null;
  made_by: string;
  made_at: number;
  expires_at: number;
}

export function addLink(
  db: D1Database,
  link: NewLink & { hash: string; id: string; made_by: string; expires_at: number },
  now: number,
): D1PreparedStatement {
  const [user_id, plan] = link.kind === "way_in" ? [link.user_id, null] : [null, link.plan];
  return db
    .prepare(
      `INSERT INTO auth_links (hash, id, kind, user_id, plan, made_by, made_at, expires_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
    )
    .bind(link.hash, link.id, link.kind, user_id, plan, link.made_by, now, link.expires_at);
}

/** Null for a used, withdrawn or expired link. */
export async function findLink(
  db: D1Database,
  kind: NewLink["kind"],
  hash: string,
  now: number,
): Promise<ListedLink | null> {
  return db
    .prepare("SELECT * FROM auth_links WHERE hash = ?1 AND kind = ?2 AND expires_at > ?3")
    .bind(hash, kind, now)
    .first<ListedLink>();
}

export function findInvitation(db: D1Database, id: string): Promise<ListedLink | null> {
  return db
    .prepare("SELECT * FROM auth_links WHERE id = ?1 AND kind = 'invitation'")
    .bind(id)
    .first<ListedLink>();
}

export async function listWaysIn(
  db: D1Database,
  user_id: string,
  now: number,
): Promise<ListedLink[]> {
  const { results } = await db
    .prepare("SELECT * FROM auth_links WHERE user_id = ?1 AND expires_at > ?2")
    .bind(user_id, now)
    .all<ListedLink>();
  return results;
}

export async function listInvitations(
  db: D1Database,
  now: number,
  limit: number,
): Promise<ListedLink[]> {
  const { results } = await db
    .prepare(
      `SELECT * FROM auth_links WHERE kind = 'invitation' AND expires_at > ?1
       ORDER BY made_at DESC, id LIMIT ?2`,
    )
    .bind(now, limit)
    .all<ListedLink>();
  return results;
}

export function deleteLink(db: D1Database, hash: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_links WHERE hash = ?1").bind(hash);
}

export function deleteLinksTo(db: D1Database, user_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_links WHERE user_id = ?1").bind(user_id);
}

export function deleteExpiredLinks(db: D1Database, now: number): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_links WHERE expires_at <= ?1").bind(now);
}
