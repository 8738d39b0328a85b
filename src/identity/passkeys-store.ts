/**
 * Passkeys: table `auth_passkeys`, which this file alone writes. Times are unix milliseconds. A user's
 * statements have the user's id as a condition, so other users' rows are as if absent.
 */
import { PASSKEYS_MAX } from "./limits.ts";

export interface Passkey {
  id: string;
  user_id: string;
  /** COSE in base64url. */
  public_key: string;
  /** Signatures so far; 0 for an authenticator that does not count. */
  counter: number;
  transports: string[];
  name: string;
  /** Whether the provider keeps a copy that outlives the device. */
  is_synced: boolean;
  created_at: number;
  used_at: number | null;
}

type Row = Omit<Passkey, "transports" | "is_synced"> & { transports: string; is_synced: number };

const COLUMNS =
  "id, user_id, public_key, counter, transports, name, is_synced, created_at, used_at";

function passkeyOf(row: Row): Passkey {
  return { ...row, transports: JSON.parse(row.transports), is_synced: row.is_synced === 1 };
}

/** Fails its whole batch where the user has `PASSKEYS_MAX` (the id is null then), or the id is taken. */
export function addPasskey(db: D1Database, passkey: Omit<Passkey, "used_at">): D1PreparedStatement {
  const { id, user_id, public_key, counter, transports, name, is_synced, created_at } = passkey;
  return db
    .prepare(
      `INSERT INTO auth_passkeys (${COLUMNS}) SELECT ?1,
         CASE WHEN (SELECT COUNT(*) FROM auth_passkeys WHERE user_id = ?2) < ${PASSKEYS_MAX} THEN ?2 END,
         ?3, ?4, ?5, ?6, ?7, ?8, NULL`,
    )
    .bind(
      ...[id, user_id, public_key, counter, JSON.stringify(transports), name],
      ...[is_synced ? 1 : 0, created_at],
    );
}

export async function findPasskey(db: D1Database, id: string): Promise<Passkey | null> {
  const row = await db
    .prepare(`SELECT ${COLUMNS} FROM auth_passkeys WHERE id = ?1`)
    .bind(id)
    .first<Row>();
  return row === null ? null : passkeyOf(row);
}

export async function listPasskeys(db: D1Database, user_id: string): Promise<Passkey[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM auth_passkeys WHERE user_id = ?1 ORDER BY created_at, id`)
    .bind(user_id)
    .all<Row>();
  return results.map(passkeyOf);
}

/** No change if the user has no such passkey. */
export function renamePasskey(
  db: D1Database,
  { id, user_id, name }: Pick<Passkey, "id" | "user_id" | "name">,
): D1PreparedStatement {
  return db
    .prepare("UPDATE auth_passkeys SET name = ?3 WHERE id = ?1 AND user_id = ?2")
    .bind(id, user_id, name);
}

/** No change for another user's. Use it with `requireWayIn`, which keeps the last one. */
export function deletePasskey(
  db: D1Database,
  { id, user_id }: Pick<Passkey, "id" | "user_id">,
): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_passkeys WHERE id = ?1 AND user_id = ?2").bind(id, user_id);
}

/**
 * Notes a sign-in. Fails its whole batch where the passkey was deleted meanwhile, or another sign-in had this
 * counter or a higher one. An UPDATE of no row would not fail; here the aggregate finds no `user_id` then, and the
 * column may not be null.
 */
export function notePasskeyUse(
  db: D1Database,
  {
    id,
    counter,
    is_synced,
    used_at,
  }: { id: string; counter: number; is_synced: boolean; used_at: number },
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO auth_passkeys (${COLUMNS})
       SELECT ?1, max(user_id), '', ?2, '', '', ?3, 0, ?4 FROM auth_passkeys
       WHERE id = ?1 AND (counter < ?2 OR (counter = 0 AND ?2 = 0))
       ON CONFLICT (id) DO UPDATE SET
         counter = excluded.counter, is_synced = excluded.is_synced, used_at = excluded.used_at`,
    )
    .bind(id, counter, is_synced ? 1 : 0, used_at);
}

export function deletePasskeys(db: D1Database, user_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_passkeys WHERE user_id = ?1").bind(user_id);
}
