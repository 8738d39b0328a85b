/**
 * Lasting ways in: passkeys, a proven address where mail works, and accounts of set issuers. Recovery codes do not
 * count: they run out.
 */

/** Ways in besides passkeys that work with today's settings. */
export interface UsableWays {
  has_mail: boolean;
  /** Addresses of issuers. */
  issuers: readonly string[];
}

/** Whether the user `?1` has a way in; `?2` and `?3` are `usableValues`. */
export const HAS_A_WAY_IN = `(
  EXISTS (SELECT 1 FROM auth_passkeys WHERE user_id = ?1)
  OR (email IS NOT NULL AND ?2 = 1)
  OR EXISTS (SELECT 1 FROM auth_identities
             WHERE user_id = ?1 AND issuer IN (SELECT value FROM json_each(?3))))`;

export function usableValues({
  has_mail,
  issuers,
}: UsableWays): [has_mail: number, issuers: string] {
  return [has_mail ? 1 : 0, JSON.stringify(issuers)];
}
