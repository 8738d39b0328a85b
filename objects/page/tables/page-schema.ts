import type { Sql } from "../../platform/ports.ts";
import type { Steps } from "../../platform/schema.ts";

const JOURNAL =
  "CREATE TABLE journal (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, events TEXT NOT NULL)";

export const PAGE_STEPS: Steps = [
  [
    JOURNAL,
    `CREATE TABLE tallies (
       hour INTEGER, kind TEXT, link_id TEXT, class TEXT,
       n INTEGER NOT NULL, flushed INTEGER NOT NULL DEFAULT 0,
       PRIMARY KEY (hour, kind, link_id, class)
     ) WITHOUT ROWID`,
    // The event keys are packed. With `unflushed_from` waking need not scan the past.
    `CREATE TABLE checkpoints (
       seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, keys BLOB NOT NULL, unflushed_from INTEGER NOT NULL
     )`,
    `CREATE TABLE days (
       day INTEGER PRIMARY KEY, visitors INTEGER NOT NULL, breakdowns TEXT NOT NULL,
       version INTEGER NOT NULL, flushed_version INTEGER NOT NULL DEFAULT 0
     )`,
    "CREATE TABLE visitors (day INTEGER, chunk INTEGER, keys BLOB NOT NULL, PRIMARY KEY (day, chunk)) WITHOUT ROWID",
  ],
  [
    // People's lifetime totals as of the checkpoint, JSON; NULL where older code wrote the row.
    "ALTER TABLE checkpoints ADD COLUMN people TEXT",
  ],
  [
    // 1 for the tally of a day while D1 may still have its hours (`retention.ts`).
    "ALTER TABLE tallies ADD COLUMN rolled INTEGER NOT NULL DEFAULT 0",
  ],
  [
    // JSON: how many new values each sender has brought (`new-values.ts`); NULL once the day is
    // over.
    "ALTER TABLE days ADD COLUMN senders TEXT",
  ],
  [
    `CREATE TABLE revisions (
       version INTEGER PRIMARY KEY, at INTEGER NOT NULL, views INTEGER NOT NULL,
       clicks INTEGER NOT NULL, links TEXT NOT NULL
     )`,
  ],
  [
    // JSON: who was on the page in the five minutes before the checkpoint (`present.ts`); NULL once
    // the day is over.
    "ALTER TABLE days ADD COLUMN present TEXT",
  ],
];

/** Made with the first conversion, because most pages never have one, and new tables cost rows. */
export const CONVERSION_STEPS: Steps = [
  [
    "CREATE TABLE conversions (id TEXT PRIMARY KEY) WITHOUT ROWID",
    // `total` is the sum of all points up to the row.
    `CREATE TABLE tips (
       seq INTEGER PRIMARY KEY, total INTEGER NOT NULL, link_id TEXT NOT NULL,
       from_id TEXT NOT NULL, from_name TEXT NOT NULL, points INTEGER NOT NULL,
       message TEXT NOT NULL, at INTEGER NOT NULL
     )`,
  ],
];

/** For so few rows, deleting one by one costs no more: a new table costs two rows. */
const FEW_ROWS = 2;

/**
 * A deleted row is billed like a written one, a dropped table is free and a new one costs two rows,
 * so a long journal is dropped and made anew.
 */
export function clearJournal(sql: Sql, rows: number): void {
  if (rows <= FEW_ROWS) {
    sql.exec("DELETE FROM journal");
    return;
  }
  sql.exec("DROP TABLE journal");
  sql.exec(JOURNAL);
}
