/** A creator's pages: listed, made, changed and deleted (docs/contract.md section 10). */
import type { Context } from "hono";
import { Hono } from "hono";
import { MINUTE_MS } from "../../objects/platform/clock.ts";
import { ownerAndPage } from "../accounts/owner-and-page.ts";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { JSON_TYPES, readAnyJson } from "../http/body.ts";
import { conditional } from "../http/conditional.ts";
import { callDependency } from "../http/dependency.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { DOCUMENT_BYTES_MAX, PAGES_LISTED_MAX, UNDO_MINUTES } from "../http/limits.ts";
import { onlyMethods } from "../http/methods.ts";
import { newId } from "../http/new-id.ts";
import { validate } from "../http/validate.ts";
import { listOwnPages, type Page } from "../pages/pages-store.ts";
import { findRemovedLinks } from "../pages/removed-links-store.ts";
import { changesOf, unknownLinks, withLinkIds } from "./edit.ts";
import { etagOf, requireMatch } from "./if-match.ts";
import { mergePatch } from "./merge-patch.ts";
import { PageInput, withoutReadOnly } from "./page-input.ts";
import { isoTime, pageJson, summaryJson } from "./page-json.ts";
import { create, hasEnded, pagesMax, requireEditable, requirePage, save } from "./save.ts";
import { storeLook, usePictures } from "./used-files.ts";

const LIST_PATH = "/api/me/pages";
const PATH = "/api/me/pages/:page_id";
const UNDELETE_PATH = "/api/me/pages/:page_id/undelete";

const PATCH_TYPES: ReadonlySet<string> = new Set([...JSON_TYPES, "application/merge-patch+json"]);

export const authoring = new Hono<SignedIn>();

for (const path of [LIST_PATH, PATH, UNDELETE_PATH]) authoring.use(path, exactLimit);

/** 200 `{ok, pages}`, without their links. 401, 429, 502, 503, 504. */
authoring.get(LIST_PATH, privateRoute, async (c) => {
  const owner_id = c.get("session").user.id;
  const pages = await callDependency("page_failed", () =>
    listOwnPages(c.env.DB, owner_id, PAGES_LISTED_MAX),
  );
  const now = Date.now();
  return c.json({
    ok: true,
    pages: pages.filter((page) => !hasEnded(page, now)).map(summaryJson),
  });
});

/**
 * A new page. 201 `{ok, page}` with its address in `Location`; 400, 401, 403 PLAN_LIMIT or
 * CSRF_REQUIRED, 409 SLUG_TAKEN, 413, 415, 429, 502, 503, 504.
 */
authoring.post(LIST_PATH, privateRoute, async (c) => {
  const body = await readAnyJson(c.req.raw, JSON_TYPES, DOCUMENT_BYTES_MAX);
  const { slug, status, ...input } = validate(PageInput, withoutReadOnly(body));
  const page_id = newId();
  const document = withLinkIds(input, new Set());
  const more = await usePictures(c, page_id, document);
  await storeLook(c, document);
  const page = await create(c, { page_id, slug, status, ...document }, { what: ["created"], more });
  c.header("Location", `${LIST_PATH}/${page_id}`);
  return answer(c, page, 201);
});
authoring.all(LIST_PATH, onlyMethods("GET", "POST"));

/** 200 `{ok, page}` with its version as `ETag`, or 304. 401, 404, 429, 502, 503, 504. */
authoring.get(PATH, privateRoute, async (c) => {
  const page = await requirePage(c, ownerAndPage(c));
  return conditional(c, answer(c, page, 200));
});

/**
 * Changes the members that a JSON Merge Patch names (RFC 7396). 200 `{ok, page}`; 400, 401, 403
 * CSRF_REQUIRED, 404, 409 SLUG_TAKEN, 410 PAGE_SUSPENDED, 412 VERSION_CONFLICT with the current page in
 * `details.page`, 413, 415, 428 without `If-Match`, 429, 502, 503, 504. A patch that changes nothing
 * makes no version.
 */
authoring.patch(PATH, privateRoute, async (c) => {
  const page = await pageToChange(c);
  const patch = await readAnyJson(c.req.raw, PATCH_TYPES, DOCUMENT_BYTES_MAX);
  return change(c, page, mergePatch(withoutReadOnly(pageJson(page)), withoutReadOnly(patch)));
});

/** Replaces the whole page. Answers as PATCH does; what the body leaves out gets its default. */
authoring.put(PATH, privateRoute, async (c) => {
  const page = await pageToChange(c);
  const body = await readAnyJson(c.req.raw, JSON_TYPES, DOCUMENT_BYTES_MAX);
  return change(c, page, withoutReadOnly(body));
});

/**
 * Deletes the page: it is gone for everybody else at once, and for good after half an hour. 202 `{ok,
 * page, undo:{path, until}}`, also for one that is deleted already; 401, 403 CSRF_REQUIRED, 404, 412,
 * 428, 429, 502, 503, 504.
 */
authoring.delete(PATH, privateRoute, async (c) => {
  const page = await requirePage(c, ownerAndPage(c));
  requireMatch(c, page);
  const ends_at = Date.now() + UNDO_MINUTES * MINUTE_MS;
  const deleted =
    page.ends_at === null ? await save(c, page, { ends_at }, { what: ["deleted"] }) : page;
  const undo = {
    path: UNDELETE_PATH.replace(":page_id", page.page_id),
    until: isoTime(deleted.ends_at ?? ends_at),
  };
  c.header("ETag", etagOf(deleted));
  return c.json({ ok: true, page: pageJson(deleted), undo }, 202);
});
authoring.all(PATH, onlyMethods("GET", "PATCH", "PUT", "DELETE"));

/**
 * Undoes the deletion, with the page's status from before. 200 `{ok, page}`, also for a page that is
 * not deleted; 401, 403 PLAN_LIMIT or CSRF_REQUIRED, 404 after half an hour, 412, 429, 502, 503, 504.
 */
authoring.post(UNDELETE_PATH, privateRoute, async (c) => {
  const page = await requirePage(c, ownerAndPage(c));
  if (page.ends_at === null) return answer(c, page, 200);
  const options = { what: ["undeleted"], pages_max: pagesMax(c) } as const;
  return answer(c, await save(c, page, { ends_at: null }, options), 200);
});
authoring.all(UNDELETE_PATH, onlyMethods("POST"));

async function pageToChange(c: Context<SignedIn>): Promise<Page> {
  const page = await requireEditable(c, ownerAndPage(c));
  requireMatch(c, page);
  return page;
}

async function change(c: Context<SignedIn>, before: Page, body: unknown): Promise<Response> {
  const { slug, status, ...input } = validate(PageInput, body);
  const { page_id } = before;
  const known = await callDependency("page_failed", () =>
    findRemovedLinks(c.env.DB, page_id, unknownLinks(input, before)),
  );
  for (const { link_id } of before.links) known.add(link_id);
  const document = withLinkIds(input, known);
  const what = changesOf(before, { slug, status, document });
  if (what.length === 0) return answer(c, before, 200);
  const more = await usePictures(c, page_id, document);
  await storeLook(c, document);
  return answer(c, await save(c, before, { slug, status, document }, { what, more }), 200);
}

function answer(c: Context<SignedIn>, page: Page, status: 200 | 201): Response {
  c.header("ETag", etagOf(page));
  return c.json({ ok: true, page: pageJson(page) }, status);
}
