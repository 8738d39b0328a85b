/**
 * Every save of a page: table `revisions`, which only this file writes, in the transaction of the
 * save. The page's object has the totals at each of them (`objects/page/page-object.ts`).
 */
import { DAY_MS } from "../../../objects/platform/clock.ts";
import { REVISION_BYTES_MAX, REVISION_DAYS, REVISIONS_KEPT, REVISIONS_MAX } from "./limits.ts";
import type { PageDocument } from "./page-document.ts";
import type { Page } from "./pages-store.ts";

export const CHANGES = [
  "created",
  "imported",
  "restored",
  "deleted",
  "undeleted",
  "suspended",
  "reinstated",
  "slug",
  "status",
  "locales",
  "time_zone",
  "indexed",
  "name",
  "bio",
  "avatar",
  "contact",
  "look",
  "links",
] as const;
export type Change = (typeof CHANGES)[number];

export interface Revision {
  version: number;
  saved_at: number;
  what: Change[];
}

const BYTES = "length(CAST(document AS BLOB))";

/** Stores the save's revision and deletes what is too old. Stores nothing if it was not made. */
export function addRevision(
  db: D1Database,
  page_id: string,
  save_id: string,
  what: readonly Change[],
  now: number,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT INTO revisions (page_id, version, saved_at, what, slug, status, bytes, document)
         SELECT page_id, version, ?3, ?4, slug, status, ${BYTES}, document
         FROM pages WHERE page_id = ?1 AND save_id = ?2`,
      )
      .bind(page_id, save_id, now, JSON.stringify(what)),
    db
      .prepare(
        `DELETE FROM revisions WHERE page_id = ?1 AND version IN (
           SELECT version FROM (
             SELECT version, saved_at, row_number() OVER newest AS place,
               sum(bytes) OVER newest AS bytes
             FROM revisions WHERE page_id = ?1 WINDOW newest AS (ORDER BY version DESC))
           WHERE place > ${REVISIONS_KEPT}
             AND (place > ${REVISIONS_MAX} OR saved_at < ?2 OR bytes > ${REVISION_BYTES_MAX}))`,
      )
      .bind(page_id, now - REVISION_DAYS * DAY_MS),
  ];
}

/** One save may change all pages of a user. */
export function addRevisionsOf(
  db: D1Database,
  owner_id: string,
  save_id: string,
  what: Change,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO revisions (page_id, version, saved_at, what, slug, status, bytes, document)
       SELECT page_id, version, ?3, ?4, slug, status, ${BYTES}, document
       FROM pages WHERE owner_id = ?1 AND save_id = ?2`,
    )
    .bind(owner_id, save_id, now, JSON.stringify([what]));
}

interface RevisionRow extends Omit<Revision, "what"> {
  what: string;
}

export async function listRevisions(
  db: D1Database,
  page_id: string,
  before: number,
  limit: number,
): Promise<Revision[]> {
  const { results } = await db
    .prepare(
      `SELECT version, saved_at, what FROM revisions
       WHERE page_id = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3`,
    )
    .bind(page_id, before, limit)
    .all<RevisionRow>();
  return results.map(({ what, ...row }) => ({ ...row, what: JSON.parse(what) as Change[] }));
}

export interface StoredRevision extends Revision, Pick<Page, "slug" | "status"> {
  document: PageDocument;
}

export async function findRevision(
  db: D1Database,
  page_id: string,
  version: number,
): Promise<StoredRevision | null> {
  const row = await db
    .prepare(
      `SELECT version, saved_at, what, slug, status, document FROM revisions
       WHERE page_id = ?1 AND version = ?2`,
    )
    .bind(page_id, version)
    .first<Record<"what" | "document", string> & Omit<StoredRevision, "what" | "document">>();
  if (row === null) return null;
  return {
    ...row,
    what: JSON.parse(row.what) as Change[],
    document: JSON.parse(row.document) as PageDocument,
  };
}

/** Belongs into the transaction that deletes the page. */
export function deleteRevisions(db: D1Database, page_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM revisions WHERE page_id = ?1").bind(page_id);
}
