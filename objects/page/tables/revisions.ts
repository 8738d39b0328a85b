/**
 * What one page had counted when each version of it came into use: people's lifetime totals, noted
 * when the object takes the version.
 *
 * Every event noted under a version was counted under an older one. So if the object never saw a
 * version, because the next was saved before, the totals of the next noted version are exact for it
 * too.
 */
import type { Sql } from "../../platform/ports.ts";
import type { Total } from "./tallies.ts";

/** More versions than a creator saves in the 90 days for which revisions are kept. */
export const REVISIONS_KEPT = 1_000;

/** One row holds them: some 200 KB. A page has at most 200 links, and many that were removed. */
const LINKS_NOTED_MAX = 5_000;

export interface PeopleTotals {
  views: number;
  clicks: number;
  /** Removed links are here too; those that were never clicked are absent. */
  links: Record<string, number>;
}

export interface RevisionTotals extends PeopleTotals {
  version: number;
  /** When they were noted, in unix milliseconds; null if nothing has ever been counted. */
  at: number | null;
}

type Row = {
  version: number;
  at: number;
  views: number;
  clicks: number;
  links: string;
};

export class Revisions {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The first note of a version stays. Later versions are of a D1 before a restore. */
  note(version: number, at_ms: number, totals: readonly Total[]): void {
    this.#sql.exec("DELETE FROM revisions WHERE version > ?1", version);
    const { views, clicks, links } = peopleIn(totals, LINKS_NOTED_MAX);
    this.#sql.exec(
      `INSERT INTO revisions (version, at, views, clicks, links) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT DO NOTHING`,
      version,
      at_ms,
      views,
      clicks,
      JSON.stringify(links),
    );
    this.#sql.exec(
      `DELETE FROM revisions WHERE version <=
         (SELECT version FROM revisions ORDER BY version DESC LIMIT 1 OFFSET ?1)`,
      REVISIONS_KEPT,
    );
  }

  /** Null if the version is newer than every noted one, or so old that its note was deleted. */
  of(version: number): RevisionTotals | null {
    const row = this.#sql
      .exec<Row>(
        `SELECT version, at, views, clicks, links FROM revisions
         WHERE version >= ?1 ORDER BY version LIMIT 1`,
        version,
      )
      .toArray()[0];
    if (row === undefined) return null;
    // Nothing was counted before the first note. The oldest note may not be the first.
    const isExact = row.version === version || row.views + row.clicks === 0;
    if (!isExact && !this.#hasOlder(version)) return null;
    return { ...row, version, links: JSON.parse(row.links) };
  }

  get newest(): number {
    const rows = this.#sql.exec<{ n: number | null }>("SELECT MAX(version) AS n FROM revisions");
    return rows.toArray()[0]?.n ?? 0;
  }

  #hasOlder(version: number): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM revisions WHERE version < ?1 LIMIT 1", version).toArray()
        .length > 0
    );
  }
}

export function nothingCounted(version: number): RevisionTotals {
  return { version, at: null, views: 0, clicks: 0, links: {} };
}

/** If there are more links than `links_max`, those that were clicked least are left out. */
export function peopleIn(totals: readonly Total[], links_max = Infinity): PeopleTotals {
  let views = 0;
  let clicks = 0;
  const links: [link_id: string, clicks: number][] = [];
  for (const { class: eventClass, kind, link_id, accepted } of totals) {
    if (eventClass !== "human") continue;
    if (kind === "view") views += accepted;
    else {
      clicks += accepted;
      links.push([link_id, accepted]);
    }
  }
  links.sort(([, a], [, b]) => b - a);
  return { views, clicks, links: Object.fromEntries(links.slice(0, links_max)) };
}
