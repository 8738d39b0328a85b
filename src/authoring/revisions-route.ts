import type { Context } from "hono";
import type { PeopleTotals, RevisionTotals } from "../../objects/page/tables/revisions.ts";
import { ownerAndPage } from "../accounts/owner-and-page.ts";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { RESTORE_REVISION_PATH, REVISION_PATH, REVISIONS_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import { REVISIONS_KEPT } from "../pages/document/limits.ts";
import { DocumentInput, type PageDocument } from "../pages/document/page-document.ts";
import type { Page } from "../pages/document/pages-store.ts";
import {
  findRevision,
  listRevisions,
  type Revision,
  type StoredRevision,
} from "../pages/document/revisions-store.ts";
import { changesOf, withLinkIds } from "./edit.ts";
import { etagOf, isMatched, versionConflict } from "./if-match.ts";
import { changePage, requireEditable, requirePage } from "./own-pages.ts";
import { isoTime, pageJson } from "./page-json.ts";
import { RevisionsQuery, Version } from "./revisions-query.ts";
import { storeLook, useUploads, withoutLostUploads } from "./used-files.ts";

export const revisions = new Hono<SignedIn>();

for (const path of [REVISIONS_PATH, REVISION_PATH, RESTORE_REVISION_PATH])
  revisions.use(path, exactLimit);

/**
 * 200 `{ok, revisions:[{version, at, what, totals}], now}`, newest first, at most 100 (docs/contract.md
 * section 10). `totals`: views and clicks by people when the version began to count, null where the page's
 * object does not know them; `now`: those at this moment. What people did with a version is the difference
 * to the next one's totals.
 */
revisions.get(REVISIONS_PATH, privateRoute, async (c) => {
  const { before } = validate(RevisionsQuery, c.req.query());
  const { page_id } = await requirePage(c, ownerAndPage(c));
  const answer = await callDependency("revisions_failed", async () => {
    const list = await listRevisions(
      c.env.DB,
      page_id,
      before ?? Number.MAX_SAFE_INTEGER,
      REVISIONS_KEPT,
    );
    const object = c.env.PAGE.getByName(page_id);
    const totals: (RevisionTotals | null)[] = await object.revisionTotals(
      list.map(({ version }) => version),
    );
    // Read after the others, so that no number of a version is above it.
    const now: PeopleTotals = await object.peopleTotals();
    return {
      revisions: list.map((revision, i) => revisionJson(revision, totals[i] ?? null)),
      now: totalsJson(now),
    };
  });
  return c.json({ ok: true, ...answer });
});
revisions.all(REVISIONS_PATH, onlyMethods("GET"));

/** 200 `{ok, revision:{version, at, what, totals, page}}`, the page by today's schema; 404. */
revisions.get(REVISION_PATH, privateRoute, async (c) => {
  const { page_id } = await requirePage(c, ownerAndPage(c));
  const stored = await requireRevision(c, page_id);
  const { version, slug, status } = stored;
  const [totals = null]: (RevisionTotals | null)[] = await callDependency("revisions_failed", () =>
    c.env.PAGE.getByName(page_id).revisionTotals([version]),
  );
  const page = { slug, status, ...ofToday(stored.document) };
  return c.json({ ok: true, revision: { ...revisionJson(stored, totals), page } });
});
revisions.all(REVISION_PATH, onlyMethods("GET"));

/**
 * Saves a revision's document as a new version; slug and status stay. Pictures and downloads that are gone are
 * left out. 200 `{ok, page}`, for any `If-Match` where the page is like that already.
 */
revisions.post(RESTORE_REVISION_PATH, privateRoute, async (c) => {
  const page = await requireEditable(c, ownerAndPage(c));
  const isCurrent = isMatched(c, page);
  const { page_id } = page;
  const stored = await requireRevision(c, page_id);
  const document = await withoutLostUploads(c, page_id, ofToday(stored.document));
  const isRestored = (page: Page) =>
    changesOf(page, { slug: page.slug, status: page.status, document }).length === 0;
  if (!isCurrent && !isRestored(page)) throw versionConflict(page);
  const more = await useUploads(c, page_id, document);
  await storeLook(c, document);
  const restored = isRestored(page)
    ? page
    : await changePage(c, page, { document }, { what: ["restored"], more }, isRestored);
  c.header("ETag", etagOf(restored));
  return c.json({ ok: true, page: pageJson(restored) });
});
revisions.all(RESTORE_REVISION_PATH, onlyMethods("POST"));

async function requireRevision(c: Context<SignedIn>, page_id: string): Promise<StoredRevision> {
  const version = Version.safeParse(c.req.param("version"));
  if (!version.success) throw new ApiError("NOT_FOUND");
  const stored = await callDependency("revisions_failed", () =>
    findRevision(c.env.DB, page_id, version.data),
  );
  if (stored === null) throw new ApiError("NOT_FOUND");
  return stored;
}

function revisionJson({ version, saved_at, what }: Revision, totals: RevisionTotals | null) {
  return { version, at: isoTime(saved_at), what, totals: totals && totalsJson(totals) };
}

function totalsJson({ views, clicks, links }: PeopleTotals): PeopleTotals {
  return { views, clicks, links };
}

/** Today's schema may have more members than when the document was saved. */
function ofToday(stored: PageDocument): PageDocument {
  const known = new Set(stored.links.map(({ link_id }) => link_id));
  return withLinkIds(validate(DocumentInput, stored), known);
}
