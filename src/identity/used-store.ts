/**
 * What works once and was used: table `auth_used`, which this file alone writes. Its primary key decides among two uses
 * at once: the later one fails with its whole batch.
 */

import { CLOCK_SKEW_MS } from "./limits.ts";

/** `setup` has no end: the code of a first owner never works again. A way in is used up when it is removed. */
export type UsedKind = "challenge" | "link" | "code" | "passkey" | "identity" | "email" | "setup";

/** In the batch of what the use does. The user is the one who gets in by it. */
export function use(
  db: D1Database,
  kind: UsedKind,
  hash: string,
  user_id: string,
  expires_at: number | null,
): D1PreparedStatement {
  return db
    .prepare("INSERT INTO auth_used (key, user_id, expires_at, is_noted) VALUES (?1, ?2, ?3, ?4)")
    .bind(keyOf(kind, hash), user_id, expires_at, kind === "challenge" ? 1 : 0);
}

/**
 * Whether a batch failed because what it uses was used before, or because somebody was faster: a passkey, an address or
 * an account of an issuer is somebody's now, or nobody's any more,
 * or the last way in.
 */
export function isUseRefused(error: unknown): boolean {
  return (
    error instanceof Error &&
    /UNIQUE constraint failed: auth_(?:used|passkeys|users|identities)\b|NOT NULL constraint failed: auth_(?:passkeys|users|identities)\b/.test(
      error.message,
    )
  );
}

export async function isUsed(db: D1Database, kind: UsedKind, hash: string): Promise<boolean> {
  const row = await db
    .prepare("SELECT 1 FROM auth_used WHERE key = ?1")
    .bind(keyOf(kind, hash))
    .first();
  return row !== null;
}

/** It can be used again, as an address that its user proves anew. */
export function forgetUse(db: D1Database, kind: "email", hash: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_used WHERE key = ?1").bind(keyOf(kind, hash));
}

/** R2 knows of it from now on. */
export function setNoted(db: D1Database, kind: UsedKind, hash: string): D1PreparedStatement {
  return db.prepare("UPDATE auth_used SET is_noted = 1 WHERE key = ?1").bind(keyOf(kind, hash));
}

/** What was used by a request that ended before R2 knew of it. */
export async function listUnnoted(
  db: D1Database,
  limit: number,
): Promise<{ kind: UsedKind; hash: string }[]> {
  const { results } = await db
    .prepare("SELECT key FROM auth_used WHERE is_noted = 0 LIMIT ?1")
    .bind(limit)
    .all<{ key: string }>();
  return results.map(({ key }) => {
    const [kind = "", hash = ""] = key.split("/");
    return { kind: kind as UsedKind, hash };
  });
}

/** Deletes what has ended, also by the slowest clock that may judge it. */
export function deleteExpiredUsed(db: D1Database, now: number): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_used WHERE expires_at <= ?1").bind(now - CLOCK_SKEW_MS);
}

function keyOf(kind: UsedKind, hash: string): string {
  return `${kind}/${hash}`;
}
