import type { Steps } from "../platform/schema.ts";

export const ERROR_STEPS: Steps = [
  [
    // Every commit with a report of the group rewrites its row, so it holds no long text.
    // `confirmed_in` is the number of the flush by which D1 last confirmed the group.
    `CREATE TABLE groups (
       fingerprint TEXT PRIMARY KEY, n INTEGER NOT NULL,
       first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,
       flushed INTEGER NOT NULL DEFAULT 0, confirmed_in INTEGER NOT NULL DEFAULT 0
     ) WITHOUT ROWID`,
    // Written once, with the group's first report.
    `CREATE TABLE samples (
       fingerprint TEXT PRIMARY KEY, message TEXT NOT NULL, stack TEXT NOT NULL,
       severity TEXT NOT NULL, page_id TEXT NOT NULL, url TEXT NOT NULL
     ) WITHOUT ROWID`,
  ],
];
