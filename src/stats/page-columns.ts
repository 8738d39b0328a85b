/** Reads of `pages` for statistics. Every statement filters by owner: others find no page. */
import type { Context } from "hono";
import { ownerAndPage } from "../accounts/owner-and-page.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import type { ByLocale, LinkKind } from "../pages/document/page-document.ts";
import type { Page } from "../pages/document/pages-store.ts";
import type { Locale } from "../views/locale.ts";
import { statsOfOwned } from "./stats-database.ts";
import { ANYBODYS } from "./stats-places.ts";

export interface PageColumns extends Pick<Page, "page_id" | "slug" | "status" | "time_zone"> {
  locale: Locale;
  takedown_reason?: string | null;
  name: string;
  has_contact: boolean;
  is_bilingual: boolean;
  /** Unix milliseconds: the page was made, or the first of its history, which may be imported. */
  since: number;
}

export interface LinkRow {
  link_id: string;
  label: ByLocale;
  kind: LinkKind;
  url: string | null;
}

type Flag = "has_contact" | "is_bilingual";
type PageRow = Omit<PageColumns, Flag> & Record<Flag, 0 | 1>;

const pageSince = (since: string) => `SELECT page_id, slug, name, locale, time_zone, status,
    (SELECT reason FROM takedowns WHERE takedowns.page_id = ?1) AS takedown_reason,
    json_type(document, '$.contact') = 'object' AS has_contact,
    json_array_length(document, '$.locales') > 1 AS is_bilingual,
    ${since} AS since
  FROM pages WHERE page_id = ?1 AND owner_id = ?2`;
const firstHour = (page: string) =>
  `(SELECT hour * 1000 FROM tallies WHERE tallies.page_id = ${page} ORDER BY hour LIMIT 1)`;
const firstDay = (page: string) =>
  `(SELECT day * 1000 FROM days WHERE days.page_id = ${page} ORDER BY day LIMIT 1)`;

/** ?1 is the page, ?2 its owner. The row is a {@link PageRow}. */
export const PAGE = pageSince(
  `MIN(created_at, COALESCE(${firstHour("?1")}, created_at), COALESCE(${firstDay("?1")}, created_at))`,
);
/** The page's statistics are in another database, so `since` is when the page was made. */
export const PAGE_ALONE = pageSince("created_at");
/** The beginning of the statistics in another database; NULL if there are none. */
export const FIRST = `SELECT MIN(at) AS at FROM
  (SELECT ${firstHour(ANYBODYS)} AS at UNION ALL SELECT ${firstDay(ANYBODYS)})`;

/** The page's order. The rows are for {@link toLinks}. */
export const LINKS = `SELECT value ->> 'link_id' AS link_id, value -> 'label' AS label,
    value ->> 'kind' AS kind, value ->> 'url' AS url
  FROM pages, json_each(document, '$.links') WHERE page_id = ?1 AND owner_id = ?2 ORDER BY key`;

/** Null if the page is not this owner's. */
export async function findOwnedPage(
  env: Pick<Cloudflare.Env, "DB" | "PAGE">,
  owner_id: string,
  page_id: string,
): Promise<PageColumns | null> {
  const db = env.DB;
  const page = toPage(await db.prepare(PAGE).bind(page_id, owner_id).all());
  if (page === null) return null;
  const others = (await statsOfOwned(env, page_id)).filter((stats) => stats !== db);
  const firsts = await Promise.all(
    others.map((db) => db.prepare(FIRST).bind(page_id, owner_id).all()),
  );
  return firsts.reduce(withFirst, page);
}

export function withFirst(page: PageColumns, found: D1Result | undefined): PageColumns {
  const at = rowsOf<{ at: number | null }>(found)[0]?.at ?? page.since;
  return { ...page, since: Math.min(page.since, at) };
}

/** Throws 404 if the user does not own the path's page; 503, and logs `event`, if D1 fails. */
export async function ownedPage(c: Context<SignedIn>, event: string): Promise<PageColumns> {
  const { owner_id, page_id } = ownerAndPage(c);
  const page = await callDependency(event, () => findOwnedPage(c.env, owner_id, page_id));
  if (page === null) throw new ApiError("PAGE_NOT_FOUND");
  return page;
}

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

/** The statement names the columns. */
export function rowsOf<Row>(found: D1Result | undefined): Row[] {
  return (found?.results ?? []) as Row[];
}
