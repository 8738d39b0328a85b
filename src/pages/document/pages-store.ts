/**
 * Table `pages`, which only this file writes. Statements that change a page belong into a
 * transaction with its revision and `notePageChanged` (`save-page.ts`, `end-page.ts` in accounts).
 * The page object reads the table too, with one statement in `objects/page/page-row.ts`.
 */
import {
  type PageRow as CountedRow,
  type PageTargets,
  parsePageRow,
  selectPage,
} from "../../../objects/page/page-row.ts";
import type { Locale } from "../../views/locale.ts";
import { ENDING_PAGES_MAX } from "./limits.ts";
import type { PageDocument } from "./page-document.ts";

export type PageStatus = "draft" | "published" | "suspended";

export interface Page extends PageDocument {
  page_id: string;
  /** The user id at the account hub; null for a page without an owner. */
  owner_id: string | null;
  /** Canonical: NFKC, lower case, one script. */
  slug: string;
  status: PageStatus;
  /** Unix milliseconds of a deleted page's end, until which that can be undone; else null. */
  ends_at: number | null;
  version: number;
  created_at: number;
  updated_at: number;
}

interface PageRow
  extends Pick<
    Page,
    "page_id" | "owner_id" | "slug" | "status" | "ends_at" | "version" | "created_at" | "updated_at"
  > {
  /** JSON. */
  document: string;
}

const SELECT_PAGE = `SELECT page_id, owner_id, slug, status, ends_at, version, created_at, updated_at, document
  FROM pages`;

function pageOf({ document, ...row }: PageRow): Page {
  return { ...row, ...(JSON.parse(document) as PageDocument) };
}

export function documentOf(page: PageDocument): PageDocument {
  const { locales, time_zone, indexed, name, bio, avatar, contact, look, links } = page;
  return { locales, time_zone, indexed, name, bio, avatar, contact, look, links };
}

async function pageWhere(
  db: D1Database,
  condition: string,
  ...values: string[]
): Promise<Page | null> {
  const found = db.prepare(`${SELECT_PAGE} WHERE ${condition}`).bind(...values);
  const row = await found.first<PageRow>();
  return row === null ? null : pageOf(row);
}

export function findPageBySlug(db: D1Database, slug: string): Promise<Page | null> {
  return pageWhere(db, "slug = ?1", slug);
}

/** Null if the page is not this owner's. */
export function findPage(db: D1Database, owner_id: string, page_id: string): Promise<Page | null> {
  return pageWhere(db, "page_id = ?1 AND owner_id = ?2", page_id, owner_id);
}

export function readPage(db: D1Database, page_id: string): Promise<Page | null> {
  return pageWhere(db, "page_id = ?1", page_id);
}

export function findPageBySource(
  db: D1Database,
  owner_id: string,
  source: string,
): Promise<Page | null> {
  return pageWhere(db, "owner_id = ?1 AND source = ?2", owner_id, source);
}

/** A deleted page's file may be imported again, also while the deletion can be undone. */
export function forgetSource(
  db: D1Database,
  owner_id: string,
  source: string,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE pages SET source = NULL
       WHERE owner_id = ?1 AND source = ?2 AND ends_at IS NOT NULL`,
    )
    .bind(owner_id, source);
}

export async function readPageTargets(
  db: D1Database,
  page_id: string,
): Promise<PageTargets | null> {
  const { results } = await selectPage(db, page_id).all<CountedRow>();
  const [row] = results;
  return row === undefined ? null : parsePageRow(row);
}

export async function listPageIds(
  db: D1Database,
  cursor: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT page_id FROM pages WHERE page_id > ?1 ORDER BY page_id LIMIT ?2")
    .bind(cursor, limit)
    .all<{ page_id: string }>();
  return results.map((row) => row.page_id);
}

/** Belongs into one transaction with `notePageEnded`. */
export function deletePage(db: D1Database, page_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM pages WHERE page_id = ?1").bind(page_id);
}

/** `save_id` is new and random. */
export interface PageWrite extends Pick<Page, "page_id" | "slug" | "status" | "ends_at"> {
  save_id: string;
  document: PageDocument;
}

export type PageState = "open" | "suspended" | "ending" | "absent";

/** A draft has a state too. `ending`: its deletion can be undone. */
export async function stateOfPage(db: D1Database, page_id: string): Promise<PageState> {
  const row = await db
    .prepare(
      `SELECT CASE WHEN ends_at IS NOT NULL THEN 'ending' WHEN status = 'suspended' THEN 'suspended'
         ELSE 'open' END AS state FROM pages WHERE page_id = ?1`,
    )
    .bind(page_id)
    .first<{ state: PageState }>();
  return row?.state ?? "absent";
}

const NOT_DELETED_USER = (owner_id: string) =>
  `NOT EXISTS (SELECT 1 FROM deleted_users WHERE user_id = ${owner_id})`;

/** Inserts nothing if the owner has `pages_max` others or too many that end; null is no limit. */
export function insertPage(
  db: D1Database,
  save: PageWrite & Pick<Page, "owner_id">,
  { pages_max, source }: { pages_max: number | null; source: string | null },
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO pages (page_id, owner_id, slug, status, ends_at, version, save_id, document,
         source, created_at, updated_at, published_at)
       SELECT ?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?9, CASE ?4 WHEN 'published' THEN ?9 END
       WHERE ${NOT_DELETED_USER("?2")} AND (?10 IS NULL
         OR (SELECT count(*) FROM pages WHERE owner_id = ?2 AND ends_at IS NULL) < ?10
           AND (SELECT count(*) FROM pages WHERE owner_id = ?2) < ?10 + ${ENDING_PAGES_MAX})
       ON CONFLICT (page_id) DO NOTHING`,
    )
    .bind(
      save.page_id,
      save.owner_id,
      save.slug,
      save.status,
      save.ends_at,
      save.save_id,
      JSON.stringify(save.document),
      source,
      now,
      pages_max,
    );
}

/**
 * Writes a page if it still has this version, its end has not come, and its owner has fewer than
 * `pages_max` others; null is no limit.
 */
export function updatePage(
  db: D1Database,
  save: PageWrite,
  { version, pages_max }: { version: number; pages_max: number | null },
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE pages SET slug = ?3, status = ?4, ends_at = ?5, save_id = ?6, document = ?7,
         version = version + 1, updated_at = ?8,
         published_at = coalesce(published_at, CASE ?4 WHEN 'published' THEN ?8 END)
       WHERE page_id = ?1 AND version = ?2 AND (ends_at IS NULL OR ends_at > ?8)
         AND ${NOT_DELETED_USER("pages.owner_id")}
         AND (?9 IS NULL OR (SELECT count(*) FROM pages AS others
                             WHERE others.owner_id = pages.owner_id AND others.ends_at IS NULL) < ?9)`,
    )
    .bind(
      save.page_id,
      version,
      save.slug,
      save.status,
      save.ends_at,
      save.save_id,
      JSON.stringify(save.document),
      now,
      pages_max,
    );
}

/** The page as the save left it, or null if that save was not made or another came after. */
export function selectSaved(db: D1Database, page_id: string, save_id: string): D1PreparedStatement {
  return db.prepare(`${SELECT_PAGE} WHERE page_id = ?1 AND save_id = ?2`).bind(page_id, save_id);
}

export function savedPage(result: { results: unknown[] } | undefined): Page | null {
  const row = result?.results[0] as PageRow | undefined;
  return row === undefined ? null : pageOf(row);
}

/**
 * Deletes all pages of a user for good at `ends_at`, in unix milliseconds: those too whose deletion
 * was under way, so that no request that is under way can undo it.
 */
export function endPagesOf(
  db: D1Database,
  owner_id: string,
  ends_at: number,
  save_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE pages SET ends_at = ?2, save_id = ?3, version = version + 1, updated_at = ?4
       WHERE owner_id = ?1 AND (ends_at IS NULL OR ends_at > ?4)`,
    )
    .bind(owner_id, ends_at, save_id, now);
}

/** When a page shall end, or null, as D1 has it from this version of the page on. */
export type AskedEnd = Pick<Page, "page_id" | "version" | "ends_at">;

/** No undo brings back a page of a user whom the hub deleted. */
const LACKS_END = (version: string, ends_at: string) =>
  `pages.version < ${version} AND pages.ends_at IS NOT ${ends_at}
    AND (${ends_at} IS NOT NULL OR ${NOT_DELETED_USER("pages.owner_id")})`;

/** D1 lacks an end if it was restored to a time before, or did not take it. */
export async function whichLackEnd(
  db: D1Database,
  asked: readonly AskedEnd[],
): Promise<AskedEnd[]> {
  const { results } = await db
    .prepare(
      `SELECT pages.page_id, asked.value ->> 'version' AS version, asked.value ->> 'ends_at' AS ends_at
       FROM json_each(?1) AS asked CROSS JOIN pages ON pages.page_id = asked.value ->> 'page_id'
       WHERE ${LACKS_END("(asked.value ->> 'version')", "(asked.value ->> 'ends_at')")}`,
    )
    .bind(JSON.stringify(asked))
    .all<AskedEnd>();
  return results;
}

/** Repeats a deletion or its undoing that D1 lacks. The page gets that change's version. */
export function repeatEnd(
  db: D1Database,
  { page_id, version, ends_at }: AskedEnd,
  save_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE pages SET ends_at = ?3, version = ?2, save_id = ?4, updated_at = ?5
       WHERE page_id = ?1 AND ${LACKS_END("?2", "?3")}`,
    )
    .bind(page_id, version, ends_at, save_id, now);
}

/** Only the account hub decides this. */
export function suspendPage(
  db: D1Database,
  { owner_id, page_id }: { owner_id: string; page_id: string },
  save_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE pages SET status = 'suspended', save_id = ?3, version = version + 1, updated_at = ?4
       WHERE page_id = ?1 AND owner_id = ?2 AND status <> 'suspended'`,
    )
    .bind(page_id, owner_id, save_id, now);
}

const STATUS_BEFORE = `coalesce((SELECT status FROM revisions
    WHERE revisions.page_id = pages.page_id AND revisions.status <> 'suspended'
    ORDER BY version DESC LIMIT 1),
  CASE WHEN published_at IS NULL THEN 'draft' ELSE 'published' END)`;

/** The page gets the status that it had before, unless operators took it down. */
export function reinstatePage(
  db: D1Database,
  { owner_id, page_id }: { owner_id: string; page_id: string },
  save_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE pages SET save_id = ?3, version = version + 1, updated_at = ?4,
         status = ${STATUS_BEFORE}
       WHERE page_id = ?1 AND owner_id = ?2 AND status = 'suspended'
         AND NOT EXISTS (SELECT 1 FROM takedowns WHERE takedowns.page_id = pages.page_id)`,
    )
    .bind(page_id, owner_id, save_id, now);
}

const ACTED = "EXISTS (SELECT 1 FROM operator_actions WHERE action_id = ?2)";

/** The action's id becomes that of the save. */
export function suspendByAction(
  db: D1Database,
  page_id: string,
  action_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE pages SET status = 'suspended', save_id = ?2, version = version + 1, updated_at = ?3
       WHERE page_id = ?1 AND status <> 'suspended' AND ${ACTED}`,
    )
    .bind(page_id, action_id, now);
}

/** The hub's own suspension stays. Must run before the takedown is deleted. */
export function reinstateByAction(
  db: D1Database,
  page_id: string,
  action_id: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE pages SET save_id = ?2, version = version + 1, updated_at = ?3, status = ${STATUS_BEFORE}
       WHERE page_id = ?1 AND status = 'suspended' AND ${ACTED}
         AND EXISTS (SELECT 1 FROM takedowns WHERE takedowns.page_id = ?1 AND is_hubs = 0)`,
    )
    .bind(page_id, action_id, now);
}

export async function whichExist(db: D1Database, page_ids: readonly string[]): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT page_id FROM pages WHERE page_id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(page_ids))
    .all<{ page_id: string }>();
  return results.map(({ page_id }) => page_id);
}

/** The deletion of these pages can no longer be undone. The oldest comes first. */
export async function listEndedPages(
  db: D1Database,
  now: number,
  limit: number,
): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT page_id FROM pages WHERE ends_at <= ?1 ORDER BY ends_at LIMIT ?2")
    .bind(now, limit)
    .all<{ page_id: string }>();
  return results.map(({ page_id }) => page_id);
}

export type PageSummary = Pick<
  Page,
  | "page_id"
  | "slug"
  | "status"
  | "locales"
  | "name"
  | "avatar"
  | "version"
  | "created_at"
  | "updated_at"
  | "ends_at"
>;

/** Pages whose deletion can be undone are included. */
export async function listOwnPages(
  db: D1Database,
  owner_id: string,
  limit: number,
): Promise<PageSummary[]> {
  const { results } = await db
    .prepare(
      `SELECT page_id, slug, status, document -> '$.locales' AS locales, document -> '$.name' AS name,
         document ->> '$.avatar' AS avatar, version, created_at, updated_at, ends_at
       FROM pages WHERE owner_id = ?1 ORDER BY page_id LIMIT ?2`,
    )
    .bind(owner_id, limit)
    .all<Omit<PageSummary, "locales" | "name"> & { locales: string; name: string }>();
  return results.map(({ locales, name, ...row }) => ({
    ...row,
    locales: JSON.parse(locales) as Page["locales"],
    name: JSON.parse(name) as Page["name"],
  }));
}

export async function findPublicNames(
  db: D1Database,
  page_ids: readonly string[],
): Promise<Map<string, { name: string; slug: string }>> {
  const { results } = await db
    .prepare(
      `SELECT page_id, name, slug FROM pages
       WHERE page_id IN (SELECT value FROM json_each(?1)) AND status = 'published' AND ends_at IS NULL`,
    )
    .bind(JSON.stringify(page_ids))
    .all<{ page_id: string; name: string; slug: string }>();
  return new Map(results.map(({ page_id, ...page }) => [page_id, page]));
}

/** Pages whose deletion can be undone are included. */
export async function listPageIdsOf(
  db: D1Database,
  owner_id: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT page_id FROM pages WHERE owner_id = ?1 ORDER BY page_id LIMIT ?2")
    .bind(owner_id, limit)
    .all<{ page_id: string }>();
  return results.map(({ page_id }) => page_id);
}

/** The name is the one in the page's default language. */
export interface PageName extends Pick<Page, "page_id" | "slug"> {
  name: string;
  locale: Locale;
}

export async function listPageNames(
  db: D1Database,
  owner_id: string,
  limit: number,
): Promise<PageName[]> {
  const { results } = await db
    .prepare(
      "SELECT page_id, name, locale, slug FROM pages WHERE owner_id = ?1 AND ends_at IS NULL ORDER BY page_id LIMIT ?2",
    )
    .bind(owner_id, limit)
    .all<PageName>();
  return results;
}
