import { isOpen } from "../../../objects/page/open-link.ts";
import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { ApiError } from "../../http/api-error.ts";
import { callDependency } from "../../http/dependency.ts";
import { blockOf } from "../../pages/document/block-of.ts";
import type { Link } from "../../pages/document/page-document.ts";
import { shownWords } from "../../pages/document/page-words.ts";
import { type Page, readPage } from "../../pages/document/pages-store.ts";

export interface TipJar {
  page: Page;
  owner_id: string;
  link: Link;
  amounts: readonly number[];
}

/**
 * The page's tip jar with this id, or its first open one. Throws 404 PAGE_NOT_FOUND, 410
 * PAGE_SUSPENDED, 404 LINK_NOT_FOUND, 410 LINK_EXPIRED for a closed one, and 503.
 */
export async function findTipJar(
  db: D1Database,
  page_id: string,
  link_id: string | undefined,
  now: number,
): Promise<TipJar> {
  const page = await callDependency("tip_failed", () => readPage(db, page_id));
  if (page === null || page.status === "draft" || page.ends_at !== null)
    throw new ApiError("PAGE_NOT_FOUND");
  if (page.status === "suspended") throw new ApiError("PAGE_SUSPENDED");
  const { owner_id, links } = page;
  const jars = links.filter(
    (link) => link.kind === "tip" && (link_id === undefined || link.link_id === link_id),
  );
  if (owner_id === null || jars.length === 0) throw new ApiError("LINK_NOT_FOUND");
  const link = jars.find((jar) => isOpen(jar, Math.floor(now / SECOND_MS)));
  if (link === undefined) throw new ApiError("LINK_EXPIRED");
  return { page: shownWords(page), owner_id, link, amounts: blockOf(link, "tip")?.amounts ?? [] };
}
