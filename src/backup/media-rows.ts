/**
 * Compares the keys of the media bucket with the rows of D1, after a restore: what was uploaded after
 * the backup has no row, and what was deleted since has no content.
 */
import { endLostFiles } from "./restore-rows.ts";

const PREFIXES = { pictures: "pictures/", files: "files/" } as const;
/** Beside a picture, for contact cards; it has no row of its own. */
const CARD = /\.card\.jpg$/;

export interface ComparedMedia {
  /** Where the next call begins; null at the end. */
  next: string | null;
  /** Keys in the bucket that D1 does not know. */
  without_row: string[];
  /** Keys that D1 knows, and the bucket does not have. Such files are ended; pictures are only told. */
  without_content: string[];
}

/** Keys after this one, as many as the bucket lists at once. */
export async function compareMedia(
  { DB, MEDIA }: Pick<Cloudflare.Env, "DB" | "MEDIA">,
  kind: keyof typeof PREFIXES,
  after: string,
): Promise<ComparedMedia> {
  const prefix = PREFIXES[kind];
  const list = await MEDIA.list({ prefix, ...(after === "" ? {} : { startAfter: after }) });
  const next = list.truncated ? (list.objects.at(-1)?.key ?? null) : null;
  const stored = new Set(list.objects.map(({ key }) => key).filter((key) => !CARD.test(key)));
  const known = new Set(await keysOf(DB, kind, after, next));
  const without_content = [...known].filter((key) => !stored.has(key));
  if (kind === "files" && without_content.length > 0) {
    await endLostFiles(
      DB,
      without_content.map((key) => key.slice(prefix.length)),
    ).run();
  }
  return { next, without_row: [...stored].filter((key) => !known.has(key)), without_content };
}

/** The keys that D1 has after `from` and up to `to`, or all after it. */
async function keysOf(
  db: D1Database,
  kind: keyof typeof PREFIXES,
  from: string,
  to: string | null,
): Promise<string[]> {
  const prefix = PREFIXES[kind];
  const sql =
    kind === "pictures"
      ? "SELECT key FROM pictures WHERE key > ?1 AND key <= ?2 AND uploaded_at IS NOT NULL"
      : "SELECT file_id AS key FROM files WHERE file_id > ?1 AND file_id <= ?2 AND state = 'ready'";
  // A row of `files` has the key without its prefix. Keys are ASCII, and `~` is the last of it.
  const cut = kind === "files" ? prefix.length : 0;
  const range = [from, to ?? `${prefix}~`].map((key) => key.slice(cut));
  const { results } = await db
    .prepare(sql)
    .bind(...range)
    .all<{ key: string }>();
  return results.map(({ key }) => prefix.slice(0, cut) + key);
}
