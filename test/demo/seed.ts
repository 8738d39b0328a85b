/** Stores the demo pages, their pictures, blocks and files where they are missing; what exists stays. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileKey, noteReady, reserveFile } from "../../src/blocks/files/files-store.ts";
import { FILE_BYTES_PER_PLAN } from "../../src/blocks/files/limits.ts";
import { ROOT } from "../../src/commands/root.ts";
import type { Media } from "../../src/commands/serve/server.ts";
import { storePage } from "../plain-page.ts";
import { DEMO_BLOCKS, type DemoFile } from "./blocks.ts";
import { DEMO_AVATARS, DEMO_OWNER, DEMO_PAGES } from "./data.ts";

/** Safe to run at every start: it does not undo a creator's edits or bring back links they removed. */
export async function seedDemo(db: D1Database, media: Media): Promise<void> {
  for (const { key, file, type } of DEMO_AVATARS) {
    if ((await media.head(key)) !== null) continue;
    const picture = await readFile(join(ROOT, "test/demo", file));
    await media.put(key, picture, { httpMetadata: { contentType: type } });
  }
  for (const page of DEMO_PAGES) {
    // By its slug too: a creator may have given the slug to another page.
    const there = await db
      .prepare("SELECT 1 FROM pages WHERE page_id = ?1 OR slug = ?2")
      .bind(page.page_id, page.slug)
      .first();
    if (there !== null) continue;
    const { file, links = [] } = DEMO_BLOCKS[page.page_id] ?? {};
    if (file !== undefined) await storeFile(db, media, file);
    await storePage(db, { ...page, links: [...page.links, ...links] });
  }
}

/** As an upload leaves it. An earlier start may have been killed here. */
async function storeFile(
  db: D1Database,
  media: Media,
  { file_id, name, type, content }: DemoFile,
): Promise<void> {
  const bytes = await content();
  const known = await db.prepare("SELECT 1 FROM files WHERE file_id = ?1").bind(file_id).first();
  if (known === null) {
    const created_at = Date.now();
    const file = { file_id, owner_id: DEMO_OWNER, name, type, size: bytes.length, created_at };
    await reserveFile(db, file, FILE_BYTES_PER_PLAN.pro, created_at);
  }
  const stored = await media.put(fileKey(file_id), bytes, { httpMetadata: { contentType: type } });
  await noteReady(db, file_id, stored.httpEtag);
}
