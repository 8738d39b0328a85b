/**
 * Copies the rows of a page that no object holds, imported history and invented sample data, from
 * one database of statistics to another. They never change, so a copy may be repeated.
 */
import type { Database, Statement } from "../../platform/ports.ts";
import { MAIN } from "./databases.ts";
import { hasLeft } from "./left-pages.ts";

/** Rows of one call: a bound value has at most 2 MB. */
const TALLIES_MAX = 2_000;
const DAYS_MAX = 4;

interface Tally {
  hour: number;
  kind: string;
  link_id: string;
  class: string;
  shard: number;
  n: number;
}

interface Day {
  day: number;
  shard: number;
  visitors: number;
  breakdowns: string;
  version: number;
  updated_at: number;
}

interface Month {
  shard: number;
  month: number;
  until: number;
  breakdowns: string;
  version: number;
}

interface Rolled {
  shard: number;
  rolled_to: number;
}

type Part = [Tally[], Day[], Month[], Rolled[]];

const SELECT_TALLIES = `SELECT hour, kind, link_id, class, shard, n FROM tallies
  WHERE page_id = ?1 AND (hour, kind, link_id, class, shard) > (?2, ?3, ?4, ?5, ?6) AND shard < 0
  ORDER BY hour, kind, link_id, class, shard LIMIT ${TALLIES_MAX}`;
const SELECT_DAYS = `SELECT day, shard, visitors, breakdowns, version, updated_at FROM days
  WHERE page_id = ?1 AND (day, shard) > (?2, ?3) AND shard < 0
  ORDER BY day, shard LIMIT ${DAYS_MAX}`;
const SELECT_MONTHS = `SELECT shard, month, until, breakdowns, version FROM months
  WHERE page_id = ?1 AND (shard, month) > (?2, ?3) AND shard < 0 ORDER BY shard, month LIMIT ${DAYS_MAX}`;
const SELECT_ROLLED = "SELECT shard, rolled_to FROM rolled_days WHERE page_id = ?1 AND shard < 0";
const COUNT = `SELECT
  (SELECT COUNT(*) FROM tallies WHERE page_id = ?1 AND shard < 0)
  + (SELECT COUNT(*) FROM days WHERE page_id = ?1 AND shard < 0)
  + (SELECT COUNT(*) FROM months WHERE page_id = ?1 AND shard < 0)
  + (SELECT COUNT(*) FROM rolled_days WHERE page_id = ?1 AND shard < 0) AS n`;

// Parameters: ?1 page, ?2 number of the move, ?3 rows as JSON.
const insert = (table: string, columns: readonly string[], isMain: boolean) =>
  `INSERT INTO ${table} (page_id, ${columns.join(", ")})
  SELECT ?1, ${columns.map((column) => `value ->> '${column}'`).join(", ")} FROM json_each(?3)
  WHERE NOT ${hasLeft("?2")}${isMain ? " AND EXISTS (SELECT 1 FROM pages WHERE page_id = ?1)" : ""}
  ON CONFLICT DO NOTHING`;
const COLUMNS = {
  tallies: ["hour", "kind", "link_id", "class", "shard", "n"],
  days: ["day", "shard", "visitors", "breakdowns", "version", "updated_at"],
  months: ["shard", "month", "until", "breakdowns", "version"],
  rolled_days: ["shard", "rolled_to"],
} as const;

export interface Named {
  name: string;
  db: Database;
}

/** Rejects unless the new home then has every such row, and once the page has ended (`inTime`). */
export async function copyHistory(
  { from, to }: { from: Named; to: Named },
  page_id: string,
  move: number,
  inTime: <T>(call: Promise<T>) => Promise<T>,
): Promise<void> {
  const select = (sql: string, ...after: unknown[]) => from.db.prepare(sql).bind(page_id, ...after);
  let copied = 0;
  let tally: Tally | undefined;
  let day: Day | undefined;
  let month: Month | undefined;
  for (let isWhole = false; !isWhole; ) {
    const isFirst = tally === undefined && day === undefined && month === undefined;
    const found = await inTime(
      from.db.batch<unknown>([
        select(
          SELECT_TALLIES,
          tally?.hour ?? -1,
          tally?.kind ?? "",
          tally?.link_id ?? "",
          tally?.class ?? "",
          tally?.shard ?? 0,
        ),
        select(SELECT_DAYS, day?.day ?? -1, day?.shard ?? 0),
        select(SELECT_MONTHS, month?.shard ?? Number.MIN_SAFE_INTEGER, month?.month ?? 0),
        select(SELECT_ROLLED),
      ]),
    );
    const [tallies, days, months, rolled] = found.map(({ results }) => results) as Part;
    tally = tallies.at(-1) ?? tally;
    day = days.at(-1) ?? day;
    month = months.at(-1) ?? month;
    isWhole = tallies.length < TALLIES_MAX && days.length < DAYS_MAX && months.length < DAYS_MAX;
    const rows = { tallies, days, months, rolled_days: isFirst ? rolled : [] };
    const inserts: Statement[] = Object.entries(COLUMNS).flatMap(([table, columns]) => {
      const some = rows[table as keyof typeof COLUMNS];
      copied += some.length;
      if (some.length === 0) return [];
      const sql = insert(table, columns, to.name === MAIN);
      return [to.db.prepare(sql).bind(page_id, move, JSON.stringify(some))];
    });
    if (inserts.length > 0) await inTime(to.db.batch(inserts));
  }
  if (copied === 0) return;
  const { results } = await inTime(to.db.prepare(COUNT).bind(page_id).all<{ n: number }>());
  const there = results[0]?.n ?? 0;
  if (there < copied) throw new Error(`${to.name} has ${there} of ${copied} rows of history`);
}
