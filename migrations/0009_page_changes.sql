-- Changes of pages that have not reached everything that keeps a copy of them: the page's object and the edge
-- cache. Written in the transaction of the change. Both tables are written by src/pages/page-changes-store.ts.
CREATE TABLE page_changes (
  page_id    TEXT PRIMARY KEY,
  nonce      TEXT NOT NULL,              -- another one for every change of the page
  changed_at INTEGER NOT NULL,           -- unix milliseconds
  ended      INTEGER NOT NULL,           -- 1 where the page is gone for good
  told       INTEGER NOT NULL DEFAULT 0, -- an old name: 1 once the page's object has read it
  purged     INTEGER NOT NULL DEFAULT 0, -- 1 once the edge cache has dropped it, 2 once it has for good
  tried_at   INTEGER NOT NULL DEFAULT 0  -- unix milliseconds of the last delivery that listed it
) WITHOUT ROWID;

-- Whose turn it is to purge: one row, a bucket of 25 purges that fills with 5 a minute, as the platform has it.
-- Times are D1's own clock in unix milliseconds, so that they can be compared.
CREATE TABLE purge_turns (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  taken_at INTEGER NOT NULL,
  tokens   REAL NOT NULL
);
INSERT INTO purge_turns (id, taken_at, tokens) VALUES (1, 0, 25);
