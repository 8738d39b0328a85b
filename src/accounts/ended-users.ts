/**
 * Users whom the account hub deleted: what that does in D1, and the fact itself outside of D1, as of pages that
 * ended (`ended-pages.ts`): a backup that is restored may be of a time before.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { UNDO_MINUTES } from "../http/limits.ts";
import { notePagesChangedOf } from "../pages/page-changes-store.ts";
import { endPagesOf } from "../pages/pages-store.ts";
import { addRevisionsOf } from "../pages/revisions-store.ts";
import { noteAccountChanged, noteUserDeleted } from "./accounts-store.ts";
import { deleteNotifications } from "./notifications-store.ts";

const PREFIX = "ended-user:";
/** Longer than a backup is held (src/backup/kept-backups.ts). The objects of their pages remember for ever. */
const KEPT_S = (95 * DAY_MS) / SECOND_MS;

/** To be called before the user's rows are changed. */
export function rememberEndedUser(KV: KVNamespace, user_id: string): Promise<void> {
  return KV.put(PREFIX + user_id, "", { expirationTtl: KEPT_S });
}

/**
 * The statements of one transaction: the user's sessions, notifications and pages end, the pages as if their owner
 * deleted them: the cron ends them half an hour later.
 */
export function endUser(db: D1Database, user_id: string, now: number): D1PreparedStatement[] {
  const save_id = crypto.randomUUID();
  return [
    noteAccountChanged(db, user_id),
    noteUserDeleted(db, user_id),
    ...deleteNotifications(db, user_id),
    endPagesOf(db, user_id, now + UNDO_MINUTES * MINUTE_MS, save_id, now),
    addRevisionsOf(db, user_id, save_id, "deleted", now),
    notePagesChangedOf(db, user_id, now),
  ];
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
