/**
 * The pictures that creators uploaded: table `pictures`, which only this file and the trigger of
 * deleted pages write.
 *
 *   reserve ─▶ R2 put ─▶ confirm ─▶ used by its page ⇄ unused ─(a day)─▶ ended ─▶ R2 delete ─▶ no row
 *
 * - A row is reserved before the put and deleted after the delete, so R2 has no picture without a row.
 * - `unused_since` is the time since when no document names the picture, and `NULL` while one does. A
 *   save sets it in its own transaction, so pictures in use need no further check.
 * - 0 means ended: R2 may have lost the picture already. An ended row is as if absent for saves and is
 *   never used again; an upload of the same picture has to wait until it is deleted.
 */
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import { picturePrefix } from "../../pages/document/picture-keys.ts";
import { PICTURES_MAX, UNUSED_PICTURE_HOURS } from "./limits.ts";
import type { PictureType } from "./picture-header.ts";

export interface StoredPicture {
  /** The key in R2: the page's id and the hash of the content. */
  key: string;
  page_id: string;
  type: PictureType;
  bytes: number;
  width: number;
  height: number;
}

/** Whether R2 has the picture, and it has not ended. */
export async function hasPicture(db: D1Database, key: string): Promise<boolean> {
  const found = await db
    .prepare(
      "SELECT 1 FROM pictures WHERE key = ?1 AND uploaded_at IS NOT NULL AND unused_since IS NOT 0",
    )
    .bind(key)
    .first();
  return found !== null;
}

/** The size of a picture with this `pictureName` on a page of this user, or null. */
export async function findOwnPicture(
  db: D1Database,
  owner_id: string,
  name: string,
): Promise<Pick<StoredPicture, "width" | "height"> | null> {
  return db
    .prepare(
      `SELECT width, height FROM pages CROSS JOIN pictures
         ON key = 'pictures/' || pages.page_id || '/' || ?2
       WHERE owner_id = ?1 AND uploaded_at IS NOT NULL AND unused_since IS NOT 0 LIMIT 1`,
    )
    .bind(owner_id, name)
    .first();
}

/**
 * Reserves a row, or renews the page's own for another day. `full`: the page has as many pictures as
 * it may have. `ended`: the same picture is just being deleted.
 */
export async function reservePicture(
  db: D1Database,
  { key, page_id, type, bytes, width, height }: StoredPicture,
  now: number,
): Promise<"reserved" | "full" | "ended"> {
  const [, found] = await db.batch<{ unused_since: number | null }>([
    db
      .prepare(
        `INSERT INTO pictures (key, page_id, type, bytes, width, height, uploaded_at, unused_since)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, NULL, ?7
         WHERE EXISTS (SELECT 1 FROM pictures WHERE key = ?1)
           OR (SELECT count(*) FROM pictures WHERE page_id = ?2) < ${PICTURES_MAX}
         ON CONFLICT (key) DO UPDATE SET unused_since = max(unused_since, excluded.unused_since)
           WHERE unused_since > 0`,
      )
      .bind(key, page_id, type, bytes, width, height, now),
    db.prepare("SELECT unused_since FROM pictures WHERE key = ?1").bind(key),
  ]);
  const row = found?.results[0];
  if (row === undefined) return "full";
  return row.unused_since === 0 ? "ended" : "reserved";
}

/** Notes that R2 has the picture. `ended`: its page ended in the meantime. */
export async function confirmPicture(
  db: D1Database,
  key: string,
  now: number,
): Promise<"new" | "known" | "ended"> {
  const [written, found] = await db.batch([
    db
      .prepare(
        `UPDATE pictures SET uploaded_at = ?2
         WHERE key = ?1 AND uploaded_at IS NULL AND unused_since IS NOT 0`,
      )
      .bind(key, now),
    db.prepare("SELECT 1 FROM pictures WHERE key = ?1 AND unused_since IS NOT 0").bind(key),
  ]);
  if (found?.results.length !== 1) return "ended";
  return written?.meta.changes === 1 ? "new" : "known";
}

/**
 * Those of these keys that the page's document may name: uploads for this page (docs/security.md S22),
 * and keys that it has named since before uploads existed.
 */
export async function findPictures(
  db: D1Database,
  page_id: string,
  keys: readonly string[],
): Promise<Set<string>> {
  const { results } = await db
    .prepare(
      `SELECT wanted.value AS key FROM json_each(?2) AS wanted
       WHERE EXISTS (SELECT 1 FROM pictures WHERE key = wanted.value AND page_id = ?1
                       AND uploaded_at IS NOT NULL AND unused_since IS NOT 0)
         OR (wanted.value NOT GLOB 'pictures/*' AND EXISTS (
           SELECT 1 FROM pages WHERE page_id = ?1 AND (document ->> '$.avatar' = wanted.value
             OR EXISTS (SELECT 1 FROM json_each(document, '$.links') AS link
                        WHERE link.value ->> 'image' = wanted.value))))`,
    )
    .bind(page_id, JSON.stringify(keys))
    .all<{ key: string }>();
  return new Set(results.map(({ key }) => key));
}

/**
 * Notes which pictures a saved document uses: a statement of the transaction of the save `save_id`,
 * after the one that writes the page. If a picture has ended since {@link findPictures}, the whole
 * transaction fails.
 *
 * @param keys all keys in the document; those that are no upload of this page are ignored
 * @param now unix milliseconds
 */
export function touchPictures(
  db: D1Database,
  page_id: string,
  keys: readonly string[],
  save_id: string,
  now: number,
): D1PreparedStatement {
  const prefix = picturePrefix(page_id);
  const used = JSON.stringify(keys.filter((key) => key.startsWith(prefix)));
  // A missing picture has no type, which the column refuses. A save that came second is not in `saved`.
  return db
    .prepare(
      `WITH used AS (SELECT DISTINCT value AS key FROM json_each(?2)),
         saved AS (SELECT 1 FROM pages WHERE page_id = ?1 AND save_id = ?3)
       INSERT INTO pictures (key, page_id, type, bytes, width, height, uploaded_at, unused_since)
       SELECT used.key, ?1, type, bytes, width, height, uploaded_at, NULL
       FROM used LEFT JOIN pictures ON pictures.key = used.key AND pictures.page_id = ?1
         AND uploaded_at IS NOT NULL AND unused_since IS NOT 0
       WHERE EXISTS (SELECT 1 FROM saved)
       UNION ALL
       SELECT key, page_id, type, bytes, width, height, uploaded_at, ?4
       FROM pictures
       WHERE page_id = ?1 AND unused_since IS NULL AND key NOT IN (SELECT key FROM used)
         AND EXISTS (SELECT 1 FROM saved)
       ON CONFLICT (key) DO UPDATE SET unused_since = excluded.unused_since
         WHERE unused_since IS NOT excluded.unused_since`,
    )
    .bind(page_id, used, save_id, now);
}

/**
 * Ends pictures that no document has named for a day. Returns up to `limit` ended ones, to be deleted
 * from R2 and then here. The document is asked too: an outdated row ends no picture in use.
 */
export async function endUnusedPictures(
  db: D1Database,
  limit: number,
  now: number,
): Promise<string[]> {
  const [, ended] = await db.batch<{ key: string }>([
    db
      .prepare(
        // The key is random enough to be searched as a text, whichever member of the document has it.
        `UPDATE pictures SET unused_since = CASE WHEN EXISTS (
             SELECT 1 FROM pages WHERE pages.page_id = pictures.page_id
               AND instr(pages.document, pictures.key) > 0) THEN NULL ELSE 0 END
         WHERE key IN (SELECT key FROM pictures WHERE unused_since > 0 AND unused_since <= ?1
                       ORDER BY unused_since LIMIT ?2)`,
      )
      .bind(now - UNUSED_PICTURE_HOURS * HOUR_MS, limit),
    db.prepare("SELECT key FROM pictures WHERE unused_since = 0 LIMIT ?1").bind(limit),
  ]);
  return (ended?.results ?? []).map(({ key }) => key);
}

export async function deleteEndedPictures(db: D1Database, keys: readonly string[]): Promise<void> {
  await db
    .prepare(
      "DELETE FROM pictures WHERE key IN (SELECT value FROM json_each(?1)) AND unused_since = 0",
    )
    .bind(JSON.stringify(keys))
    .run();
}
