/** The end of a page: its rows in D1, of which its owner's marks on notifications are some. */
import { notePageEnded } from "../pages/page-changes-store.ts";
import { deletePage } from "../pages/pages-store.ts";
import { forgetReadsOfPage } from "./notifications-store.ts";

/**
 * Ends a page for good in D1: its row is gone, and so is what its flushes could still write. Call
 * `startDelivery` after it, which has its object forget everything. Rejects, and has changed nothing, if D1 fails.
 */
export async function endPage(db: D1Database, page_id: string, now: number): Promise<void> {
  await db.batch([
    notePageEnded(db, page_id, now),
    forgetReadsOfPage(db, page_id),
    deletePage(db, page_id),
  ]);
}
