/** Reads of the table `tips`, which the page's object writes. */
import type { TipRow, TipTotals } from "../../../objects/page/tables/conversions.ts";

export type ReceivedTip = Omit<TipRow, "total" | "from_id">;

export async function listTips(
  db: D1Database,
  page_id: string,
  { limit, before }: { limit: number; before: number | null },
): Promise<{ tips: ReceivedTip[]; totals: TipTotals }> {
  const [list, last] = await db.batch([
    db
      .prepare(
        `SELECT seq, link_id, from_name, points, message, at FROM tips
         WHERE page_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3`,
      )
      .bind(page_id, before ?? Number.MAX_SAFE_INTEGER, limit),
    db
      .prepare(
        "SELECT seq AS n, total AS points FROM tips WHERE page_id = ?1 ORDER BY seq DESC LIMIT 1",
      )
      .bind(page_id),
  ]);
  const totals = last?.results[0] as TipTotals | undefined;
  return { tips: (list?.results ?? []) as ReceivedTip[], totals: totals ?? { n: 0, points: 0 } };
}
