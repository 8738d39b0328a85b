/** Times are unix milliseconds. */
import type { Steps } from "../../platform/schema.ts";

export const WEBHOOKS_STEPS: Steps = [
  [
    // `events` is JSON. `old_secret` signs too until `old_until`. `failures` in a row; nothing is
    // sent before `rest_until`; `ok_at` is the last success.
    `CREATE TABLE endpoints (
       id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, state TEXT NOT NULL,
       secret TEXT NOT NULL, old_secret TEXT, old_until INTEGER, created_at INTEGER NOT NULL,
       failures INTEGER NOT NULL, rest_until INTEGER NOT NULL, ok_at INTEGER, dropped INTEGER NOT NULL
     ) WITHOUT ROWID`,
    // One event for one endpoint. `data` is JSON, without the address of a subscriber. While it
    // waits it is tried at `next_at`, and given up at `until`.
    `CREATE TABLE deliveries (
       seq INTEGER PRIMARY KEY, endpoint_id TEXT NOT NULL, event_id TEXT NOT NULL, type TEXT NOT NULL,
       at INTEGER NOT NULL, data TEXT NOT NULL, state TEXT NOT NULL, tries INTEGER NOT NULL,
       next_at INTEGER NOT NULL, until INTEGER NOT NULL, created_at INTEGER NOT NULL
     )`,
    "CREATE INDEX deliveries_due ON deliveries (endpoint_id, next_at) WHERE state = 'waiting'",
    `CREATE TABLE attempts (
       delivery INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, outcome TEXT NOT NULL,
       status INTEGER, latency_ms INTEGER NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (delivery, n)
     ) WITHOUT ROWID`,
    // The page's links, while an endpoint wants to know of them; `fails` in a row, since
    // `failed_at`.
    `CREATE TABLE links (
       link_id TEXT PRIMARY KEY, url TEXT NOT NULL, fails INTEGER NOT NULL, failed_at INTEGER NOT NULL,
       is_down INTEGER NOT NULL, next_at INTEGER NOT NULL
     ) WITHOUT ROWID`,
    "CREATE TABLE notices (id TEXT PRIMARY KEY, host TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
  ],
];
