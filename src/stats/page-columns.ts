/**
 * What statistics need of a page: reads of `pages`. Every statement filters by owner, so another
 * owner's page is not found.
 */
import type { Context } from "hono";
import { ownerAndPage } from "../accounts/owner-and-page.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import type { ByLocale, LinkKind } from "../pages/page-document.ts";
import type { Page } from "../pages/pages-store.ts";
import type { Locale } from "../views/locale.ts";

export interface PageColumns extends Pick<Page, "page_id" | "slug" | "status" | "time_zone"> {
  locale: Locale;
  /** In the page's default language. */
  name: string;
  has_contact: boolean;
  is_bilingual: boolean;
  /** Unix milliseconds: the page was made, or the first of its history, which may be imported. */
  since: number;
}

/** An entry of the page's links. */
export interface LinkRow {
  link_id: string;
  label: ByLocale;
  kind: LinkKind;
  /** Null for headings, texts and blocks. */
  url: string | null;
}

type Flag = "has_contact" | "is_bilingual";
type PageRow = Omit<PageColumns, Flag> & Record<Flag, 0 | 1>;

/** ?1 is the page, ?2 its owner. The row is a {@link PageRow}. */
export const PAGE = `SELECT page_id, slug, name, locale, time_zone, status,
    json_type(document, '$.contact') = 'object' AS has_contact,
    json_array_length(document, '$.locales') > 1 AS is_bilingual,
    MIN(created_at,
      COALESCE((SELECT hour * 1000 FROM tallies WHERE tallies.page_id = ?1 ORDER BY hour LIMIT 1), created_at),
      COALESCE((SELECT day * 1000 FROM days WHERE days.page_id = ?1 ORDER BY day LIMIT 1), created_at)
    ) AS since
  FROM pages WHERE page_id = ?1 AND owner_id = ?2`;

/** In the page's order. The rows are for {@link toLinks}. */
export const LINKS = `SELECT value ->> 'link_id' AS link_id, value -> 'label' AS label,
    value ->> 'kind' AS kind, value ->> 'url' AS url
  FROM pages, json_each(document, '$.links') WHERE page_id = ?1 AND owner_id = ?2 ORDER BY key`;

/** The page, or null if it is not this owner's. */
export async function findOwnedPage(
  db: D1Database,
  owner_id: string,
  page_id: string,
): Promise<PageColumns | null> {
  return toPage(await db.prepare(PAGE).bind(page_id, owner_id).all());
}

/**
 * The page of the path. Throws 404 if it is not the signed-in user's; 503, and logs `event`, if D1
 * fails.
 */
export async function ownedPage(c: Context<SignedIn>, event: string): Promise<PageColumns> {
  const { owner_id, page_id } = ownerAndPage(c);
  const page = await callDependency(event, () => findOwnedPage(c.env.DB, owner_id, page_id));
  if (page === null) throw new ApiError("PAGE_NOT_FOUND");
  return page;
}

/** The page of a result of {@link PAGE}, or null. */
export function toPage(found: D1Result | undefined): PageColumns | null {
  const [row] = rowsOf<PageRow>(found);
  if (row === undefined) return null;
  return { ...row, has_contact: row.has_contact === 1, is_bilingual: row.is_bilingual === 1 };
}

export function toLinks(found: D1Result | undefined): LinkRow[] {
  return rowsOf<Omit<LinkRow, "label"> & { label: string }>(found).map(({ label, ...row }) => ({
    ...row,
    label: JSON.parse(label) as ByLocale,
  }));
}

/** The rows of one statement of a batch, whose columns the statement names. */
export function rowsOf<Row>(found: D1Result | undefined): Row[] {
  return (found?.results ?? []) as Row[];
}
