/**
 * The bio pages and their links: tables `pages` and `links`, which only this file writes. The page object
 * reads them too, with one statement in `objects/page/known-page.ts`.
 */
import { CONTACT_LINK } from "../../objects/tables/event.ts";
import { canonicalSlug } from "../http/ids.ts";
import type { Locale } from "../views/locale.ts";
import type { Theme } from "../views/palette.ts";
import { isReservedSlug } from "./reserved-slugs.ts";

/** The contents of the page's contact card. Every list may be empty. */
export interface Contact {
  name: string;
  organisation: string | null;
  title: string | null;
  phones: string[];
  emails: string[];
  address: string | null;
  note: string | null;
}

export interface Link {
  link_id: string;
  label: string;
  /** An absolute http, https, mailto, tel or sms address, as `URL.href` spells it. */
  url: string;
}

export interface Page {
  page_id: string;
  /** The owner's user id at the account hub; null for a page without an owner. */
  owner_id: string | null;
  /** Canonical: NFKC, lower case, one script. */
  slug: string;
  locale: Locale;
  name: string;
  bio: string;
  /** Key of the picture in R2, with the hash of its content; served at `/media/<key>`. */
  avatar: string | null;
  theme: Theme;
  contact: Contact | null;
  status: "published" | "suspended";
  /** Unix milliseconds. */
  updated_at: number;
  links: Link[];
}

type PageRow = Omit<Page, "contact" | "links"> & { contact: string | null };

const PAGE_COLUMNS =
  "page_id, owner_id, slug, locale, name, bio, avatar, theme, contact, status, updated_at" as const;

/** The page with this canonical slug and its links in order, or null. One round trip to D1. */
export async function findPageBySlug(db: D1Database, slug: string): Promise<Page | null> {
  const [pages, links] = await db.batch([
    db.prepare(`SELECT ${PAGE_COLUMNS} FROM pages WHERE slug = ?1`).bind(slug),
    db
      .prepare(
        `SELECT link_id, label, url FROM links
         WHERE page_id = (SELECT page_id FROM pages WHERE slug = ?1)
         ORDER BY position, link_id`,
      )
      .bind(slug),
  ]);
  const row = pages?.results[0] as PageRow | undefined;
  if (row === undefined) return null;
  return {
    ...row,
    contact: row.contact === null ? null : (JSON.parse(row.contact) as Contact),
    links: (links?.results ?? []) as Link[],
  };
}

/** The part of a page that the redirect needs. */
export interface PageTargets {
  status: Page["status"];
  locale: Locale;
  /** Addresses by link id. For the contact button, whose card this service has, it is the page's slug. */
  urls: ReadonlyMap<string, string>;
}

/** The page's targets, or null if there is no such page. A link with the id of the contact button is ignored. */
export async function readPageTargets(
  db: D1Database,
  page_id: string,
): Promise<PageTargets | null> {
  const row = await db
    .prepare(
      `SELECT status, locale, CASE WHEN contact IS NOT NULL THEN slug END AS card,
         (SELECT json_group_object(link_id, url) FROM links
          WHERE page_id = ?1 AND link_id <> '${CONTACT_LINK}') AS links
       FROM pages WHERE page_id = ?1`,
    )
    .bind(page_id)
    .first<Pick<Page, "status" | "locale"> & { card: string | null; links: string }>();
  if (row === null) return null;
  const { status, locale, card, links } = row;
  const urls = new Map(Object.entries(JSON.parse(links) as Record<string, string>));
  if (card !== null) urls.set(CONTACT_LINK, card);
  return { status, locale, urls };
}

/** Up to `limit` page ids after `cursor` in id order. */
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

/** The part of a page that the sitemap needs. The index `pages_published` covers it. */
export type PublishedPage = Pick<Page, "page_id" | "slug" | "updated_at">;

/** How many pages are published. Reads the whole index: 35 ms for a million. */
export async function countPublishedPages(db: D1Database): Promise<number> {
  const n = await db
    .prepare("SELECT count(*) AS n FROM pages WHERE status = 'published'")
    .first<number>("n");
  return n ?? 0;
}

/**
 * The id of the published page that has `before` others before it in id order, or null. Reads that much
 * of the index: 30 ms for a million.
 */
export async function publishedPageIdAt(db: D1Database, before: number): Promise<string | null> {
  return db
    .prepare(
      "SELECT page_id FROM pages WHERE status = 'published' ORDER BY page_id LIMIT 1 OFFSET ?1",
    )
    .bind(before)
    .first<string>("page_id");
}

/** Up to `limit` published pages after `cursor` in id order. */
export async function listPublishedPages(
  db: D1Database,
  cursor: string,
  limit: number,
): Promise<PublishedPage[]> {
  const { results } = await db
    .prepare(
      `SELECT page_id, slug, updated_at FROM pages WHERE status = 'published' AND page_id > ?1
       ORDER BY page_id LIMIT ?2`,
    )
    .bind(cursor, limit)
    .all<PublishedPage>();
  return results;
}

/**
 * Deletes a page with its links; flushes of it write nothing from then on. Must be in one transaction
 * with `notePageEnded`, so that the object and the edge cache follow.
 */
export function deletePage(db: D1Database, page_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM pages WHERE page_id = ?1").bind(page_id);
}

/** Suspends all pages of a user. Must be in one transaction with `notePagesChangedOf`. */
export function suspendPagesOf(db: D1Database, owner_id: string, now: number): D1PreparedStatement {
  return db
    .prepare("UPDATE pages SET status = 'suspended', updated_at = ?2 WHERE owner_id = ?1")
    .bind(owner_id, now);
}

/** A page cannot have this slug, because it is the address of something else. */
export class ReservedSlugError extends Error {
  constructor(slug: string) {
    super(`the slug ${JSON.stringify(slug)} is reserved`);
    this.name = "ReservedSlugError";
  }
}

/**
 * Writes a new page with its links, in one transaction. A page that exists already is left alone.
 * Rejects with {@link ReservedSlugError}.
 */
export async function createPage(db: D1Database, page: Page): Promise<void> {
  if (isReservedSlug(canonicalSlug(page.slug) ?? page.slug)) throw new ReservedSlugError(page.slug);
  await db.batch([
    db
      .prepare(
        `INSERT INTO pages (${PAGE_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (page_id) DO NOTHING`,
      )
      .bind(
        page.page_id,
        page.owner_id,
        page.slug,
        page.locale,
        page.name,
        page.bio,
        page.avatar,
        page.theme,
        page.contact === null ? null : JSON.stringify(page.contact),
        page.status,
        page.updated_at,
      ),
    db
      .prepare(
        `INSERT INTO links (page_id, link_id, position, label, url)
         SELECT ?1, value ->> 'link_id', key, value ->> 'label', value ->> 'url'
         FROM json_each(?2) WHERE true
         ON CONFLICT (page_id, link_id) DO NOTHING`,
      )
      .bind(page.page_id, JSON.stringify(page.links)),
  ]);
}

/** Up to `limit` pages of an owner, by name. */
export async function listPageNames(
  db: D1Database,
  owner_id: string,
  limit: number,
): Promise<Pick<Page, "page_id" | "name" | "slug">[]> {
  const { results } = await db
    .prepare("SELECT page_id, name, slug FROM pages WHERE owner_id = ?1 ORDER BY page_id LIMIT ?2")
    .bind(owner_id, limit)
    .all<Pick<Page, "page_id" | "name" | "slug">>();
  return results;
}
