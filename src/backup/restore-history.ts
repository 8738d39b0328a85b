/**
 * Restores imported history where there are databases of statistics (`objects/stats`): rows go to the
 * home that the page has today, whatever database they were in.
 *
 * The page's object may not be there yet, or may be about to finish a move to another one, at the end of
 * which it deletes the page's rows in the database that it leaves. So the rows go to those that it reads
 * too. A move copies what is missing and deletes the rest, and of each row there is one per database.
 */
import { homeOf, MAIN, openStats, statsDatabases } from "../../objects/stats/databases.ts";
import { whichExist } from "../pages/pages-store.ts";
import { type Row, restoreHistory, restoreRows } from "./restore-rows.ts";
import type { BackedTable } from "./tables.ts";

type Env = Pick<Cloudflare.Env, "DB" | "PAGE">;

/** Calls of objects that are under way at once. */
const CALLS_AT_ONCE = 30;

/** Answers how many rows it wrote. */
export async function writeHistory(
  env: Env,
  table: BackedTable,
  rows: readonly Row[],
): Promise<number> {
  const stats = statsDatabases(env);
  const there = await whichExist(env.DB, [...new Set(rows.map((row) => String(row.page_id)))]);
  const rowsIn = new Map<string, Row[]>();
  for (let from = 0; from < there.length; from += CALLS_AT_ONCE) {
    const some = there.slice(from, from + CALLS_AT_ONCE).map(async (page_id) => {
      const names: string[] = await env.PAGE.getByName(page_id).statsNames();
      // One that is not bound any more is left by the object without a copy.
      const bound = names.filter((name) => name === MAIN || stats.bound.has(name));
      return [page_id, new Set([homeOf(page_id, stats.homes), ...bound])] as const;
    });
    const homes = new Map(await Promise.all(some));
    for (const row of rows) {
      for (const name of homes.get(String(row.page_id)) ?? []) {
        const known = rowsIn.get(name) ?? [];
        known.push(row);
        rowsIn.set(name, known);
      }
    }
  }
  let written = 0;
  for (const [name, some] of rowsIn) {
    const db = openStats(env.DB, stats, name);
    const write = name === MAIN ? restoreRows : restoreHistory;
    const results = await db.batch(write(db, table, some));
    written += results.reduce((n, { results }) => n + results.length, 0);
  }
  return written;
}
