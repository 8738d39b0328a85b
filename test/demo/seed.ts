/**
 * Stores the demo pages, their pictures, blocks and files where they are missing, and changes nothing that
 * exists.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { storePage } from "../plain-page.ts";
import { ROOT } from "../server/bundle.ts";
import type { Media } from "../server/server.ts";
import { DEMO_AVATARS, DEMO_PAGES } from "./data.ts";
import { addBlocks, missingBlocks } from "./seed-blocks.ts";

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
    const blocks = await missingBlocks(db, media, page);
    await storePage(db, { ...page, links: [...page.links, ...blocks] });
  }
  // Old state folders have demo pages without an owner.
  await db.batch(
    DEMO_PAGES.map(({ page_id, owner_id }) =>
      db
        .prepare("UPDATE pages SET owner_id = ?2 WHERE page_id = ?1 AND owner_id IS NULL")
        .bind(page_id, owner_id),
    ),
  );
  // Nor do they have blocks.
  for (const { page_id } of DEMO_PAGES) await addBlocks(db, media, page_id);
}
