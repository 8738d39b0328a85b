-- Ways in beside passkeys: codes by mail, and accounts of issuers (OpenID Connect, GitHub). Written by src/identity,
-- each table by one file. All times are unix milliseconds.

CREATE TABLE auth_mail_codes (
  ticket     TEXT PRIMARY KEY,             -- SHA-256, in hex, of what only the browser has that asked for the code
  mac        TEXT NOT NULL,                -- HMAC by SESSION_KEY over the ticket and the code, in hex
  email      TEXT NOT NULL,
  user_id    TEXT,                         -- who adds the address to their account; null: the code signs in
  tries      INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_mail_codes_expired ON auth_mail_codes (expires_at);

CREATE TABLE auth_identities (
  issuer     TEXT NOT NULL,                -- its address
  subject    TEXT NOT NULL,                -- whom it means: never a name or an address, which it may give to others
  id         TEXT NOT NULL UNIQUE,         -- by which its user names it
  user_id    TEXT NOT NULL,
  name       TEXT NOT NULL,                -- as the issuer calls the person, for their own eyes
  created_at INTEGER NOT NULL,
  used_at    INTEGER,
  PRIMARY KEY (issuer, subject)
) WITHOUT ROWID;
CREATE INDEX auth_identities_user ON auth_identities (user_id, created_at);
