-- As in the main database: the breakdowns of a page's days by the month. Written by objects/page/flush-page.ts,
-- and by objects/stats when a page moves.
CREATE TABLE months (
  page_id    TEXT NOT NULL,
  shard      INTEGER NOT NULL,
  month      INTEGER NOT NULL,          -- unix second: the days that start from here on are in it
  until      INTEGER NOT NULL,          -- unix second: a day that starts here is in it no more
  breakdowns TEXT NOT NULL CHECK (json_valid(breakdowns)), -- {dimension: {value: [views, clicks]}}
  version    INTEGER NOT NULL,          -- the same or a higher version replaces the row
  PRIMARY KEY (page_id, shard, month)
) WITHOUT ROWID;

-- As of the days: imported history, which no object has and backups read.
CREATE INDEX months_imported ON months (page_id, month) WHERE shard = -2;
