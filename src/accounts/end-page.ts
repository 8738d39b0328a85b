import { notePageEnded } from "../pages/document/page-changes-store.ts";
import { deletePage } from "../pages/document/pages-store.ts";
import { deleteRemovedLinks } from "../pages/document/removed-links-store.ts";
import { deleteRevisions } from "../pages/document/revisions-store.ts";
import { restSlugs } from "../pages/document/slugs-store.ts";
import { deleteReadsOfPage } from "./notifications-store.ts";

/**
 * Deletes a page in D1, so that later flushes write nothing. Then call `startDelivery`: the page's
 * object deletes its data. Rejects, with no change, if D1 fails.
 */
export async function endPage(db: D1Database, page_id: string, now: number): Promise<void> {
  await db.batch([
    notePageEnded(db, page_id, now),
    deleteReadsOfPage(db, page_id),
    deleteRevisions(db, page_id),
    deleteRemovedLinks(db, page_id),
    ...restSlugs(db, page_id, now),
    deletePage(db, page_id),
  ]);
}
