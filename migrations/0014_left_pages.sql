-- Pages whose statistics have left this database for one of STATS_0, STATS_1, … (migrations/stats). Written by
-- objects/stats/left-pages.ts.
CREATE TABLE left_pages (
  page_id TEXT PRIMARY KEY,
  move    INTEGER NOT NULL,             -- calls of the page's moves before this one write nothing
  left_at INTEGER NOT NULL              -- unix milliseconds
) WITHOUT ROWID;
CREATE INDEX left_pages_at ON left_pages (left_at);
