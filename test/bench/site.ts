import type { Page } from "../../src/pages/document/pages-store.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { LINK_IDS } from "./requests.ts";

/** Pages `<prefix>0` … of each scenario that counts; see `scenarios.ts`. */
export const COUNTED_PAGES = {
  "hot-": 1,
  "batch-": 1,
  "naive-": 1,
  "many-": 100,
  "click-": 1,
  "shown-": 1,
  "quiet-": 12,
  "history-": 1,
} as const;

function page(page_id: string): Page {
  return plainPage({
    page_id,
    name: "متجر الياسمين",
    bio: "عطور وهدايا، توصيل إلى كل المدن",
    links: LINK_IDS.map((link_id) => ({
      link_id,
      label: link_id,
      url: `https://${link_id}.example/`,
    })),
  });
}

export async function seed(db: D1Database, cold_pages: number): Promise<void> {
  for (const [prefix, count] of Object.entries(COUNTED_PAGES)) {
    for (let n = 0; n < count; n += 1) await storePage(db, page(prefix + n));
  }
  await storePage(db, page("cold-0"));
  const numbers = `WITH RECURSIVE numbers (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${cold_pages - 1})`;
  await db.batch([
    db.prepare(
      `${numbers} INSERT INTO pages
         (page_id, slug, status, version, save_id, document, created_at, updated_at)
       SELECT 'cold-' || n, 'cold-' || n, status, 1, '', document, created_at, updated_at
       FROM numbers, pages WHERE page_id = 'cold-0'`,
    ),
  ]);
}
