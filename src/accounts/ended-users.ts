import { MINUTE_MS } from "../../objects/platform/clock.ts";
import { UNDO_MINUTES } from "../pages/document/limits.ts";
import { notePagesChangedOf } from "../pages/document/page-changes-store.ts";
import { endPagesOf } from "../pages/document/pages-store.ts";
import { addRevisionsOf } from "../pages/document/revisions-store.ts";
import { noteAccountChanged, noteUserDeleted } from "./accounts-store.ts";
import { deleteNotifications } from "./notifications-store.ts";

/** One transaction. Pages are as if deleted by their owner: the cron ends them half an hour later. */
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
