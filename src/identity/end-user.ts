import { addEvent } from "../accounts/account-events-store.ts";
import { addAct } from "./acts-store.ts";
import { endPoints } from "./books-store.ts";
import type { Box } from "./box.ts";
import { noteEnded } from "./ended.ts";
import { deleteIdentitiesOf } from "./identities-store.ts";
import { deleteLinksTo } from "./links-store.ts";
import { deletePasskeys } from "./passkeys-store.ts";
import { deleteRecoveryCodesOf } from "./recovery-codes-store.ts";
import { deleteSessionsOf } from "./sessions-store.ts";
import { deleteUser, findUser, requireEnded } from "./users-store.ts";

/** Deletes all of the account with its points, and tells the service, which ends its pages. */
export async function endUserNow({ DB, MEDIA }: Box, user_id: string, now: number): Promise<void> {
  const user = await findUser(DB, user_id);
  if (user?.ends_at == null || user.ends_at > now) return;
  await noteEnded(MEDIA, "sessions_of", user_id, now);
  await DB.batch([
    requireEnded(DB, user_id, now),
    addAct(DB, "deleted", user, user, now),
    addEvent(DB, { type: "user.deleted", data: { user_id } }, now),
    ...endPoints(DB, user_id, now),
    deleteSessionsOf(DB, user_id),
    deletePasskeys(DB, user_id),
    deleteIdentitiesOf(DB, user_id),
    deleteRecoveryCodesOf(DB, user_id),
    deleteLinksTo(DB, user_id),
    deleteUser(DB, user_id),
  ]);
}
