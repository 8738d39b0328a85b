-- Groups of error reports. Written by objects/errors/flush-errors.ts, one writer per row: the group's object.
CREATE TABLE errors (
  fingerprint TEXT NOT NULL,            -- 32 hex digits, or '<digit>-other' for those without room
  first_seen  INTEGER NOT NULL,         -- unix milliseconds; a group that was forgotten begins anew
  last_seen   INTEGER NOT NULL,         -- unix milliseconds
  n           INTEGER NOT NULL,         -- reports since first_seen, absolute, only grows
  severity    TEXT NOT NULL,
  message     TEXT NOT NULL,            -- of the first report, scrubbed
  stack       TEXT NOT NULL,
  page_id     TEXT NOT NULL,            -- '' where the report named none
  url         TEXT NOT NULL,            -- without query and fragment
  PRIMARY KEY (fingerprint, first_seen)
) WITHOUT ROWID;
