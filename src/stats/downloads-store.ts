/**
 * How often the download blocks of a page were used: reads of `downloads`, which the object of the page's
 * downloads writes (`objects/downloads/flush-downloads.ts`).
 */
import { SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { MINE } from "./stats-store.ts";

/** Longest wait for the object. D1's numbers are a few seconds old without it. */
const FLUSH_TIMEOUT_MS = 2 * SECOND_MS;

export interface LinkDownloads {
  link_id: string;
  /** One person's ranges and resumptions are one. */
  uses: number;
  /** All that was sent, also of downloads that were not finished. */
  bytes: number;
}

/**
 * Since the page was created, the most used first. Empty if the page is not this owner's. Flushes first
 * where the page has a download.
 */
export async function readDownloads(
  { DB, DOWNLOADS }: Pick<Cloudflare.Env, "DB" | "DOWNLOADS">,
  owner_id: string,
  page_id: string,
): Promise<LinkDownloads[]> {
  const offered = await DB.prepare(
    `SELECT 1 FROM pages, json_each(document, '$.links')
     WHERE page_id = ?1 AND owner_id = ?2 AND value ->> 'kind' = 'download' LIMIT 1`,
  )
    .bind(page_id, owner_id)
    .first();
  if (offered !== null) {
    const flushing = DOWNLOADS.getByName(page_id).flush();
    await withTimeout(flushing, FLUSH_TIMEOUT_MS).catch(() => {});
  }
  const { results } = await DB.prepare(
    `SELECT link_id, uses, bytes FROM downloads WHERE page_id = ${MINE}
     ORDER BY uses DESC, link_id`,
  )
    .bind(page_id, owner_id)
    .all<LinkDownloads>();
  return results;
}
