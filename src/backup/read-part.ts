/**
 * Reads the rows of one part of a backup: of the tables of D1, and of the databases of statistics, by
 * their keys, and subscribers from their objects.
 */

import { HOUR_MS } from "../../objects/platform/clock.ts";
import { haveLeftSince } from "../../objects/stats/left-pages.ts";
import type { Cursor } from "./backups-store.ts";
import type { BackedTable } from "./tables.ts";
import {
  allDatabases,
  databaseOf,
  MOVES,
  nameOf,
  SUBSCRIBERS,
  sourceAfter,
  tableOf,
} from "./tables.ts";

/**
 * Characters of a part, before it is compressed; its last query may bring it as many bytes further, and a
 * row. A part is in memory several times while it is made, and an isolate has 128 MB.
 */
const PART_CHARS = 4_194_304;
/** Bytes of the large column that one query reads, without its last row. */
const QUERY_BYTES = 4_194_304;
/** How far the clocks of objects, which say when pages moved, may be behind the cron's. */
const CLOCKS_MS = HOUR_MS;
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

/**
 * What is left to the slice; a part is cut short when it is used up. A part makes one read at least, or a slow
 * D1 would let no slice get on.
 */
export interface Budget {
  /** Of D1 and objects. */
  calls: number;
  /** In unix milliseconds: no further read begins later. */
  until: number;
}

type Env = Pick<Cloudflare.Env, "DB" | "SUBSCRIBERS">;

/**
 * The rows from here on, of one table. Rows may be none where the budget is used up or the table is at its
 * end. `started_at` is that of the backup.
 */
export async function readPart(
  env: Env,
  cursor: Cursor,
  started_at: number,
  budget: Budget,
): Promise<PartRows> {
  if (cursor.source === SUBSCRIBERS) return readSubscribers(env, cursor, budget);
  const source = nameOf(cursor.source);
  const lines: string[] = [];
  const goOn = (hasMoved = false): PartRows => {
    return {
      source,
      lines,
      next: { source: sourceAfter(env, cursor.source, hasMoved), after: null },
    };
  };
  if (cursor.source === MOVES) {
    const since = started_at - CLOCKS_MS;
    const databases = allDatabases(env);
    budget.calls -= databases.length;
    const left = await Promise.all(databases.map((db) => haveLeftSince(db, since)));
    return goOn(left.includes(true));
  }
  const [db, table] = [databaseOf(env, source), tableOf(source)];
  // The database was removed since the last part.
  if (db === undefined || table === undefined) return goOn();
  let { after } = cursor;
  let chars = 0;
  do {
    budget.calls -= 1;
    const { rows, isEnd } = await readRows(db, table, after);
    for (const row of rows) {
      const line = JSON.stringify(row);
      chars += line.length + 1;
      lines.push(line);
    }
    const last = rows.at(-1);
    if (last === undefined || isEnd) return goOn();
    after = table.key.map((column) => last[column] ?? "");
  } while (budget.calls > 0 && chars < PART_CHARS && Date.now() < budget.until);
  return { source, lines, next: { source: cursor.source, after } };
}

type Row = Record<string, string | number>;

async function readRows(
  db: D1Database,
  { name, key, columns, where, index, rows: limit, large }: BackedTable,
  after: Cursor["after"],
): Promise<{ rows: Row[]; isEnd: boolean }> {
  const keys = key.join(", ");
  const values = key.map((_, i) => `?${i + 2}`).join(", ");
  // The first column of every key is a text that is not empty.
  const range = after === null ? `${key[0]} > ''` : `(${keys}) > (${values})`;
  const wanted = `SELECT ${columns.join(", ")} FROM ${name}${index === undefined ? "" : ` INDEXED BY ${index}`}
     WHERE ${where === undefined ? "" : `${where} AND `}${range} ORDER BY ${keys} LIMIT ?1`;
  const bytes = `length(CAST(${large} AS BLOB))`;
  const { results } = await db
    .prepare(
      large === undefined
        ? wanted
        : `SELECT * FROM (
             SELECT *, sum(${bytes}) OVER (ORDER BY ${keys} ROWS UNBOUNDED PRECEDING) AS bytes_so_far
             FROM (${wanted}))
           WHERE bytes_so_far - ${bytes} < ${QUERY_BYTES}`,
    )
    .bind(limit, ...(after ?? []))
    .all<Row & { bytes_so_far?: number }>();
  // Not by SQL, which would read each row once more. Rows of a table without a large column stay as they are.
  results.sort((a, b) => (a.bytes_so_far ?? 0) - (b.bytes_so_far ?? 0));
  const isCut = (results.at(-1)?.bytes_so_far ?? 0) >= QUERY_BYTES;
  const rows = results.map(({ bytes_so_far: _, ...row }) => row as Row);
  return { rows, isEnd: rows.length < limit && !isCut };
}

/** The cursor's key: the page, the last subscriber (`''`: none yet) and the version of the first call. */
async function readSubscribers(
  { DB, SUBSCRIBERS: objects }: Env,
  cursor: Cursor,
  budget: Budget,
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
  do {
    let one = queue.shift();
    if (one === undefined) {
      budget.calls -= 1;
      const page_ids = await listNewsletters(DB, String(after?.[0] ?? ""));
      if (page_ids.length === 0) return { source: SUBSCRIBERS, lines, next: null };
      queue = page_ids.map((page_id) => ({ page_id, id: "", version: null }));
      one = queue.shift();
      if (one === undefined) break;
    }
    budget.calls -= 1;
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
  } while (budget.calls > 1 && chars < PART_CHARS && Date.now() < budget.until);
  return { source: SUBSCRIBERS, lines, next: { source: SUBSCRIBERS, after } };
}

async function listNewsletters(db: D1Database, after: string): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT page_id FROM newsletters WHERE page_id > ?1 ORDER BY page_id LIMIT ?2")
    .bind(after, NEWSLETTERS_PER_QUERY)
    .all<{ page_id: string }>();
  return results.map(({ page_id }) => page_id);
}
