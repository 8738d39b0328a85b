/** The blocks of the demo pages: each is added once, with its file as an upload leaves it. */
import { fileKey, noteReady, reserveFile } from "../../src/files/files-store.ts";
import { FILE_BYTES_PER_PLAN, LINKS_MAX } from "../../src/http/limits.ts";
import type { Link } from "../../src/pages/page-document.ts";
import { documentOf, findPage, type Page } from "../../src/pages/pages-store.ts";
import { findRemovedLinks } from "../../src/pages/removed-links-store.ts";
import { savePage } from "../../src/pages/save-page.ts";
import type { Media } from "../server/server.ts";
import { DEMO_BLOCKS, type DemoFile } from "./blocks.ts";
import { DEMO_OWNER } from "./data.ts";

/**
 * Adds the missing blocks to a page of an older state folder, by a save like a creator's, which keeps
 * everything else. Changes nothing where the page has another owner or is deleted.
 */
export async function addBlocks(db: D1Database, media: Media, page_id: string): Promise<void> {
  const page = await findPage(db, DEMO_OWNER, page_id);
  if (page === null || page.ends_at !== null) return;
  const missing = await missingBlocks(db, media, page);
  if (missing.length === 0) return;
  const document = { ...documentOf(page), links: [...page.links, ...missing] };
  await savePage(db, page, { document }, { what: ["links"] }, Date.now());
}

/** The blocks that the page neither has nor ever had, if it has room for them. Their files are stored. */
export async function missingBlocks(
  db: D1Database,
  media: Media,
  page: Pick<Page, "page_id" | "links">,
): Promise<readonly Link[]> {
  const blocks = DEMO_BLOCKS[page.page_id];
  if (blocks === undefined) return [];
  const ids = blocks.links.map(({ link_id }) => link_id);
  const known = await findRemovedLinks(db, page.page_id, ids);
  for (const { link_id } of page.links) known.add(link_id);
  const missing = blocks.links.filter(({ link_id }) => !known.has(link_id));
  if (missing.length === 0 || page.links.length + missing.length > LINKS_MAX) return [];
  if (!missing.some(isDownload) || (await storeFile(db, media, blocks.file))) return missing;
  return missing.filter((link) => !isDownload(link));
}

function isDownload({ kind }: Link): boolean {
  return kind === "download";
}

/** Returns whether the owner has the file now. */
async function storeFile(
  db: D1Database,
  media: Media,
  { file_id, name, type, content }: DemoFile,
): Promise<boolean> {
  // The state `uploading` is that of a start that was killed here, `ended` that of a file whose owner deleted it.
  const state = await db
    .prepare("SELECT state FROM files WHERE file_id = ?1")
    .bind(file_id)
    .first<string>("state");
  if (state === "ready" || state === "ended") return state === "ready";
  const bytes = await content();
  if (state === null) {
    const size = bytes.length;
    const file = { file_id, owner_id: DEMO_OWNER, name, type, size, created_at: Date.now() };
    const isReserved = await reserveFile(db, file, FILE_BYTES_PER_PLAN.pro, file.created_at);
    if (!isReserved) return false;
  }
  const stored = await media.put(fileKey(file_id), bytes, { httpMetadata: { contentType: type } });
  return noteReady(db, file_id, stored.httpEtag);
}
