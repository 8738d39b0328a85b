/**
 * Reads the rows of one part of a backup: of the tables of D1, and of the databases of statistics, by
 * their keys, and subscribers from their objects.
 */

import type { Cursor } from "./backups-store.ts";
import type { BackedTable } from "./tables.ts";
import { databaseOf, SUBSCRIBERS, sourceAfter, tableOf } from "./tables.ts";

/** Characters of a part, before it is compressed; its last query may bring it 26 MB further. */
const PART_CHARS = 4_194_304;
/** Subscribers of one call: each has up to 2 KB with the hashes of its tokens. */
export const SUBSCRIBERS_PER_CALL = 500;
/** Newsletters that one query lists. */
const NEWSLETTERS_PER_QUERY = 50;

export interface PartRows {
  source: string;
  /** JSON, one a row. */
  lines: string[];
  /** Where the next part begins; null after the last one. */
  next: Cursor | null;
}

/** Calls of D1 and objects that are left to the slice; a part is cut short when there are none. */
export interface Calls {
  left: number;
}

/** The rows from here on, of one table. Rows may be none where calls ran out or the table is at its end. */
export async function readPart(
  env: Pick<Cloudflare.Env, "DB" | "SUBSCRIBERS">,
  cursor: Cursor,
  calls: Calls,
): Promise<PartRows> {
  const { source } = cursor;
  if (source === SUBSCRIBERS) return readSubscribers(env, cursor, calls);
  const [db, table] = [databaseOf(env, source), tableOf(source)];
  const lines: string[] = [];
  const end = { source: sourceAfter(env, source), after: null };
  // The database was removed since the last part.
  if (db === undefined || table === undefined) return { source, lines, next: end };
  let { after } = cursor;
  let chars = 0;
  while (calls.left > 0 && chars < PART_CHARS) {
    calls.left -= 1;
    const rows = await readRows(db, table, after);
    for (const row of rows) {
      const line = JSON.stringify(row);
      chars += line.length + 1;
      lines.push(line);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < table.rows) {
      return { source, lines, next: end };
    }
    after = table.key.map((column) => last[column] ?? "");
  }
  return { source, lines, next: { source, after } };
}

type Row = Record<string, string | number>;

async function readRows(
  db: D1Database,
  { name, key, columns, where, index, rows }: BackedTable,
  after: Cursor["after"],
): Promise<Row[]> {
  const keys = key.join(", ");
  const values = key.map((_, i) => `?${i + 2}`).join(", ");
  // The first column of every key is a text that is not empty.
  const range = after === null ? `${key[0]} > ''` : `(${keys}) > (${values})`;
  const { results } = await db
    .prepare(
      `SELECT ${columns.join(", ")} FROM ${name}${index === undefined ? "" : ` INDEXED BY ${index}`}
       WHERE ${where === undefined ? "" : `${where} AND `}${range} ORDER BY ${keys} LIMIT ?1`,
    )
    .bind(rows, ...(after ?? []))
    .all<Row>();
  return results;
}

/** The cursor's key: the page, the last subscriber (`''`: none yet) and the version of the first call. */
async function readSubscribers(
  { DB, SUBSCRIBERS: objects }: Pick<Cloudflare.Env, "DB" | "SUBSCRIBERS">,
  cursor: Cursor,
  calls: Calls,
): Promise<PartRows> {
  const lines: string[] = [];
  let after = cursor.after;
  let chars = 0;
  const [page_id, id, version] = (after ?? []) as [string?, string?, number?];
  // A page in the middle first, then the pages after it.
  let queue: { page_id: string; id: string; version: number | null }[] =
    id === undefined || id === "" || page_id === undefined
      ? []
      : [{ page_id, id, version: version ?? null }];
  while (calls.left > 1 && chars < PART_CHARS) {
    let one = queue.shift();
    if (one === undefined) {
      calls.left -= 1;
      const page_ids = await listNewsletters(DB, String(after?.[0] ?? ""));
      if (page_ids.length === 0) return { source: SUBSCRIBERS, lines, next: null };
      queue = page_ids.map((page_id) => ({ page_id, id: "", version: null }));
      one = queue.shift();
      if (one === undefined) break;
    }
    calls.left -= 1;
    const read = await objects.getByName(one.page_id).readForBackup(one.id, SUBSCRIBERS_PER_CALL);
    // The version of the first call: a restore must see each later change of the list as newer.
    const known = one.version ?? read.version;
    const last = read.subscribers.at(-1);
    const is_last = read.subscribers.length < SUBSCRIBERS_PER_CALL;
    // A page without subscribers has no row, but one whose last call found none more.
    if (last !== undefined || one.id !== "") {
      const line = JSON.stringify({ page_id: one.page_id, ...read, version: known, is_last });
      chars += line.length + 1;
      lines.push(line);
    }
    if (last !== undefined && !is_last) {
      queue.unshift({ page_id: one.page_id, id: last.id, version: known });
      after = [one.page_id, last.id, known];
    } else after = [one.page_id, "", 0];
  }
  return { source: SUBSCRIBERS, lines, next: { source: SUBSCRIBERS, after } };
}

async function listNewsletters(db: D1Database, after: string): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT page_id FROM newsletters WHERE page_id > ?1 ORDER BY page_id LIMIT ?2")
    .bind(after, NEWSLETTERS_PER_QUERY)
    .all<{ page_id: string }>();
  return results.map(({ page_id }) => page_id);
}
