import { OUTBOX_RETRIES, OUTBOX_TABLE } from "../../events/conversion-outbox.ts";
import type { Steps } from "../../platform/schema.ts";

export const DOWNLOAD_STEPS: Steps = [
  [
    `CREATE TABLE links (
       link_id TEXT PRIMARY KEY, uses INTEGER NOT NULL, bytes INTEGER NOT NULL,
       flushed_uses INTEGER NOT NULL DEFAULT 0, flushed_bytes INTEGER NOT NULL DEFAULT 0
     ) WITHOUT ROWID`,
    // Requests with the same token are the same use. `until` is NULL for a token that never
    // expires, because it is made of who the person is.
    `CREATE TABLE tokens (
       link_id TEXT, token_id TEXT, until INTEGER, PRIMARY KEY (link_id, token_id)
     ) WITHOUT ROWID`,
    `CREATE TABLE vouchers (
       voucher_id TEXT PRIMARY KEY, uses INTEGER NOT NULL, until INTEGER NOT NULL
     ) WITHOUT ROWID`,
    "CREATE INDEX tokens_until ON tokens (until) WHERE until IS NOT NULL",
    "CREATE INDEX vouchers_until ON vouchers (until)",
    OUTBOX_TABLE,
  ],
  OUTBOX_RETRIES,
];
