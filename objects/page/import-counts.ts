/**
 * Imported history: rows of `tallies`, `days`, `months` and `rolled_days` that no object counted.
 * They have a shard of their own, so no flush changes them.
 */
import type { DayRow } from "./tables/days.ts";
import { monthsOf } from "./tables/months.ts";
import type { Tally } from "./tables/tallies.ts";

const IMPORTED_SHARD = -2;
/** The JSON of one statement: a bound value has 2 MB at most, and a UTF-16 unit up to 3 bytes. */
const IMPORT_CHARS_MAX = 600_000;
// Parameters: ?1 page, ?2 save, ?3 rows as JSON or a unix second.
const SAVED = "EXISTS (SELECT 1 FROM pages WHERE page_id = ?1 AND save_id = ?2)";
const IMPORT_TALLIES = `INSERT INTO tallies (page_id, hour, kind, link_id, class, shard, n)
  SELECT ?1, value ->> 'hour', value ->> 'kind', value ->> 'link_id', value ->> 'class',
         ${IMPORTED_SHARD}, value ->> 'n'
  FROM json_each(?3) WHERE ${SAVED}`;
const IMPORT_DAYS = `INSERT INTO days (page_id, day, shard, visitors, breakdowns, version, updated_at)
  SELECT ?1, value ->> 'day', ${IMPORTED_SHARD}, value ->> 'visitors', value ->> 'breakdowns', 1, ?4
  FROM json_each(?3) WHERE ${SAVED}`;
const IMPORT_MONTHS = `INSERT INTO months (page_id, shard, month, until, breakdowns, version)
  SELECT ?1, ${IMPORTED_SHARD}, value ->> 'month', value ->> 'until', value ->> 'breakdowns',
         value ->> 'version'
  FROM json_each(?3) WHERE ${SAVED}`;
const IMPORT_ROLLED_TO = `INSERT INTO rolled_days (page_id, shard, rolled_to)
  SELECT ?1, ${IMPORTED_SHARD}, ?3 WHERE ${SAVED}`;

export interface ImportedRows {
  tallies: readonly Tally[];
  days: readonly Omit<DayRow, "version">[];
  /** Unix second before which the tallies are of whole UTC days; 0 if none are. */
  rolled_to: number;
}

/** Runs in the transaction of the save that makes the page; writes nothing if that was not made. */
export function importCounts<S>(
  db: { prepare(query: string): { bind(...values: unknown[]): S } },
  { page_id, save_id }: { page_id: string; save_id: string },
  { tallies, days, rolled_to }: ImportedRows,
  time_zone: string,
  now: number,
): S[] {
  const months = monthsOf(days, time_zone);
  const rolled = db.prepare(IMPORT_ROLLED_TO).bind(page_id, save_id, rolled_to);
  return [
    ...chunks(tallies).map((rows) => db.prepare(IMPORT_TALLIES).bind(page_id, save_id, rows)),
    ...chunks(days).map((rows) => db.prepare(IMPORT_DAYS).bind(page_id, save_id, rows, now)),
    ...chunks(months).map((rows) => db.prepare(IMPORT_MONTHS).bind(page_id, save_id, rows)),
    ...(rolled_to > 0 ? [rolled] : []),
  ];
}

function chunks(rows: readonly object[]): string[] {
  const chunks: string[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const json = JSON.stringify(row);
    if (chars + json.length > IMPORT_CHARS_MAX) {
      chunks.push([]);
      chars = 0;
    }
    chunks.at(-1)?.push(json);
    chars += json.length + 1;
  }
  return chunks.map((jsons) => `[${jsons.join()}]`);
}
