/** Writes the demo pages' invented months to D1; their objects are not involved. */
import { flushPage } from "../../objects/page/flush-page.ts";
import { generator } from "../random.ts";
import { DEMO_PAGES } from "./data.ts";
import { demoHistory } from "./history.ts";

/** D1's shard of the invented history: negative, as of all imported history. */
export const DEMO_SHARD = -1;

/** Selects a row for a demo page that exists and has no history yet. */
const WITHOUT_HISTORY = `SELECT 1 FROM pages WHERE page_id = ?1
  AND NOT EXISTS (SELECT 1 FROM tallies WHERE page_id = ?1 AND shard = ?2)`;
/** Nothing was flushed before. */
const NOTHING = { since: 0, rolled_to: 0, n: 0 };

/**
 * Safe to run at every start: a page gets its history once, up to the hour of that start, in one
 * transaction. As JSON it is half a megabyte; D1 accepts values of up to two.
 */
export async function seedHistory(db: D1Database, now_ms: number): Promise<void> {
  for (const [place, page] of DEMO_PAGES.entries()) {
    const { page_id } = page;
    const without = await db.prepare(WITHOUT_HISTORY).bind(page_id, DEMO_SHARD).first();
    if (without === null) continue;
    const rows = demoHistory(page, now_ms, generator(place));
    await flushPage(db, { page_id, shard: DEMO_SHARD, ...rows, milestones: [] }, NOTHING, now_ms);
  }
}
