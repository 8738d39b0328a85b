/**
 * Issuers' accounts of users: table `auth_identities`, which this file alone writes. Only issuer and subject
 * together name one (OpenID Connect Core 5.7). Times are unix milliseconds.
 */
import { IDENTITIES_MAX } from "./limits.ts";

export interface Identity {
  issuer: string;
  subject: string;
  /** The user's handle for it. */
  id: string;
  user_id: string;
  /** The issuer's name for the person, or `''`. */
  name: string;
  created_at: number;
  used_at: number | null;
}

const COLUMNS = "issuer, subject, id, user_id, name, created_at, used_at";

/** Fails its whole batch past `IDENTITIES_MAX` (the id is null then), or where somebody has this account. */
export function addIdentity(
  db: D1Database,
  identity: Omit<Identity, "used_at">,
): D1PreparedStatement {
  const { issuer, subject, id, user_id, name, created_at } = identity;
  return db
    .prepare(
      `INSERT INTO auth_identities (${COLUMNS}) SELECT ?1, ?2, ?3,
         CASE WHEN (SELECT COUNT(*) FROM auth_identities WHERE user_id = ?4) < ${IDENTITIES_MAX} THEN ?4 END,
         ?5, ?6, NULL`,
    )
    .bind(issuer, subject, id, user_id, name, created_at);
}

export function findIdentity(
  db: D1Database,
  issuer: string,
  subject: string,
): Promise<Identity | null> {
  return db
    .prepare(`SELECT ${COLUMNS} FROM auth_identities WHERE issuer = ?1 AND subject = ?2`)
    .bind(issuer, subject)
    .first<Identity>();
}

export async function listIdentities(db: D1Database, user_id: string): Promise<Identity[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM auth_identities WHERE user_id = ?1 ORDER BY created_at, id`)
    .bind(user_id)
    .all<Identity>();
  return results;
}

/** Fails its whole batch where the identity was deleted meanwhile: the aggregate finds no `user_id` then. */
export function noteIdentityUse(
  db: D1Database,
  { issuer, subject }: Pick<Identity, "issuer" | "subject">,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO auth_identities (${COLUMNS})
       SELECT ?1, ?2, hex(randomblob(16)), max(user_id), '', 0, ?3 FROM auth_identities
       WHERE issuer = ?1 AND subject = ?2
       ON CONFLICT (issuer, subject) DO UPDATE SET used_at = excluded.used_at`,
    )
    .bind(issuer, subject, now);
}

/** No change for another user's. Use it with `requireWayIn`, which keeps the last one. */
export function deleteIdentity(
  db: D1Database,
  { id, user_id }: Pick<Identity, "id" | "user_id">,
): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_identities WHERE user_id = ?1 AND id = ?2").bind(user_id, id);
}

export function deleteIdentitiesOf(db: D1Database, user_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_identities WHERE user_id = ?1").bind(user_id);
}
