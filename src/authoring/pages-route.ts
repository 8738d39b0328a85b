import type { Context } from "hono";
import { MINUTE_MS } from "../../objects/platform/clock.ts";
import { chargeDay } from "../accounts/day-limit.ts";
import { PAGES_LISTED_MAX } from "../accounts/limits.ts";
import { ownerAndPage } from "../accounts/owner-and-page.ts";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { JSON_TYPES, readAnyJson } from "../http/body.ts";
import { conditional } from "../http/conditional.ts";
import { callDependency } from "../http/dependency.ts";
import { PAGE_PATH, PAGES_PATH, UNDELETE_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { newId } from "../http/new-id.ts";
import { validate } from "../http/validate.ts";
import { UNDO_MINUTES } from "../pages/document/limits.ts";
import { listOwnPages, type Page } from "../pages/document/pages-store.ts";
import { findRemovedLinks } from "../pages/document/removed-links-store.ts";
import { changesOf, isReflected, unknownLinks, withLinkIds } from "./edit.ts";
import { etagOf, isMatched, versionConflict } from "./if-match.ts";
import { DOCUMENT_BYTES_MAX } from "./limits.ts";
import { mergePatch } from "./merge-patch.ts";
import {
  addPage,
  changePage,
  hasEnded,
  noteEnd,
  pagesMax,
  requireEditable,
  requirePage,
} from "./own-pages.ts";
import { PageInput, withoutReadOnly } from "./page-input.ts";
import { isoTime, pageJson, summaryJson } from "./page-json.ts";
import { storeLook, useUploads } from "./used-files.ts";

const PATCH_TYPES: ReadonlySet<string> = new Set([...JSON_TYPES, "application/merge-patch+json"]);

export const authoring = new Hono<SignedIn>();

for (const path of [PAGES_PATH, PAGE_PATH, UNDELETE_PATH]) authoring.use(path, exactLimit);

/** Lists the user's pages, without their links (docs/contract.md section 10). 200 `{ok, pages}`. */
authoring.get(PAGES_PATH, privateRoute, async (c) => {
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

/** Makes a page. 201 `{ok, page}` with its address in `Location`. */
authoring.post(PAGES_PATH, privateRoute, async (c) => {
  const body = await readAnyJson(c.req.raw, JSON_TYPES, DOCUMENT_BYTES_MAX);
  const { slug, status, ...input } = validate(PageInput, withoutReadOnly(body));
  const page_id = newId();
  const document = withLinkIds(input, new Set());
  const more = await useUploads(c, page_id, document);
  await storeLook(c, document);
  const page = await addPage(
    c,
    { page_id, slug, status, ...document },
    { what: ["created"], more },
  );
  c.header("Location", `${PAGES_PATH}/${page_id}`);
  return answer(c, page, 201);
});
authoring.all(PAGES_PATH, onlyMethods("GET", "POST"));

/** 200 `{ok, page}` with its version as `ETag`, or 304. */
authoring.get(PAGE_PATH, privateRoute, async (c) => {
  const page = await requirePage(c, ownerAndPage(c));
  return conditional(c, answer(c, page, 200));
});

/**
 * Changes the members that a JSON Merge Patch names (RFC 7396). 200 `{ok, page}`; 412 VERSION_CONFLICT with the
 * current page in `details.page`, 428 without `If-Match`. A patch that changes nothing makes no version and
 * gets 200 for any `If-Match`: it may repeat one whose answer was lost.
 */
authoring.patch(PAGE_PATH, privateRoute, (c) =>
  change(c, async () => {
    const patch = withoutReadOnly(await readAnyJson(c.req.raw, PATCH_TYPES, DOCUMENT_BYTES_MAX));
    return (page) => mergePatch(withoutReadOnly(pageJson(page)), patch);
  }),
);

/** Replaces the whole page and answers as PATCH does. What the body leaves out gets its default. */
authoring.put(PAGE_PATH, privateRoute, (c) =>
  change(c, async () => {
    const body = withoutReadOnly(await readAnyJson(c.req.raw, JSON_TYPES, DOCUMENT_BYTES_MAX));
    return () => body;
  }),
);

/**
 * Deletes the page: at once for everybody else, for good after half an hour. 202 `{ok, page, undo:{path,
 * until}}`, also for a deleted page; 429 also past the deletions of a day.
 */
authoring.delete(PAGE_PATH, privateRoute, async (c) => {
  const page = await requirePage(c, ownerAndPage(c));
  const isDeleted = (page: Page) => page.ends_at !== null;
  if (!isMatched(c, page) && !isDeleted(page)) throw versionConflict(page);
  const ends_at = Date.now() + UNDO_MINUTES * MINUTE_MS;
  const deleted = isDeleted(page) ? page : await remove(c, page, ends_at, isDeleted);
  const undo = {
    path: UNDELETE_PATH.replace(":page_id", page.page_id),
    until: isoTime(deleted.ends_at ?? ends_at),
  };
  c.header("ETag", etagOf(deleted));
  return c.json({ ok: true, page: pageJson(deleted), undo }, 202);
});
authoring.all(PAGE_PATH, onlyMethods("GET", "PATCH", "PUT", "DELETE"));

/**
 * Restores a deleted page with its status. 200 `{ok, page}`, also for a page that is not deleted;
 * 403 PLAN_LIMIT where the plan has no room, 404 after half an hour.
 */
authoring.post(UNDELETE_PATH, privateRoute, async (c) => {
  const page = await requirePage(c, ownerAndPage(c));
  await chargeDay(c, { ends_day: 1 });
  const isDone = ({ ends_at }: Page) => ends_at === null;
  const options = { what: ["undeleted"], pages_max: pagesMax(c) } as const;
  const undone = isDone(page)
    ? page
    : await changePage(c, page, { ends_at: null }, options, isDone);
  // After the save, which the plan may refuse. Repeated requests do it too: the first may have ended
  // before this.
  await noteEnd(c, undone);
  return answer(c, undone, 200);
});
authoring.all(UNDELETE_PATH, onlyMethods("POST"));

/** The note comes first: if the save is not answered, the cron makes it. */
async function remove(
  c: Context<SignedIn>,
  page: Page,
  ends_at: number,
  isDeleted: (now: Page) => boolean,
): Promise<Page> {
  const { page_id, version } = page;
  await chargeDay(c, { ends_day: 1 });
  await noteEnd(c, { page_id, version: version + 1, ends_at });
  try {
    return await changePage(c, page, { ends_at }, { what: ["deleted"] }, isDeleted);
  } catch (error) {
    // The owner is asked again, because they have not seen this version.
    if (error instanceof ApiError && error.code === "VERSION_CONFLICT") await noteEnd(c, page);
    throw error;
  }
}

type Wanted = (page: Page) => unknown;

/** @param read what to make of the page, from the body; rejects for a bad body */
async function change(c: Context<SignedIn>, read: () => Promise<Wanted>): Promise<Response> {
  const before = await requireEditable(c, ownerAndPage(c));
  if (!isMatched(c, before)) {
    if (await isRepeated(before, read)) return answer(c, before, 200);
    throw versionConflict(before);
  }
  const wanted = await read();
  const { slug, status, ...input } = validate(PageInput, wanted(before));
  const { page_id } = before;
  const known = await callDependency("page_failed", () =>
    findRemovedLinks(c.env.DB, page_id, unknownLinks(input, before)),
  );
  for (const { link_id } of before.links) known.add(link_id);
  const document = withLinkIds(input, known);
  const what = changesOf(before, { slug, status, document });
  if (what.length === 0) return answer(c, before, 200);
  const more = await useUploads(c, page_id, document);
  await storeLook(c, document);
  const edit = { slug, status, document };
  const saved = await changePage(c, before, edit, { what, more }, (now) => isMade(now, wanted));
  return answer(c, saved, 200);
}

/** The answer to the same request may have been lost. */
async function isRepeated(page: Page, read: () => Promise<Wanted>): Promise<boolean> {
  try {
    return isMade(page, await read());
  } catch (error) {
    // The version is judged before the body.
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function isMade(page: Page, wanted: Wanted): boolean {
  const input = PageInput.safeParse(wanted(page));
  return input.success && isReflected(page, input.data);
}

function answer(c: Context<SignedIn>, page: Page, status: 200 | 201): Response {
  c.header("ETag", etagOf(page));
  return c.json({ ok: true, page: pageJson(page) }, status);
}
