/** Recovery codes, each for one use: table `auth_recovery_codes`, which this file alone writes. */
import { RECOVERY_CODES } from "./limits.ts";
import { hashOf } from "./tokens.ts";

/** Crockford's base32: no letter looks like another. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 80 bits: too many to guess, even with a copy of the hashes. */
const CODE_LETTERS = 16;

/** Ten new codes as they are shown: `7K3M-…` */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const bytes = crypto.getRandomValues(new Uint8Array(CODE_LETTERS));
    const letters = Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join("");
    return letters.replace(/.{4}(?=.)/g, "$&-");
  });
}

/** Accepts a code as people type it: spaces, dashes, any case, letters that look like digits. */
export function recoveryCodeHash(typed: string): Promise<string> {
  const letters = typed
    .toUpperCase()
    .replace(/[\s-]/g, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
  return hashOf(letters);
}

/**
 * Replaces the user's codes. New ones are later whatever the clocks say: the first statement gives
 * `made_at`.
 */
export async function replaceRecoveryCodes(
  db: D1Database,
  user_id: string,
  codes: readonly string[],
  now: number,
): Promise<D1PreparedStatement[]> {
  const hashes = await Promise.all(codes.map(recoveryCodeHash));
  return [
    db
      .prepare(
        `INSERT INTO auth_recovery_codes (hash, user_id, made_at)
         SELECT value, ?1, max(?2, 1 + COALESCE(
           (SELECT max(made_at) FROM auth_recovery_codes WHERE user_id = ?1), 0)) FROM json_each(?3)
         RETURNING made_at`,
      )
      .bind(user_id, now, JSON.stringify(hashes)),
    db
      .prepare(
        `DELETE FROM auth_recovery_codes WHERE user_id = ?1
           AND made_at < (SELECT max(made_at) FROM auth_recovery_codes WHERE user_id = ?1)`,
      )
      .bind(user_id),
  ];
}

/** Null for an unknown or used code. */
export async function findRecoveryCode(
  db: D1Database,
  hash: string,
): Promise<{ user_id: string; made_at: number } | null> {
  return db
    .prepare("SELECT user_id, made_at FROM auth_recovery_codes WHERE hash = ?1")
    .bind(hash)
    .first<{ user_id: string; made_at: number }>();
}

export async function countRecoveryCodes(db: D1Database, user_id: string): Promise<number> {
  const n = await db
    .prepare("SELECT COUNT(*) AS n FROM auth_recovery_codes WHERE user_id = ?1")
    .bind(user_id)
    .first<number>("n");
  return n ?? 0;
}

export function deleteRecoveryCode(db: D1Database, hash: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_recovery_codes WHERE hash = ?1").bind(hash);
}

export function deleteRecoveryCodesOf(db: D1Database, user_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_recovery_codes WHERE user_id = ?1").bind(user_id);
}
