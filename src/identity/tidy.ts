import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../objects/platform/clock.ts";
import type { Box } from "./box.ts";
import { endUserNow } from "./end-user.ts";
import { deleteOldEnded } from "./ended.ts";
import { deleteExpiredLinks } from "./links-store.ts";
import { deleteExpiredMailCodes } from "./mail-codes-store.ts";
import { noteUse } from "./note-use.ts";
import { deleteExpiredSessions } from "./sessions-store.ts";
import { deleteExpiredUsed, listUnnoted } from "./used-store.ts";
import { endDeletedUsers, listEndedUsers } from "./users-store.ts";

const USERS_MAX = 20;
const NOTES_MAX = 100;

/** @param now unix milliseconds */
export async function tidy(box: Box, now: number): Promise<void> {
  const { DB, MEDIA } = box;
  for (const { kind, hash } of await listUnnoted(DB, NOTES_MAX)) {
    if (kind !== "challenge") await noteUse(box, kind, hash, now);
  }
  await endDeletedUsers(DB, now - HOUR_MS, now).run();
  for (const user_id of await listEndedUsers(DB, now, USERS_MAX))
    await endUserNow(box, user_id, now);
  await DB.batch([
    deleteExpiredSessions(DB, now),
    deleteExpiredLinks(DB, now),
    deleteExpiredUsed(DB, now),
    deleteExpiredMailCodes(DB, now),
  ]);
  if (now % DAY_MS < MINUTE_MS) await deleteOldEnded(MEDIA, now);
}
