export interface ReceivedTip {
  /** Counts from 1, in the order of arrival. */
  seq: number;
  from_name: string;
  points: number;
  /** `''`: none. */
  message: string;
  at: number;
}

export interface ReceivedTips {
  /** The number of all tips. */
  n: number;
  points: number;
  /** The jar may be hidden. */
  has_jar: boolean;
  tips: ReceivedTip[];
}

/** Lists up to `limit` tips before number `before`; null if the page is another owner's. */
export async function readReceivedTips(
  db: D1Database,
  { owner_id, page_id }: { owner_id: string; page_id: string },
  { before, limit }: { before: number | null; limit: number },
): Promise<ReceivedTips | null> {
  const [of_page, listed] = await db.batch<unknown>([
    db
      .prepare(
        `SELECT COALESCE(last.seq, 0) AS n, COALESCE(last.total, 0) AS points,
           EXISTS (SELECT 1 FROM json_each(document, '$.links') WHERE value ->> 'kind' = 'tip') AS has_jar
         FROM pages LEFT JOIN tips AS last ON last.page_id = ?1
           AND last.seq = (SELECT MAX(seq) FROM tips WHERE page_id = ?1)
         WHERE pages.page_id = ?1 AND owner_id = ?2`,
      )
      .bind(page_id, owner_id),
    db
      .prepare(
        `SELECT seq, from_name, points, message, at FROM tips
         WHERE page_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3`,
      )
      .bind(page_id, before ?? Number.MAX_SAFE_INTEGER, limit),
  ]);
  const [row] = (of_page?.results ?? []) as { n: number; points: number; has_jar: 0 | 1 }[];
  if (row === undefined) return null;
  const tips = (listed?.results ?? []) as ReceivedTip[];
  return { ...row, has_jar: row.has_jar === 1, tips };
}
