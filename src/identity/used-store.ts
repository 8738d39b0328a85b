/**
 * What works once and was used: table `auth_used`, which this file alone writes. By its primary key the later of two
 * concurrent uses fails with its whole batch.
 */

import { CLOCK_SKEW_MS } from "./limits.ts";

/** `setup` never ends: the first owner's code works once for all. A removed way in is used up. */
export type UsedKind = "challenge" | "link" | "code" | "passkey" | "identity" | "email" | "setup";

/** Part of the batch that the use is for; `user_id` gets in by it. */
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
 * Whether a batch failed because its code was used, or somebody was faster: a passkey, an address or an issuer's
 * account is taken or gone by now, or the last way in.
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

/** Makes it usable again: its user proves the address anew. */
export function forgetUse(db: D1Database, kind: "email", hash: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_used WHERE key = ?1").bind(keyOf(kind, hash));
}

export function setNoted(db: D1Database, kind: UsedKind, hash: string): D1PreparedStatement {
  return db.prepare("UPDATE auth_used SET is_noted = 1 WHERE key = ?1").bind(keyOf(kind, hash));
}

/** Uses whose request ended before R2 had the note. */
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
