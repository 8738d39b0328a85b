-- The accounts of a service without an account hub of its own. Written by src/identity, each table by one file. All times are unix milliseconds.

CREATE TABLE auth_users (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  email        TEXT,                       -- in lower case, and proven by its owner; null where there is none
  plan         TEXT NOT NULL,
  locale       TEXT NOT NULL,
  is_operator  INTEGER NOT NULL,
  suspended_at INTEGER,
  ends_at      INTEGER,                    -- the deletion that was asked for can be undone until then
  created_at   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX auth_users_email ON auth_users (email) WHERE email IS NOT NULL;
CREATE INDEX auth_users_created ON auth_users (created_at, id);
CREATE INDEX auth_users_ends ON auth_users (ends_at) WHERE ends_at IS NOT NULL;

CREATE TABLE auth_sessions (
  hash       TEXT PRIMARY KEY,             -- SHA-256 of the cookie, in hex
  id         TEXT NOT NULL UNIQUE,         -- by which its user names it
  user_id    TEXT NOT NULL,
  device     TEXT NOT NULL,                -- JSON: {browser, system}
  place      TEXT NOT NULL,                -- JSON: {country, city}
  created_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL,             -- to the day
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_sessions_user ON auth_sessions (user_id, used_at DESC);
CREATE INDEX auth_sessions_expired ON auth_sessions (expires_at);

CREATE TABLE auth_passkeys (
  id         TEXT PRIMARY KEY,             -- the credential's id, base64url
  user_id    TEXT NOT NULL,
  public_key TEXT NOT NULL,                -- COSE, base64url
  counter    INTEGER NOT NULL,             -- of signatures, by the authenticator; 0 where it does not count
  transports TEXT NOT NULL,                -- JSON: how browsers reach the authenticator
  name       TEXT NOT NULL,
  is_synced  INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER
) WITHOUT ROWID;
CREATE INDEX auth_passkeys_user ON auth_passkeys (user_id, created_at);

-- A restored D1 is told again who was deleted, and may still have the account.
CREATE INDEX deleted_users_at ON deleted_users (deleted_at);

-- Ten at a time: each signs its user in once.
CREATE TABLE auth_recovery_codes (
  hash    TEXT PRIMARY KEY,                -- SHA-256 in hex, as everywhere below
  user_id TEXT NOT NULL,
  made_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_recovery_codes_user ON auth_recovery_codes (user_id);

-- Links that operators hand out: an invitation, or a way back in. Each works once.
CREATE TABLE auth_links (
  hash       TEXT PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,         -- by which operators name it
  kind       TEXT NOT NULL CHECK (kind IN ('invitation', 'way_in')),
  user_id    TEXT,                         -- of a way in
  plan       TEXT,                         -- of an invitation
  made_by    TEXT NOT NULL,
  made_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_links_made ON auth_links (kind, made_at DESC, id);
CREATE INDEX auth_links_user ON auth_links (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX auth_links_expired ON auth_links (expires_at);

-- What works once and was used: challenges until they would have expired, links, recovery codes, and for ever the
-- codes that made a first owner.
CREATE TABLE auth_used (
  key        TEXT PRIMARY KEY,             -- '<kind>/<hash>'
  user_id    TEXT,                         -- who got in by it
  expires_at INTEGER,
  is_noted   INTEGER NOT NULL              -- whether R2 knows of it, where it has to
) WITHOUT ROWID;
CREATE INDEX auth_used_expired ON auth_used (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX auth_used_unnoted ON auth_used (key) WHERE is_noted = 0;

-- What operators and users did to accounts.
CREATE TABLE auth_acts (
  n         INTEGER PRIMARY KEY AUTOINCREMENT,
  at        INTEGER NOT NULL,
  by_id     TEXT NOT NULL,
  by_name   TEXT NOT NULL,
  what      TEXT NOT NULL,
  user_id   TEXT,
  user_name TEXT,
  note      TEXT                           -- a plan, a reason, or the name of a passkey
);
CREATE INDEX auth_acts_user ON auth_acts (user_id, n DESC);

-- Points. A transfer is whole or not at all, so none is ever pending.
CREATE TABLE auth_wallets (
  user_id    TEXT PRIMARY KEY,
  points     INTEGER NOT NULL CHECK (points >= 0),
  lifetime   INTEGER NOT NULL,             -- ever received
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE auth_transfers (
  user_id   TEXT NOT NULL,                 -- who gives
  key       TEXT NOT NULL,                 -- Idempotency-Key
  id        TEXT NOT NULL,
  recipient TEXT NOT NULL,
  points    INTEGER NOT NULL CHECK (points > 0),
  at        INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) WITHOUT ROWID;

-- Keys that no transfer may have any more.
CREATE TABLE auth_closed_keys (
  user_id TEXT NOT NULL,
  key     TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) WITHOUT ROWID;

-- Points that operators gave, and those that ended with their user (below 0).
CREATE TABLE auth_gifts (
  key     TEXT PRIMARY KEY,                -- of the operator's form, so that it gives once
  id      TEXT NOT NULL,
  user_id TEXT NOT NULL,
  points  INTEGER NOT NULL,
  note    TEXT NOT NULL,
  by_id   TEXT,                            -- the operator; null where the points ended with their user
  at      INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_gifts_user ON auth_gifts (user_id, at);

-- What the service must still be told, in the form of the hub's webhooks (docs/contract.md section 8).
CREATE TABLE auth_events (
  n    INTEGER PRIMARY KEY AUTOINCREMENT,
  id   TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL                       -- JSON: {type, timestamp, data}
);
