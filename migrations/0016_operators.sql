-- Pages that operators took down. Written by src/pages/takedowns-store.ts.
CREATE TABLE takedowns (
  page_id   TEXT PRIMARY KEY,
  action_id TEXT NOT NULL,              -- of the row in operator_actions
  reason    TEXT NOT NULL,              -- as the owner reads it
  at        INTEGER NOT NULL,           -- unix milliseconds
  is_hubs   INTEGER NOT NULL            -- 1: the account hub has suspended the page too
) WITHOUT ROWID;

CREATE TRIGGER pages_takedown_ended AFTER DELETE ON pages
BEGIN DELETE FROM takedowns WHERE page_id = OLD.page_id; END;

-- Who of the operators did what, for good. Written by src/pages/takedowns-store.ts.
CREATE TABLE operator_actions (
  action_id TEXT PRIMARY KEY,
  user_id   TEXT NOT NULL,              -- the account hub's id of the operator
  what      TEXT NOT NULL,              -- 'takedown' or 'reinstate'
  page_id   TEXT NOT NULL,
  reason    TEXT NOT NULL,              -- '' for what needs none
  at        INTEGER NOT NULL            -- unix milliseconds
) WITHOUT ROWID;
CREATE INDEX operator_actions_page ON operator_actions (page_id, at);

-- Groups of errors that an operator has seen, with the number of reports then. Written by
-- src/operate/errors-store.ts.
CREATE TABLE error_marks (
  fingerprint TEXT NOT NULL,
  first_seen  INTEGER NOT NULL,
  seen_n      INTEGER NOT NULL,
  seen_at     INTEGER NOT NULL,         -- unix milliseconds
  PRIMARY KEY (fingerprint, first_seen)
) WITHOUT ROWID;

-- A mark ends with its group.
CREATE TRIGGER errors_mark_ended AFTER DELETE ON errors
BEGIN DELETE FROM error_marks WHERE fingerprint = OLD.fingerprint AND first_seen = OLD.first_seen; END;
