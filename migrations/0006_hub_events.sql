-- What the account hub told us. Times are D1's own clock in unix milliseconds, so that they can be compared.

-- When something about a user last changed: what was remembered of a session before is asked for anew.
-- Written by src/accounts/accounts-store.ts.
CREATE TABLE accounts (
  user_id    TEXT PRIMARY KEY,
  changed_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Ids of webhooks that took effect; one that comes again changes nothing. Written by src/accounts/webhooks-store.ts.
CREATE TABLE webhooks (
  webhook_id  TEXT PRIMARY KEY,
  received_at INTEGER NOT NULL
) WITHOUT ROWID;
