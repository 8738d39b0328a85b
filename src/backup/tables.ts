/**
 * What a backup has of D1, and what it leaves out. A test compares both lists with the schema, so that
 * no table and no column is forgotten.
 *
 * Tables are read, and restored, in this order: `deleted_users` first, because pages and files of these
 * users do not come back, and `pages` before the tables of which a row needs its page.
 */

import { statsDatabases } from "../../objects/stats/databases.ts";

export interface BackedTable {
  name: string;
  /** Its primary key, by which it is read in order; of an index where `where` names some rows. */
  key: readonly string[];
  /** All but generated ones. */
  columns: readonly string[];
  /** The rows that are backed up; without it all. */
  where?: string;
  /** The index with these rows alone: by the primary key all others would be read too. */
  index?: string;
  /** Rows that one query reads at most. */
  rows: number;
  /** The column with most of a row's bytes: a page's document has up to 256 KiB. */
  large?: string;
}

const LARGE_ROWS = 100;
const SMALL_ROWS = 1_000;

function table(
  name: string,
  key: string,
  columns: string,
  more: Partial<Pick<BackedTable, "where" | "index" | "rows" | "large">> = {},
): BackedTable {
  const split = (names: string) => (names === "" ? [] : names.split(" "));
  return {
    name,
    key: split(key),
    columns: [...split(key), ...split(columns)],
    rows: SMALL_ROWS,
    ...more,
  };
}

/** Of tables with a large column. */
const large = (column: string) => ({ rows: LARGE_ROWS, large: column });

/** Imported history; all other rows of these tables come back from the objects (docs/faults.md F20). */
const imported = (name: string) => ({ where: "shard = -2", index: `${name}_imported` });

export const BACKED_TABLES: readonly BackedTable[] = [
  table("deleted_users", "user_id", "deleted_at"),
  table(
    "pages",
    "page_id",
    "owner_id slug status ends_at version save_id document source created_at updated_at published_at",
    large("document"),
  ),
  table(
    "revisions",
    "page_id version",
    "saved_at what slug status bytes document",
    large("document"),
  ),
  table("former_slugs", "slug", "page_id until"),
  table("removed_links", "page_id link_id", "label removed_at"),
  table("pictures", "key", "page_id type bytes width height uploaded_at unused_since"),
  table("files", "file_id", "owner_id name type size state upload_id etag created_at touched_at"),
  table("file_parts", "file_id n", "etag"),
  table("downloads", "page_id link_id", "uses bytes"),
  table("milestones", "page_id kind n", "reached_at"),
  table("tips", "page_id seq", "total link_id from_id from_name points message at"),
  table("hub_notifications", "user_id id", "text text_en url created_at"),
  table("notification_reads", "user_id id", "read_at"),
  table("newsletters", "page_id", ""),
  table("takedowns", "page_id", "action_id reason at is_hubs"),
  table("operator_actions", "action_id", "user_id what page_id reason at"),
  table("disabled_webhooks", "page_id id", "host reason at"),
  table("tallies", "page_id hour kind link_id class", "shard n", imported("tallies")),
  table("days", "page_id day", "shard visitors breakdowns version updated_at", {
    ...imported("days"),
    ...large("breakdowns"),
  }),
  table("months", "page_id month", "shard until breakdowns version", {
    ...imported("months"),
    ...large("breakdowns"),
  }),
  table("rolled_days", "page_id", "shard rolled_to", imported("rolled_days")),
];

/** The tables that a database of statistics has too: with the imported history of its pages. */
export const HISTORY_TABLES = BACKED_TABLES.filter(({ where }) => where !== undefined);

/** The parts after those of the tables: subscribers, which the objects have. */
export const SUBSCRIBERS = "subscribers";

/** The source that a backup begins with: a table of the main database by its name. */
export const FIRST_SOURCE = "deleted_users";

/**
 * The source after those of all databases. Where a page has moved to another database meanwhile, imported
 * history is read once more, from sources with `again/` before their names: that page was in neither
 * database when it was read if its new one was read before the move and its old one after it.
 */
export const MOVES = "moves";
const AGAIN = "again/";

/** The source as a part names it, without `again/`. */
export function nameOf(source: string): string {
  return source.startsWith(AGAIN) ? source.slice(AGAIN.length) : source;
}

/** The number in `STATS_3/tallies`; -1 for a table of the main database. */
function numberOf(source: string): number {
  return Number(/^STATS_(\d+)\//.exec(source)?.[1] ?? -1);
}

/** The table of a source: `tallies` of DB, `STATS_0/tallies` of another. Undefined for one without. */
export function tableOf(source: string): BackedTable | undefined {
  const [, in_stats] = /^STATS_\d+\/(.+)$/.exec(source) ?? [];
  const tables = in_stats === undefined ? BACKED_TABLES : HISTORY_TABLES;
  return tables.find(({ name }) => name === (in_stats ?? source));
}

/** Its database; undefined where that is not bound any more. */
export function databaseOf(env: { DB: D1Database }, source: string): D1Database | undefined {
  const [name, table] = source.split("/");
  return table === undefined ? env.DB : statsDatabases(env).bound.get(name ?? "");
}

/** The main database, and those of statistics. */
export function allDatabases(env: { DB: D1Database }): D1Database[] {
  return [env.DB, ...statsDatabases(env).bound.values()];
}

/**
 * The source after this one: tables of DB, those of each database of statistics by its number, the same
 * history again where pages have moved, and subscribers. It follows from the name alone, so databases may
 * be added and removed during a backup.
 */
export function sourceAfter(env: object, source: string, hasMoved = false): string {
  if (source === MOVES) return hasMoved ? `${AGAIN}${HISTORY_TABLES[0]?.name}` : SUBSCRIBERS;
  const again = source.startsWith(AGAIN) ? AGAIN : "";
  const name = nameOf(source);
  const n = numberOf(name);
  const tables = n === -1 ? BACKED_TABLES : HISTORY_TABLES;
  const table = tables[tables.findIndex((one) => one.name === tableOf(name)?.name) + 1];
  if (table !== undefined) return again + (n === -1 ? table.name : `STATS_${n}/${table.name}`);
  const names = [...statsDatabases(env).bound.keys()];
  const [first] = names
    .map((name) => `${name}/${HISTORY_TABLES[0]?.name}`)
    .filter((next) => numberOf(next) > n)
    .sort((a, b) => numberOf(a) - numberOf(b));
  if (first !== undefined) return again + first;
  return again === "" && names.length > 0 ? MOVES : SUBSCRIBERS;
}

/** Tables that no backup has, each with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  errors: "the error logs send it again",
  error_marks: "groups are marked again in a minute",
  left_pages: "notes of moves under way",
  page_changes: "deliveries under way; a restore sweeps every page",
  purge_turns: "a token bucket",
  page_purges: "token buckets of 45 s",
  accounts: "sessions are cached for 60 s",
  webhooks: "the hub's signatures are valid for 300 s",
  cron_runs: "its copy is in KV",
  backups: "the bucket has the truth",
  backup_parts: "the bucket has the truth",
};
