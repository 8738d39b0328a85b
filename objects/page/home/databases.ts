/**
 * The databases that have the statistics of pages: `tallies`, `days`, `months` and `rolled_days`.
 *
 * Without bindings `STATS_0`, `STATS_1`, … they are in `DB`, with everything else. With them, each
 * page has a home among them: rendezvous hashing of its id over their names. A database more takes
 * its share of the pages from all others and moves no page between them.
 */
import type { Database } from "../../platform/ports.ts";

export const MAIN = "DB";

/** No leading zeros: one name for each number. */
const NAME = /^STATS_(?:0|[1-9]\d*)$/;

export interface StatsDatabases<D extends Database = Database> {
  /** Names of those that pages may live in. Empty: all pages live in the main database. */
  homes: readonly string[];
  /** All that are bound, by name, without the main database. */
  bound: ReadonlyMap<string, D>;
}

export const NO_STATS: StatsDatabases = { homes: [], bound: new Map() };

/** The variable STATS_LEAVING names the databases that shall become empty. */
export function statsDatabases(env: object): StatsDatabases<D1Database> {
  const { STATS_LEAVING = "" } = env as { STATS_LEAVING?: string };
  const found = Object.entries(env).filter(([name]) => NAME.test(name));
  const bound = new Map(found as [string, D1Database][]);
  const leaving = new Set(STATS_LEAVING.split(","));
  return { homes: [...bound.keys()].filter((name) => !leaving.has(name)), bound };
}

/** Throws if the database is not bound. */
export function openStats<D extends Database>(
  main: D,
  { bound }: StatsDatabases<D>,
  name: string,
): D {
  const db = name === MAIN ? main : bound.get(name);
  if (db === undefined) throw new Error(`the database ${name} is not bound`);
  return db;
}

export function homeOf(page_id: string, homes: readonly string[]): string {
  let home = MAIN;
  let highest = -1;
  for (const name of homes) {
    const score = hash(`${name}/${page_id}`);
    if (score < highest || (score === highest && name < home)) continue;
    home = name;
    highest = score;
  }
  return home;
}

/** FNV-1a over the UTF-16 units, mixed so that all 32 bits depend on each unit. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
