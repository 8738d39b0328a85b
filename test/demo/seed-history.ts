/** Writes the demo pages' invented months to D1; their objects are not involved. */
import type { DayRow } from "../../objects/page/tables/days.ts";
import type { Tally } from "../../objects/page/tables/tallies.ts";
import { generator } from "../random.ts";
import { DEMO_PAGES } from "./data.ts";
import { demoHistory } from "./history.ts";

/** D1's shard of the invented history: negative, as of all imported history. */
export const DEMO_SHARD = -1;

const WITHOUT_HISTORY = `SELECT 1 FROM pages WHERE page_id = ?1
  AND NOT EXISTS (SELECT 1 FROM tallies WHERE page_id = ?1 AND shard = ?2)`;
const STORE_TALLIES = `INSERT INTO tallies (page_id, hour, kind, link_id, class, shard, n)
  SELECT ?1, value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class',
         ${DEMO_SHARD}, value ->> 'n' FROM json_each(?2)`;
const STORE_DAYS = `INSERT INTO days (page_id, day, shard, visitors, breakdowns, version, updated_at)
  SELECT ?1, value ->> 'day', ${DEMO_SHARD}, value ->> 'visitors', value ->> 'breakdowns',
         value ->> 'version', ?3 FROM json_each(?2)`;

/**
 * Safe to run at every start: a page gets its history once, up to the hour of that start, in one
 * transaction. As JSON it is half a megabyte; D1 accepts values of up to two.
 */
export async function seedHistory(db: D1Database, now_ms: number): Promise<void> {
  for (const [place, page] of DEMO_PAGES.entries()) {
    const { page_id } = page;
    const without = await db.prepare(WITHOUT_HISTORY).bind(page_id, DEMO_SHARD).first();
    if (without === null) continue;
    await storeHistory(db, page_id, demoHistory(page, now_ms, generator(place)), now_ms);
  }
}

export async function storeHistory(
  db: D1Database,
  page_id: string,
  { tallies, days }: { tallies: readonly Tally[]; days: readonly DayRow[] },
  now_ms: number,
): Promise<void> {
  await db.batch([
    db.prepare(STORE_TALLIES).bind(page_id, JSON.stringify(tallies)),
    db.prepare(STORE_DAYS).bind(page_id, JSON.stringify(days), now_ms),
  ]);
}
