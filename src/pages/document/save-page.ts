/**
 * Saves of pages: each is one transaction in D1, or nothing (docs/contract.md section 10).
 *
 *   batch ─▶ pages (if the version is still the one that was read), revisions, removed_links,
 *            former_slugs, page_changes ─▶ the saved page
 *
 * Every statement after the first one changes something only where `pages.save_id` is this save's, so
 * a save that came second writes nothing. Two saves cannot have the same slug: the column is unique,
 * and a trigger refuses former slugs of other pages. Callers start the delivery afterwards.
 */
import { canonicalSlug } from "../../http/ids.ts";
import { notePageSaved } from "./page-changes-store.ts";
import type { PageDocument } from "./page-document.ts";
import {
  documentOf,
  insertPage,
  type Page,
  type PageWrite,
  savedPage,
  selectSaved,
  updatePage,
} from "./pages-store.ts";
import { noteRemovedLinks } from "./removed-links-store.ts";
import { isClaimable } from "./reserved-slugs.ts";
import { addRevision, type Change } from "./revisions-store.ts";
import { freeSlug, keepFormerSlug } from "./slugs-store.ts";

export class ReservedSlugError extends Error {
  constructor(slug: string) {
    super(`the slug ${JSON.stringify(slug)} is reserved`);
    this.name = "ReservedSlugError";
  }
}

/**
 * `refused`: the page has another version by now, or its owner has as many pages as allowed.
 * `slug_taken`: another page has the slug, or gave it up a short time ago. `source_taken`: the
 * owner has a page from the same file.
 */
export type Saved = { outcome: "saved"; page: Page } | { outcome: Refusal };
type Refusal = "refused" | "slug_taken" | "source_taken";

export interface SaveOptions {
  what: readonly Change[];
  /** Null is no limit. */
  pages_max?: number | null;
  /** Further statements of the transaction. They should check `pages.save_id`. */
  more?: (save_id: string) => D1PreparedStatement[];
}

export interface NewPage
  extends PageDocument,
    Pick<Page, "page_id" | "owner_id" | "slug" | "status"> {}

/** Rejects with {@link ReservedSlugError}, and where D1 fails. */
export function createPage(
  db: D1Database,
  page: NewPage,
  { what, pages_max = null, source = null, more }: SaveOptions & { source?: string | null },
  now: number,
): Promise<Saved> {
  refuseReserved(page.slug);
  const save_id = crypto.randomUUID();
  const save = { ...page, ends_at: null, save_id, document: documentOf(page) };
  return run(db, save, [
    freeSlug(db, page.slug, now),
    insertPage(db, save, { pages_max, source }, now),
    ...addRevision(db, page.page_id, save_id, what, now),
    ...(more?.(save_id) ?? []),
    notePageSaved(db, page.page_id, save_id, now),
  ]);
}

/** Members that are absent stay as they are. */
export interface Edit extends Partial<Pick<Page, "slug" | "status" | "ends_at">> {
  document?: PageDocument;
}

/** Writes a new version of a page that was read before. Rejects as {@link createPage} does. */
export function savePage(
  db: D1Database,
  before: Page,
  edit: Edit,
  { what, pages_max = null, more }: SaveOptions,
  now: number,
): Promise<Saved> {
  const { page_id, version } = before;
  const save_id = crypto.randomUUID();
  const document = edit.document ?? documentOf(before);
  const { slug = before.slug, status = before.status } = edit;
  const ends_at = edit.ends_at === undefined ? before.ends_at : edit.ends_at;
  if (slug !== before.slug) refuseReserved(slug);
  const save = { page_id, slug, status, ends_at, save_id, document };
  const kept = new Set(document.links.map(({ link_id }) => link_id));
  const links = {
    removed: before.links.filter(({ link_id }) => !kept.has(link_id)),
    kept: document.links,
  };
  return run(db, save, [
    freeSlug(db, slug, now),
    updatePage(db, save, { version, pages_max }, now),
    ...addRevision(db, page_id, save_id, what, now),
    ...noteRemovedLinks(db, page_id, links, save_id, now),
    ...(slug === before.slug ? [] : keepFormerSlug(db, before, save_id, now)),
    ...(more?.(save_id) ?? []),
    notePageSaved(db, page_id, save_id, now),
  ]);
}

async function run(
  db: D1Database,
  { page_id, save_id }: PageWrite,
  statements: D1PreparedStatement[],
): Promise<Saved> {
  try {
    const results = await db.batch([...statements, selectSaved(db, page_id, save_id)]);
    return savedOr(savedPage(results.at(-1)), "refused");
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== null) return { outcome: refusal };
    // The transaction may have been committed although its reply was lost.
    const page = savedPage(await selectSaved(db, page_id, save_id).all());
    if (page === null) throw error;
    return { outcome: "saved", page };
  }
}

function savedOr(page: Page | null, refusal: Refusal): Saved {
  return page === null ? { outcome: refusal } : { outcome: "saved", page };
}

/** SQLite's messages name the columns of a unique index; the trigger's is in its migration. */
function refusalOf(error: unknown): Refusal | null {
  const message = error instanceof Error ? error.message : "";
  if (/UNIQUE constraint failed: \w+\.slug|SLUG_RESTS/.test(message)) return "slug_taken";
  if (/UNIQUE constraint failed: .*\bsource\b/.test(message)) return "source_taken";
  return null;
}

function refuseReserved(slug: string): void {
  if (!isClaimable(canonicalSlug(slug) ?? slug)) throw new ReservedSlugError(slug);
}
