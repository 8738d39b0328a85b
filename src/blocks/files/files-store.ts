/**
 * The files that creators uploaded for downloads: tables `files` and `file_parts`, which only this file and
 * the trigger of deleted users write.
 *
 *   reserve ─▶ R2 upload ─▶ parts ─▶ complete: ready ─(owner, or user deleted)─▶ ended ─▶ R2 delete ─▶ no row
 *                             └─(24 h without a part)─▶ ended
 *
 * - A row reserves the file's size. It exists before R2 has anything and until R2 has deleted it, so R2 has
 *   no file without a row.
 * - `ended` is as if absent for everybody but the sweep.
 * - An owner cannot end a file that a page names, and a save fails if one of its files ended meanwhile: pages
 *   in D1 name only ready files of their owner.
 */
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import type { Link } from "../../pages/document/page-document.ts";
import type { Page } from "../../pages/document/pages-store.ts";
import type { Locale } from "../../views/locale.ts";
import { FILES_MAX, STALE_UPLOAD_HOURS } from "./limits.ts";

export interface StoredFile {
  file_id: string;
  owner_id: string;
  /** Given by its creator, without slashes, control and bidi characters. */
  name: string;
  /** A media type, given by its creator. */
  type: string;
  /** Size in bytes. */
  size: number;
  state: "uploading" | "ready";
  /** R2's multipart upload; null until there is one. */
  upload_id: string | null;
  /** R2's, with its quotes; null until the file is ready. */
  etag: string | null;
  created_at: number;
}

export interface StoredPart {
  n: number;
  etag: string;
}

const SELECT_FILE =
  "SELECT file_id, owner_id, name, type, size, state, upload_id, etag, created_at FROM files";

export function fileKey(file_id: string): string {
  return `files/${file_id}`;
}

/**
 * Reserves a new file's size in one statement. False past `bytes_max` of its owner's files or their
 * number, or if the owner was deleted.
 */
export async function reserveFile(
  db: D1Database,
  { file_id, owner_id, name, type, size }: Omit<StoredFile, "state" | "upload_id" | "etag">,
  bytes_max: number,
  now: number,
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `INSERT INTO files (file_id, owner_id, name, type, size, state, created_at, touched_at)
       SELECT ?1, ?2, ?3, ?4, ?5, 'uploading', ?7, ?7
       FROM (SELECT count(*) AS n, coalesce(sum(size), 0) AS bytes FROM files
             WHERE owner_id = ?2 AND state <> 'ended')
       WHERE n < ${FILES_MAX} AND bytes + ?5 <= ?6
         AND NOT EXISTS (SELECT 1 FROM deleted_users WHERE user_id = ?2)`,
    )
    .bind(file_id, owner_id, name, type, size, bytes_max, now)
    .run();
  return meta.changes > 0;
}

/** Notes R2's upload. False if the file ended meanwhile. */
export async function noteUpload(
  db: D1Database,
  file_id: string,
  upload_id: string,
): Promise<boolean> {
  const { meta } = await db
    .prepare("UPDATE files SET upload_id = ?2 WHERE file_id = ?1 AND state = 'uploading'")
    .bind(file_id, upload_id)
    .run();
  return meta.changes > 0;
}

export function findFile(
  db: D1Database,
  owner_id: string,
  file_id: string,
): Promise<StoredFile | null> {
  return db
    .prepare(`${SELECT_FILE} WHERE file_id = ?1 AND owner_id = ?2 AND state <> 'ended'`)
    .bind(file_id, owner_id)
    .first<StoredFile>();
}

export async function listFiles(db: D1Database, owner_id: string): Promise<StoredFile[]> {
  const { results } = await db
    .prepare(
      `${SELECT_FILE} WHERE owner_id = ?1 AND state <> 'ended'
       ORDER BY created_at DESC, file_id LIMIT ${FILES_MAX}`,
    )
    .bind(owner_id)
    .all<StoredFile>();
  return results;
}

/** Notes that R2 has a part; a repeated one replaces the first. False if the upload is over. */
export async function notePart(
  db: D1Database,
  file_id: string,
  { n, etag }: StoredPart,
  now: number,
): Promise<boolean> {
  const [, touched] = await db.batch([
    db
      .prepare(
        `INSERT INTO file_parts (file_id, n, etag)
         SELECT ?1, ?2, ?3 FROM files WHERE file_id = ?1 AND state = 'uploading'
         ON CONFLICT DO UPDATE SET etag = excluded.etag`,
      )
      .bind(file_id, n, etag),
    db
      .prepare("UPDATE files SET touched_at = ?2 WHERE file_id = ?1 AND state = 'uploading'")
      .bind(file_id, now),
  ]);
  return (touched?.meta.changes ?? 0) > 0;
}

export async function listParts(db: D1Database, file_id: string): Promise<StoredPart[]> {
  const { results } = await db
    .prepare("SELECT n, etag FROM file_parts WHERE file_id = ?1 ORDER BY n")
    .bind(file_id)
    .all<StoredPart>();
  return results;
}

/** Forgets parts that R2 does not take together; the client sends them again. */
export async function forgetParts(db: D1Database, file_id: string): Promise<void> {
  await db.prepare("DELETE FROM file_parts WHERE file_id = ?1").bind(file_id).run();
}

/** Notes that R2 has the whole file. False if it ended meanwhile. */
export async function noteReady(db: D1Database, file_id: string, etag: string): Promise<boolean> {
  const [noted] = await db.batch([
    db
      .prepare(
        "UPDATE files SET state = 'ready', etag = ?2 WHERE file_id = ?1 AND state <> 'ended'",
      )
      .bind(file_id, etag),
    db.prepare("DELETE FROM file_parts WHERE file_id = ?1").bind(file_id),
  ]);
  return (noted?.meta.changes ?? 0) > 0;
}

/** Ends a file, unless a page of its owner names it, also a deleted one that can be restored. */
export async function endFile(
  db: D1Database,
  owner_id: string,
  file_id: string,
): Promise<"ended" | "in_use" | "absent"> {
  const [ended, left] = await db.batch([
    db
      .prepare(
        // The id is random enough to be searched as a text.
        `UPDATE files SET state = 'ended'
         WHERE file_id = ?1 AND owner_id = ?2 AND state <> 'ended' AND NOT EXISTS (
           SELECT 1 FROM pages WHERE owner_id = ?2 AND instr(document, ?1) > 0)`,
      )
      .bind(file_id, owner_id),
    db
      .prepare("SELECT 1 FROM files WHERE file_id = ?1 AND owner_id = ?2 AND state <> 'ended'")
      .bind(file_id, owner_id),
  ]);
  if ((ended?.meta.changes ?? 0) > 0) return "ended";
  return (left?.results.length ?? 0) > 0 ? "in_use" : "absent";
}

/** Those of these files that a page of this owner may name (docs/security.md S22). */
export async function findReadyFiles(
  db: D1Database,
  owner_id: string,
  file_ids: readonly string[],
): Promise<Set<string>> {
  const { results } = await db
    .prepare(
      `SELECT file_id FROM files
       WHERE file_id IN (SELECT value FROM json_each(?2)) AND owner_id = ?1 AND state = 'ready'`,
    )
    .bind(owner_id, JSON.stringify(file_ids))
    .all<{ file_id: string }>();
  return new Set(results.map(({ file_id }) => file_id));
}

/**
 * A statement of the transaction of the save `save_id`, after the one that writes the page: if a file
 * has ended since {@link findReadyFiles}, the transaction fails.
 */
export function requireReadyFiles(
  db: D1Database,
  owner_id: string,
  file_ids: readonly string[],
  { page_id, save_id }: { page_id: string; save_id: string },
): D1PreparedStatement {
  // The columns refuse a row without an owner.
  return db
    .prepare(
      `INSERT INTO files (file_id, owner_id, name, type, size, state, created_at, touched_at)
       SELECT wanted.value, NULL, '', '', 0, 'ended', 0, 0 FROM json_each(?2) AS wanted
       WHERE EXISTS (SELECT 1 FROM pages WHERE page_id = ?3 AND save_id = ?4)
         AND NOT EXISTS (SELECT 1 FROM files
                         WHERE file_id = wanted.value AND owner_id = ?1 AND state = 'ready')`,
    )
    .bind(owner_id, JSON.stringify(file_ids), page_id, save_id);
}

export interface OfferedFile extends Pick<Page, "owner_id" | "slug" | "status" | "ends_at"> {
  locale: Locale;
  link: Link | null;
  /** Null if the owner has no such file, or it is not complete. */
  file: Pick<StoredFile, "name" | "type" | "size" | "etag"> | null;
}

/** All that a download needs, in one read; null for an unknown page. */
export async function findOffered(
  db: D1Database,
  { page_id, link_id, file_id }: { page_id: string; link_id: string; file_id: string },
): Promise<OfferedFile | null> {
  const row = await db
    .prepare(
      `SELECT pages.owner_id, slug, status, ends_at, locale,
         (SELECT value FROM json_each(document, '$.links') WHERE value ->> 'link_id' = ?2) AS link,
         CASE WHEN files.file_id IS NOT NULL THEN
           json_object('name', files.name, 'type', type, 'size', size, 'etag', etag) END AS file
       FROM pages LEFT JOIN files
         ON files.file_id = ?3 AND files.owner_id = pages.owner_id AND state = 'ready'
       WHERE page_id = ?1`,
    )
    .bind(page_id, link_id, file_id)
    .first<Omit<OfferedFile, "link" | "file"> & { link: string | null; file: string | null }>();
  if (row === null) return null;
  const parsed = <T>(json: string | null) => (json === null ? null : (JSON.parse(json) as T));
  return { ...row, link: parsed(row.link), file: parsed(row.file) };
}

/**
 * Ends uploads idle for a day. Returns up to `limit` ended files, to be deleted from R2, then here.
 */
export async function endStaleFiles(
  db: D1Database,
  limit: number,
  now: number,
): Promise<Pick<StoredFile, "file_id" | "upload_id">[]> {
  const [, ended] = await db.batch<Pick<StoredFile, "file_id" | "upload_id">>([
    db
      .prepare(
        `UPDATE files SET state = 'ended'
         WHERE file_id IN (SELECT file_id FROM files WHERE state = 'uploading' AND touched_at <= ?1
                           ORDER BY touched_at LIMIT ?2)`,
      )
      .bind(now - STALE_UPLOAD_HOURS * HOUR_MS, limit),
    db.prepare("SELECT file_id, upload_id FROM files WHERE state = 'ended' LIMIT ?1").bind(limit),
  ]);
  return ended?.results ?? [];
}

export async function deleteEndedFiles(db: D1Database, file_ids: readonly string[]): Promise<void> {
  const ids = JSON.stringify(file_ids);
  await db.batch([
    db
      .prepare("DELETE FROM file_parts WHERE file_id IN (SELECT value FROM json_each(?1))")
      .bind(ids),
    db
      .prepare(
        "DELETE FROM files WHERE file_id IN (SELECT value FROM json_each(?1)) AND state = 'ended'",
      )
      .bind(ids),
  ]);
}
