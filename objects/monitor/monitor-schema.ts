import type { Steps } from "../platform/schema.ts";

export const MONITOR_STEPS: Steps = [
  [
    // `span`: seconds of the row's time, 60, 3600 or 86400; 0 is the sum since the monitor began.
    // `at`: unix seconds at which it starts. `sample`: JSON.
    `CREATE TABLE samples (span INTEGER NOT NULL, at INTEGER NOT NULL, sample TEXT NOT NULL,
       PRIMARY KEY (span, at)) WITHOUT ROWID`,
    `CREATE TABLE late (page_id TEXT PRIMARY KEY, due_at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
       cause TEXT NOT NULL) WITHOUT ROWID`,
    "CREATE INDEX late_due ON late (due_at)",
    // `n` counts the events that routers saw; it is halved every hour.
    "CREATE TABLE busy (page_id TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID",
    `CREATE TABLE alerts (id TEXT PRIMARY KEY, kind TEXT NOT NULL, began_at INTEGER NOT NULL,
       ended_at INTEGER, value REAL NOT NULL) WITHOUT ROWID`,
    // An alert that is running cannot begin again.
    "CREATE UNIQUE INDEX alerts_running ON alerts (kind) WHERE ended_at IS NULL",
    "CREATE INDEX alerts_began ON alerts (began_at)",
    // `id` and `body` are the same in every try.
    `CREATE TABLE deliveries (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, alert_id TEXT NOT NULL,
       channel TEXT NOT NULL,
       subject TEXT NOT NULL, body TEXT NOT NULL, created_at INTEGER NOT NULL, tries INTEGER NOT NULL,
       next_at INTEGER NOT NULL, UNIQUE (id, channel))`,
    "CREATE INDEX deliveries_alert ON deliveries (alert_id, channel, seq)",
  ],
  // Unix milliseconds after which a late page that reports no more is taken to be well.
  ["ALTER TABLE late ADD COLUMN silent_at INTEGER NOT NULL DEFAULT 0"],
];
