/**
 * Compares the keys of the media bucket with the rows of D1, after a restore: what was uploaded after
 * the backup has no row, and what was deleted since has no content.
 */
import { endLostFiles } from "./restore-rows.ts";

const PREFIXES = { pictures: "pictures/", files: "files/" } as const;
/** Beside a picture, for contact cards; it has no row of its own. */
const CARD = /\.card\.jpg$/;

/** As many as R2 lists at once. */
const KEYS_PER_QUERY = 1_000;

export interface ComparedMedia {
  /** Where the next call begins; null at the end. */
  next: string | null;
  /** Keys in the bucket that D1 does not know. */
  without_row: string[];
  /** Keys that D1 knows, and the bucket does not have. Such files are ended; pictures are only told. */
  without_content: string[];
}

/**
 * Keys after this one, as many as the bucket lists at once. D1 is read first: a file that is uploaded in
 * between is in the bucket alone, and is not ended.
 */
export async function compareMedia(
  { DB, MEDIA }: Pick<Cloudflare.Env, "DB" | "MEDIA">,
  kind: keyof typeof PREFIXES,
  after: string,
): Promise<ComparedMedia> {
  const prefix = PREFIXES[kind];
  const rows = await keysOf(DB, kind, after);
  const list = await MEDIA.list({ prefix, ...(after === "" ? {} : { startAfter: after }) });
  // Both are in order; what is behind the end of either belongs to the next call.
  const ends = [
    ...(list.truncated ? list.objects.slice(-1).map(({ key }) => key) : []),
    ...(rows.length < KEYS_PER_QUERY ? [] : rows.slice(-1)),
  ].sort();
  const next = ends[0] ?? null;
  const isHere = (key: string) => next === null || key <= next;
  const known = new Set(rows.filter(isHere));
  const keys = list.objects.map(({ key }) => key).filter(isHere);
  const stored = new Set(keys.filter((key) => !CARD.test(key)));
  const without_content = [...known].filter((key) => !stored.has(key));
  if (kind === "files" && without_content.length > 0) {
    await endLostFiles(
      DB,
      without_content.map((key) => key.slice(prefix.length)),
    ).run();
  }
  return { next, without_row: [...stored].filter((key) => !known.has(key)), without_content };
}

/** The first keys after this one that D1 has, in order. */
async function keysOf(
  db: D1Database,
  kind: keyof typeof PREFIXES,
  after: string,
): Promise<string[]> {
  const prefix = PREFIXES[kind];
  const sql =
    kind === "pictures"
      ? "SELECT key FROM pictures WHERE key > ?1 AND uploaded_at IS NOT NULL ORDER BY key LIMIT ?2"
      : "SELECT file_id AS key FROM files WHERE file_id > ?1 AND state = 'ready' ORDER BY file_id LIMIT ?2";
  // A row of `files` has the key without its prefix.
  const cut = kind === "files" ? prefix.length : 0;
  const { results } = await db
    .prepare(sql)
    .bind(after.slice(cut), KEYS_PER_QUERY)
    .all<{ key: string }>();
  return results.map(({ key }) => prefix.slice(0, cut) + key);
}
