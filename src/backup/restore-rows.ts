/**
 * The statements that put rows of a backup back into D1. This is the one exception to the rule that
 * each table has one writer: it writes into all of them, only what is missing, or a page that is older
 * than the backup's. Each may be repeated, and none replaces anything newer.
 *
 * The rows of a backup were read within minutes, not at one moment. So a row whose page is not there is
 * left out, and a revision that is newer than its page, whose number the next save will take.
 */
import type { BackedTable } from "./tables.ts";

export type Row = Record<string, string | number | null>;

/**
 * Rows of one statement, as JSON: a bound value has 2 MB at most, and a UTF-16 unit takes up to 3
 * bytes. One row has 256 KiB at most.
 */
const CHARS_MAX = 400_000;

const HAS_PAGE = (condition = "") =>
  `EXISTS (SELECT 1 FROM pages WHERE pages.page_id = r.value ->> 'page_id'${condition})`;
const IS_DELETED = (user: string) =>
  `EXISTS (SELECT 1 FROM deleted_users WHERE deleted_users.user_id = r.value ->> '${user}')`;
const NOT_DELETED = `NOT ${IS_DELETED("user_id")}`;

/** What differs from `ON CONFLICT DO NOTHING` of every row. */
interface Rules {
  where?: string;
  values?: Record<string, string>;
  conflict?: string;
}

const RULES: Readonly<Record<string, Rules>> = {
  revisions: { where: HAS_PAGE(" AND version >= (r.value ->> 'version')") },
  // A page that took the slug since keeps it.
  former_slugs: {
    where: `NOT EXISTS (SELECT 1 FROM pages WHERE slug = r.value ->> 'slug'
      AND page_id <> r.value ->> 'page_id')`,
  },
  removed_links: { where: HAS_PAGE() },
  // Those of a page that has ended are deleted from the bucket by the cron.
  pictures: {
    values: { unused_since: `CASE WHEN ${HAS_PAGE()} THEN r.value ->> 'unused_since' ELSE 0 END` },
  },
  files: {
    values: {
      state: `CASE WHEN ${IS_DELETED("owner_id")} THEN 'ended' ELSE r.value ->> 'state' END`,
    },
  },
  file_parts: {
    where: "EXISTS (SELECT 1 FROM files WHERE files.file_id = r.value ->> 'file_id')",
  },
  downloads: {
    where: HAS_PAGE(),
    conflict: `DO UPDATE SET uses = max(uses, excluded.uses), bytes = max(bytes, excluded.bytes)
      WHERE excluded.uses > uses OR excluded.bytes > bytes`,
  },
  milestones: { where: HAS_PAGE() },
  tips: { where: HAS_PAGE() },
  hub_notifications: { where: NOT_DELETED },
  notification_reads: { where: NOT_DELETED },
  newsletters: { where: HAS_PAGE() },
  // One that was undone since stays undone.
  takedowns: { where: HAS_PAGE(" AND status = 'suspended'") },
  disabled_webhooks: { where: HAS_PAGE() },
  tallies: { where: HAS_PAGE() },
  days: { where: HAS_PAGE() },
  rolled_days: { where: HAS_PAGE() },
};

/** The statements that restore rows of this table; each answers as many rows as it wrote. */
export function restoreRows(
  db: D1Database,
  table: BackedTable,
  rows: readonly Row[],
  rules: Rules = RULES[table.name] ?? {},
): D1PreparedStatement[] {
  const [first] = rows;
  if (first === undefined) return [];
  // A backup of an older version lacks columns that were added since, which have defaults.
  const columns = table.columns.filter((column) => column in first);
  if (table.name === "pages") return rows.map((row) => restorePage(db, columns, row));
  const { where = "true", values = {}, conflict = "DO NOTHING" } = rules;
  const selected = columns.map((column) => values[column] ?? `r.value ->> '${column}'`);
  return chunks(rows).map((json) =>
    db
      .prepare(
        `INSERT INTO ${table.name} (${columns.join(", ")})
         SELECT ${selected.join(", ")} FROM json_each(?1) AS r WHERE ${where}
         ON CONFLICT ${conflict} RETURNING 1`,
      )
      .bind(json),
  );
}

/**
 * One page: a statement of its own, because it must see the slugs of those before it. A page whose slug
 * another page has, or has given up, gets a new one. Where D1 has the page, it keeps what was saved later.
 */
function restorePage(db: D1Database, columns: readonly string[], row: Row): D1PreparedStatement {
  const values: Record<string, string> = {
    slug: `CASE WHEN EXISTS (SELECT 1 FROM pages WHERE slug = r.value ->> 'slug'
               AND page_id <> r.value ->> 'page_id')
             OR EXISTS (SELECT 1 FROM former_slugs WHERE slug = r.value ->> 'slug'
               AND page_id <> r.value ->> 'page_id')
           THEN 'restored-' || lower(hex(randomblob(8))) ELSE r.value ->> 'slug' END`,
    source: `CASE WHEN EXISTS (SELECT 1 FROM pages WHERE owner_id = r.value ->> 'owner_id'
               AND source = r.value ->> 'source' AND page_id <> r.value ->> 'page_id')
             THEN NULL ELSE r.value ->> 'source' END`,
  };
  const updated = columns.filter((column) => column !== "page_id");
  return db
    .prepare(
      `INSERT INTO pages (${columns.join(", ")})
       SELECT ${columns.map((column) => values[column] ?? `r.value ->> '${column}'`).join(", ")}
       FROM json_each(?1) AS r
       WHERE (r.value ->> 'ends_at') IS NOT NULL OR NOT ${IS_DELETED("owner_id")}
       ON CONFLICT (page_id) DO UPDATE SET
         ${updated.map((column) => `${column} = excluded.${column}`).join(", ")}
       WHERE excluded.version > pages.version AND excluded.updated_at >= pages.updated_at
       RETURNING 1`,
    )
    .bind(JSON.stringify([row]));
}

/**
 * The same for a database of statistics. It has no pages: the caller has asked the main one which there
 * are, and a page that has ended meanwhile is in `left_pages` for good.
 */
export function restoreHistory(
  db: D1Database,
  table: BackedTable,
  rows: readonly Row[],
): D1PreparedStatement[] {
  const where = `NOT EXISTS (SELECT 1 FROM left_pages
    WHERE page_id = r.value ->> 'page_id' AND move = ${Number.MAX_SAFE_INTEGER})`;
  return [...restoreSingletons(db, false), ...restoreRows(db, table, rows, { where })];
}

/** What D1 has of these pages. */
export async function readPages(
  db: D1Database,
  page_ids: readonly string[],
): Promise<Map<string, { version: number; slug: string }>> {
  const { results } = await db
    .prepare(
      `SELECT page_id, version, slug FROM pages
       WHERE page_id IN (SELECT value FROM json_each(?1))`,
    )
    .bind(JSON.stringify(page_ids))
    .all<{ page_id: string; version: number; slug: string }>();
  return new Map(results.map(({ page_id, ...page }) => [page_id, page]));
}

/** The rows of one, in which a D1 without it is not whole. They exist in every migrated database. */
export function restoreSingletons(db: D1Database, isMain = true): D1PreparedStatement[] {
  const both = [db.prepare("INSERT INTO cron_runs (id, n) VALUES (1, 0) ON CONFLICT DO NOTHING")];
  if (!isMain) return both;
  return [
    ...both,
    db.prepare(
      "INSERT INTO purge_turns (id, taken_at, tokens) VALUES (1, 0, 25) ON CONFLICT DO NOTHING",
    ),
  ];
}

/** Ends files whose content the bucket does not have any more; the cron deletes their rows. */
export function endLostFiles(db: D1Database, file_ids: readonly string[]): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE files SET state = 'ended' WHERE file_id IN (SELECT value FROM json_each(?1))
       AND state = 'ready'`,
    )
    .bind(JSON.stringify(file_ids));
}

/** JSON arrays of these rows, none of them too long for a bound value. */
function chunks(rows: readonly Row[]): string[] {
  const chunks: string[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const json = JSON.stringify(row);
    if (chars + json.length > CHARS_MAX) {
      chunks.push([]);
      chars = 0;
    }
    chunks.at(-1)?.push(json);
    chars += json.length + 1;
  }
  return chunks.map((jsons) => `[${jsons.join()}]`);
}
