/** Reads of what D1 has of a page, for an object whose own storage is of an older time. */
import type { RowsHome } from "./home/page-home.ts";
import type { TipRow } from "./tables/conversions.ts";
import type { DayRow } from "./tables/days.ts";
import type { Tally } from "./tables/tallies.ts";

/** Rows of one query: 0.2 MB of tallies, at most 0.7 MB of days and 1.5 MB of tips. */
const TALLIES_MAX = 2_000;
const DAYS_MAX = 20;
const TIPS_MAX = 500;

const SELECT_TALLIES = `SELECT hour, kind, link_id, class, n FROM tallies
  WHERE page_id = ?1 AND shard = 0 AND hour >= ?2 AND (hour, kind, link_id, class) > (?3, ?4, ?5, ?6)
  ORDER BY hour, kind, link_id, class LIMIT ${TALLIES_MAX}`;
const SELECT_DAYS = `SELECT day, visitors, breakdowns, version FROM days
  WHERE page_id = ?1 AND shard = 0 AND day > ?2 ORDER BY day LIMIT ${DAYS_MAX}`;

const SELECT_TIPS = `SELECT seq, total, link_id, from_id, from_name, points, message, at FROM tips
  WHERE page_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ${TIPS_MAX}`;

/** `since` is a unix second. The earliest come first. */
export async function* talliesIn(
  { db, page_id }: RowsHome,
  since: number,
): AsyncGenerator<Tally[]> {
  for (let last: Tally | undefined; ; ) {
    const { results } = await db
      .prepare(SELECT_TALLIES)
      .bind(
        page_id,
        since,
        last?.hour ?? Number.MIN_SAFE_INTEGER,
        last?.kind ?? "",
        last?.link_id ?? "",
        last?.class ?? "",
      )
      .all<Tally>();
    if (results.length > 0) yield results;
    if (results.length < TALLIES_MAX) return;
    last = results.at(-1);
  }
}

/** `after` is a unix second. The earliest come first. */
export async function* daysIn({ db, page_id }: RowsHome, after: number): AsyncGenerator<DayRow[]> {
  for (let last = after; ; ) {
    const { results } = await db.prepare(SELECT_DAYS).bind(page_id, last).all<DayRow>();
    if (results.length > 0) yield results;
    if (results.length < DAYS_MAX) return;
    last = results.at(-1)?.day ?? last;
  }
}

export async function* tipsIn(
  { main: db, page_id }: RowsHome,
  after: number,
): AsyncGenerator<TipRow[]> {
  for (let last = after; ; ) {
    const { results } = await db.prepare(SELECT_TIPS).bind(page_id, last).all<TipRow>();
    if (results.length > 0) yield results;
    if (results.length < TIPS_MAX) return;
    last = results.at(-1)?.seq ?? last;
  }
}
