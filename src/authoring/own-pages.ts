/** A creator's pages as routes read, change and add them; `save-page.ts` has the transactions. */
import type { Context } from "hono";
import { logError } from "../../objects/platform/log.ts";
import { notePageEnd, notePageMade } from "../accounts/page-notes.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { startDelivery } from "../pages/cache/page-changes.ts";
import { PAGES_PER_PLAN } from "../pages/document/limits.ts";
import { type AskedEnd, findPage, type Page } from "../pages/document/pages-store.ts";
import { isClaimable } from "../pages/document/reserved-slugs.ts";
import {
  createPage,
  type Edit,
  type NewPage,
  type SaveOptions,
  savePage,
} from "../pages/document/save-page.ts";
import { findTakedown } from "../pages/document/takedowns-store.ts";
import { versionConflict } from "./if-match.ts";

export function pagesMax(c: Context<SignedIn>): number {
  return PAGES_PER_PLAN[c.get("session").user.plan];
}

/** The owner's page, even while its deletion can be undone. Throws 404, and 503 where D1 fails. */
export async function requirePage(
  c: Context<SignedIn>,
  { owner_id, page_id }: { owner_id: string; page_id: string },
): Promise<Page> {
  const page = await callDependency("page_failed", () => findPage(c.env.DB, owner_id, page_id));
  if (page === null || hasEnded(page, Date.now())) throw new ApiError("PAGE_NOT_FOUND");
  return page;
}

/** Whether a deletion is final; the row stays until the next cron job. */
export function hasEnded({ ends_at }: Pick<Page, "ends_at">, now: number): boolean {
  return ends_at !== null && ends_at <= now;
}

/** As {@link requirePage}, but 404 for a deleted page, and 410 with the reason of a takedown. */
export async function requireEditable(
  c: Context<SignedIn>,
  which: { owner_id: string; page_id: string },
): Promise<Page> {
  const page = await requirePage(c, which);
  if (page.ends_at !== null) throw new ApiError("PAGE_NOT_FOUND");
  if (page.status !== "suspended") return page;
  const takedown = await callDependency("page_failed", () => findTakedown(c.env.DB, page.page_id));
  throw new ApiError("PAGE_SUSPENDED", {
    details: takedown === null ? {} : { takedown_reason: takedown.reason },
  });
}

/**
 * Saves a page and starts the delivery of the change. Throws 403 past the plan's pages, 404, 409
 * SLUG_TAKEN, 412 where another request was first, 503.
 *
 * @param isDone whether another request made the same change; then the page is answered as it is
 */
export async function changePage(
  c: Context<SignedIn>,
  before: Page,
  edit: Edit,
  options: SaveOptions,
  isDone: (now: Page) => boolean,
): Promise<Page> {
  if (edit.slug !== undefined && edit.slug !== before.slug) refuseReserved(edit.slug);
  const saved = await callDependency("save_failed", () =>
    savePage(c.env.DB, before, edit, options, Date.now()),
  );
  if (saved.outcome === "saved") {
    startDelivery(c);
    return saved.page;
  }
  if (saved.outcome === "slug_taken") throw new ApiError("SLUG_TAKEN");
  const { page_id, owner_id } = before;
  const now = await requirePage(c, { page_id, owner_id: owner_id ?? "" });
  if (now.version === before.version) throw planLimit(c);
  if (isDone(now)) return now;
  throw versionConflict(now);
}

/** Notes the end outside of D1, so that no restored D1 undoes it. Throws 503; repeat is safe. */
export function noteEnd(c: Context<SignedIn>, asked: AskedEnd): Promise<void> {
  return callDependency("save_failed", () => notePageEnd(c.env.MEDIA, asked, Date.now()));
}

/** A failure is only logged: the page exists, and only a restored D1 needs the note. */
export function noteMade(c: Context<SignedIn>, page_id: string): void {
  const noting = notePageMade(c.env.MEDIA, page_id, Date.now());
  c.executionCtx.waitUntil(noting.catch((error) => logError("note_failed", { page_id }, error)));
}

/** Throws 403 PLAN_LIMIT, 409 SLUG_TAKEN and 503. */
export async function addPage(
  c: Context<SignedIn>,
  page: Omit<NewPage, "owner_id">,
  options: SaveOptions,
): Promise<Page> {
  refuseReserved(page.slug);
  const owner_id = c.get("session").user.id;
  const saved = await callDependency("save_failed", () =>
    createPage(c.env.DB, { ...page, owner_id }, { ...options, pages_max: pagesMax(c) }, Date.now()),
  );
  if (saved.outcome === "saved") {
    startDelivery(c);
    noteMade(c, page.page_id);
    return saved.page;
  }
  throw saved.outcome === "slug_taken" ? new ApiError("SLUG_TAKEN") : planLimit(c);
}

export function planLimit(c: Context<SignedIn>): ApiError {
  const { plan } = c.get("session").user;
  return new ApiError("PLAN_LIMIT", { details: { plan, pages_max: PAGES_PER_PLAN[plan] } });
}

/** A slug that is, or looks like, an address of the site itself counts as taken. */
function refuseReserved(slug: string): void {
  if (!isClaimable(slug)) throw new ApiError("SLUG_TAKEN");
}
