/**
 * Users whom the account hub deleted, remembered outside of D1, as pages that ended are
 * (`ended-pages.ts`): a backup that is restored may be of a time before.
 */
import { DAY_MS, SECOND_MS } from "../../objects/platform/clock.ts";

const PREFIX = "ended-user:";
/** Longer than a backup is held (src/backup/kept-backups.ts). The objects of their pages remember for ever. */
const KEPT_S = (95 * DAY_MS) / SECOND_MS;

/** To be called before the user's rows are changed. */
export function rememberEndedUser(KV: KVNamespace, user_id: string): Promise<void> {
  return KV.put(PREFIX + user_id, "", { expirationTtl: KEPT_S });
}

/** Which of these users have ended. */
export function whichUsersEnded(KV: KVNamespace, user_ids: readonly string[]): Promise<string[]> {
  return whichRemembered(KV, PREFIX, user_ids);
}

/** Keys of one call of KV. */
const KEYS_MAX = 100;

/** Which of these ids have a key with this prefix. */
export async function whichRemembered(
  KV: KVNamespace,
  prefix: string,
  ids: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < ids.length; from += KEYS_MAX) {
    const some = ids.slice(from, from + KEYS_MAX);
    const values = await KV.get(some.map((id) => prefix + id));
    found.push(...some.filter((id) => values.get(prefix + id) !== null));
  }
  return found;
}
