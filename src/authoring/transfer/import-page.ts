/**
 * Makes a page of an imported file. Pictures are stored first, and the sweep deletes them after a day
 * if no page uses them; everything else is one transaction.
 */
import type { Context } from "hono";
import { statsDatabases } from "../../../objects/page/home/databases.ts";
import { type ImportedRows, importCounts } from "../../../objects/page/import-counts.ts";
import { logError } from "../../../objects/platform/log.ts";
import { chargeDay } from "../../accounts/day-limit.ts";
import { IMPORT_UNIT_ROWS, PAGES_LISTED_MAX } from "../../accounts/limits.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { dependencyDown } from "../../http/api-error.ts";
import { callDependency } from "../../http/dependency.ts";
import { newId } from "../../http/new-id.ts";
import { startDelivery } from "../../pages/cache/page-changes.ts";
import type { DocumentInput, PageDocument } from "../../pages/document/page-document.ts";
import {
  findPageBySource,
  forgetSource,
  listOwnPages,
  type Page,
} from "../../pages/document/pages-store.ts";
import { noteRemovedLinks, type RemovedLink } from "../../pages/document/removed-links-store.ts";
import { createPage } from "../../pages/document/save-page.ts";
import { withLinkIds } from "../edit.ts";
import { noteMade, pagesMax, planLimit } from "../own-pages.ts";
import { randomSlug } from "../slug-proposals.ts";
import { storeLook, useUploads, withoutLostFiles } from "../used-files.ts";
import { findFreeSlug } from "./free-slug.ts";
import { type AcceptedPictures, storePictures } from "./imported-pictures.ts";
import type { UploadedCounts, UploadedPage } from "./read-upload.ts";

/** Attempts to find a slug: another page may take it in between. The last one is random. */
const SLUG_TRIES_MAX = 3;

/**
 * Makes a draft of the signed-in user, or returns the page that they made of the same file. Throws 403
 * PLAN_LIMIT, 429 past the imports of a day, 503 where D1, R2 or the workshop fails.
 *
 * @param source SHA-256 of the file in hex
 */
export async function importPage(
  c: Context<SignedIn>,
  imported: UploadedPage,
  pictures: AcceptedPictures,
  source: string,
): Promise<{ page: Page; is_new: boolean }> {
  const known = await findImported(c, source);
  if (known !== null) return { page: known, is_new: false };
  await requireRoom(c);
  const rows = imported.counts === null ? 0 : rowsOf(imported.counts);
  await chargeDay(c, {
    imports_day: 1,
    import_kilorows_day: Math.max(1, Math.ceil(rows / IMPORT_UNIT_ROWS)),
  });
  const page_id = newId();
  const keys = await storePictures(c.env, page_id, imported.document.avatar, pictures, Date.now());
  // Another user's export names files of that user.
  const document = await withoutLostFiles(c, withIds(withKeys(imported.document, keys)));
  const use = await useUploads(c, page_id, document);
  await storeLook(c, document);
  const now = Date.now();
  const { time_zone } = document;
  const more = (save_id: string) => [
    ...use(save_id),
    ...keepLabels(c.env.DB, { page_id, save_id, document }, imported.removed, now),
    ...(imported.counts === null
      ? []
      : importCounts(c.env.DB, { page_id, save_id }, toRows(imported.counts), time_zone, now)),
  ];
  const options = { what: ["imported"], pages_max: pagesMax(c), source, more } as const;
  const owner_id = c.get("session").user.id;
  for (let tries = 1; tries <= SLUG_TRIES_MAX; tries += 1) {
    const saved = await callDependency("import_failed", async () => {
      const slug =
        tries === SLUG_TRIES_MAX ? randomSlug() : await findFreeSlug(c.env.DB, imported.slug, now);
      const page = { page_id, owner_id, slug, status: "draft", ...document } as const;
      return createPage(c.env.DB, page, options, now);
    });
    if (saved.outcome === "saved") {
      startDelivery(c);
      noteMade(c, page_id);
      // Moves the history to the page's home; if it fails, the first flush does.
      if (imported.counts !== null && statsDatabases(c.env).bound.size > 0) {
        const moving = c.env.PAGE.getByName(page_id).flush();
        c.executionCtx.waitUntil(
          moving.catch((error) => logError("flush_failed", { page_id }, error)),
        );
      }
      return { page: saved.page, is_new: true };
    }
    if (saved.outcome === "refused") throw planLimit(c);
    if (saved.outcome === "slug_taken") continue;
    // Another request imported the same file at the same time.
    const other = await findImported(c, source);
    if (other !== null) return { page: other, is_new: false };
  }
  throw dependencyDown(new Error("no slug was free"));
}

function rowsOf({ tallies, days }: UploadedCounts): number {
  return tallies.length + days.length;
}

function toRows({ days, ...counts }: UploadedCounts): ImportedRows {
  const decoder = new TextDecoder();
  const toText = (breakdowns: Uint8Array) => decoder.decode(breakdowns);
  return {
    ...counts,
    days: days.map((day) => ({ ...day, breakdowns: toText(day.breakdowns) })),
  };
}

async function findImported(c: Context<SignedIn>, source: string): Promise<Page | null> {
  const owner_id = c.get("session").user.id;
  return callDependency("import_failed", async () => {
    const page = await findPageBySource(c.env.DB, owner_id, source);
    if (page === null || page.ends_at === null) return page;
    await forgetSource(c.env.DB, owner_id, source).run();
    return null;
  });
}

/**
 * Throws 403 before anything is stored; the transaction checks again. Deleted pages that can be restored count
 * too, else somebody could import and delete without end.
 */
async function requireRoom(c: Context<SignedIn>): Promise<void> {
  const owner_id = c.get("session").user.id;
  const pages = await callDependency("import_failed", () =>
    listOwnPages(c.env.DB, owner_id, PAGES_LISTED_MAX),
  );
  if (pages.length >= pagesMax(c)) throw planLimit(c);
}

function withIds(document: DocumentInput): PageDocument {
  const ids = document.links.flatMap(({ link_id }) => link_id ?? []);
  return withLinkIds(document, new Set(ids));
}

function withKeys(document: DocumentInput, keys: ReadonlyMap<string, string>): DocumentInput {
  const keyOf = (key: string | null) => (key === null ? null : (keys.get(key) ?? null));
  return {
    ...document,
    avatar: keyOf(document.avatar),
    links: document.links.map((link) => ({ ...link, image: keyOf(link.image) })),
  };
}

/** Labels of one statement: a bound value has 2 MB at most, and a label 6 KB. */
const LABELS = 250;

function keepLabels(
  db: D1Database,
  { page_id, save_id, document }: { page_id: string; save_id: string; document: PageDocument },
  removed: readonly RemovedLink[],
  now: number,
): D1PreparedStatement[] {
  const statements: D1PreparedStatement[] = [];
  for (let at = 0; at < removed.length; at += LABELS) {
    const links = { removed: removed.slice(at, at + LABELS), kept: document.links };
    statements.push(...noteRemovedLinks(db, page_id, links, save_id, now));
  }
  return statements;
}
