/** The saves of a page, and the way back to one of them (docs/contract.md section 10). */
import { Hono } from "hono";
import type { RevisionTotals } from "../../objects/tables/revisions.ts";
import { ownerAndPage } from "../accounts/owner-and-page.ts";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { REVISIONS_KEPT } from "../http/limits.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import { DocumentInput, type PageDocument } from "../pages/page-document.ts";
import { findRevision, listRevisions, type Revision } from "../pages/revisions-store.ts";
import { changesOf, withLinkIds } from "./edit.ts";
import { etagOf, requireMatch } from "./if-match.ts";
import { isoTime, pageJson } from "./page-json.ts";
import { RevisionsQuery, Version } from "./revisions-query.ts";
import { requireEditable, requirePage, save } from "./save.ts";
import { storeLook, usePictures, withoutLostPictures } from "./used-files.ts";

const LIST_PATH = "/api/me/pages/:page_id/revisions";
const RESTORE_PATH = "/api/me/pages/:page_id/revisions/:version/restore";

export const revisions = new Hono<SignedIn>();

for (const path of [LIST_PATH, RESTORE_PATH]) revisions.use(path, exactLimit);

/**
 * 200 `{ok, revisions:[{version, at, what, totals}]}`, the newest first, at most 100; `totals` are the
 * page's lifetime views and clicks by people at the moment from which the version counted, null where
 * the page's object does not know them. 400, 401, 404, 429, 502, 503, 504.
 */
revisions.get(LIST_PATH, privateRoute, async (c) => {
  const { before } = validate(RevisionsQuery, c.req.query());
  const { page_id } = await requirePage(c, ownerAndPage(c));
  const found = await callDependency("revisions_failed", async () => {
    const list = await listRevisions(
      c.env.DB,
      page_id,
      before ?? Number.MAX_SAFE_INTEGER,
      REVISIONS_KEPT,
    );
    const versions = list.map(({ version }) => version);
    const totals: (RevisionTotals | null)[] =
      await c.env.PAGE.getByName(page_id).revisionTotals(versions);
    return list.map((revision, i) => ({ revision, totals: totals[i] ?? null }));
  });
  return c.json({ ok: true, revisions: found.map(revisionJson) });
});
revisions.all(LIST_PATH, onlyMethods("GET"));

/**
 * Saves the document of a revision as a new version; slug and status stay. Pictures that are gone are
 * left out. 200 `{ok, page}`; 401, 403 CSRF_REQUIRED, 404, 410, 412, 428, 429, 502, 503, 504.
 */
revisions.post(RESTORE_PATH, privateRoute, async (c) => {
  const page = await requireEditable(c, ownerAndPage(c));
  requireMatch(c, page);
  const { page_id } = page;
  const version = Version.safeParse(c.req.param("version"));
  if (!version.success) throw new ApiError("NOT_FOUND");
  const stored = await callDependency("revisions_failed", () =>
    findRevision(c.env.DB, page_id, version.data),
  );
  if (stored === null) throw new ApiError("NOT_FOUND");
  const document = await withoutLostPictures(c, page_id, ofToday(stored));
  const { slug, status } = page;
  const isSame = changesOf(page, { slug, status, document }).length === 0;
  const more = await usePictures(c, page_id, document);
  await storeLook(c, document);
  const restored = isSame ? page : await save(c, page, { document }, { what: ["restored"], more });
  c.header("ETag", etagOf(restored));
  return c.json({ ok: true, page: pageJson(restored) });
});
revisions.all(RESTORE_PATH, onlyMethods("POST"));

function revisionJson({ revision, totals }: { revision: Revision; totals: RevisionTotals | null }) {
  const { version, saved_at, what } = revision;
  const counted = totals && { views: totals.views, clicks: totals.clicks, links: totals.links };
  return { version, at: isoTime(saved_at), what, totals: counted };
}

/** The document by today's schema, which may have more members than when it was saved. */
function ofToday(stored: PageDocument): PageDocument {
  const known = new Set(stored.links.map(({ link_id }) => link_id));
  return withLinkIds(validate(DocumentInput, stored), known);
}
