import { OUTBOX_RETRIES, OUTBOX_TABLE } from "../../events/conversion-outbox.ts";
import type { Steps } from "../../platform/schema.ts";

export const SUBSCRIBERS_STEPS: Steps = [
  [
    // Requests as they came (JSON). The alarm deals with them, so that every request takes the same
    // time.
    "CREATE TABLE intake (seq INTEGER PRIMARY KEY, request TEXT NOT NULL)",
    // Releases up to 3.1 begin links with `site`, here and in `mails`; a rollback needs it.
    // `address` is `email` in lower case. `confirmed_at` is NULL for 24 hours from the mail at
    // most; then the row is deleted.
    `CREATE TABLE subscribers (
       id TEXT PRIMARY KEY, email TEXT NOT NULL, address TEXT NOT NULL UNIQUE, link_id TEXT NOT NULL,
       locale TEXT NOT NULL, site TEXT NOT NULL, page_name TEXT NOT NULL, class TEXT NOT NULL,
       origin TEXT, asked_at INTEGER NOT NULL, confirmed_at INTEGER, welcomed_at INTEGER
     ) WITHOUT ROWID`,
    `CREATE INDEX subscribers_confirmed ON subscribers (confirmed_at, id)
     WHERE confirmed_at IS NOT NULL`,
    "CREATE INDEX subscribers_pending ON subscribers (asked_at) WHERE confirmed_at IS NULL",
    // SHA-256 of the tokens in the links of mails; of each subscriber those of a year.
    "CREATE TABLE tokens (seq INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, id TEXT NOT NULL)",
    "CREATE INDEX tokens_id ON tokens (id)",
    // Mails on their way, at most one for each subscriber. The token itself is stored only here.
    // What the mail is made of is copied, because the subscriber may ask again in another language
    // before the mail is repeated.
    `CREATE TABLE mails (
       id TEXT PRIMARY KEY, mail_id TEXT NOT NULL, kind TEXT NOT NULL, token TEXT NOT NULL,
       locale TEXT NOT NULL, site TEXT NOT NULL, page_name TEXT NOT NULL,
       is_charged INTEGER NOT NULL, tries INTEGER NOT NULL, next_at INTEGER NOT NULL,
       until INTEGER NOT NULL
     ) WITHOUT ROWID`,
    "CREATE INDEX mails_next ON mails (next_at)",
    // Keyed hashes of the mailboxes that got a mail within the hour, also of those that have left.
    "CREATE TABLE mailed (hash TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX mailed_at ON mailed (at)",
    OUTBOX_TABLE,
  ],
  OUTBOX_RETRIES,
];
