-- A database of statistics, with the same tables as the main one's. Written by the pages' objects:
-- objects/page/flush-page.ts, and by objects/stats when a page moves.
CREATE TABLE tallies (
  page_id TEXT NOT NULL,
  hour    INTEGER NOT NULL,             -- unix second at which the hour starts
  kind    TEXT NOT NULL,                -- 'view' or 'click'
  link_id TEXT NOT NULL,                -- '' for views
  class   TEXT NOT NULL,                -- 'human', 'bot', 'owner' or 'limited'
  shard   INTEGER NOT NULL,
  n       INTEGER NOT NULL,             -- absolute, only grows
  PRIMARY KEY (page_id, hour, kind, link_id, class, shard)
) WITHOUT ROWID;

CREATE TABLE days (
  page_id    TEXT NOT NULL,
  day        INTEGER NOT NULL,          -- unix second at which the page's day starts
  shard      INTEGER NOT NULL,
  visitors   INTEGER NOT NULL,
  breakdowns TEXT NOT NULL CHECK (json_valid(breakdowns)), -- {dimension: {value: [views, clicks]}}
  version    INTEGER NOT NULL,          -- a higher version replaces the row
  updated_at INTEGER NOT NULL,          -- unix milliseconds
  PRIMARY KEY (page_id, day, shard)
) WITHOUT ROWID;

CREATE TABLE rolled_days (
  page_id   TEXT NOT NULL,
  shard     INTEGER NOT NULL,
  rolled_to INTEGER NOT NULL,           -- unix second: a tally before it counts for its UTC day, by the hour no more
  PRIMARY KEY (page_id, shard)
) WITHOUT ROWID;

-- Pages whose rows have left this database: moved to another one, or ended. Written by objects/stats/left-pages.ts.
CREATE TABLE left_pages (
  page_id TEXT PRIMARY KEY,
  move    INTEGER NOT NULL,             -- calls of the page's moves before this one write nothing
  left_at INTEGER NOT NULL              -- unix milliseconds
) WITHOUT ROWID;
CREATE INDEX left_pages_at ON left_pages (left_at);

-- How often the cron has run. Written by src/accounts/ended-pages.ts.
CREATE TABLE cron_runs (id INTEGER PRIMARY KEY CHECK (id = 1), n INTEGER NOT NULL);
INSERT INTO cron_runs VALUES (1, 0);

CREATE VIEW breakdowns AS
SELECT page_id, day, dimension.key AS dimension, entry.key AS value,
       SUM(entry.value ->> 0) AS views, SUM(entry.value ->> 1) AS clicks
FROM days, json_each(days.breakdowns) AS dimension, json_each(dimension.value) AS entry
GROUP BY page_id, day, dimension, entry.key;

-- Imported history, which no object has and backups read. Rows of other shards are in no index of these.
CREATE INDEX tallies_imported ON tallies (page_id, hour, kind, link_id, class) WHERE shard = -2;
CREATE INDEX days_imported ON days (page_id, day) WHERE shard = -2;
CREATE INDEX rolled_days_imported ON rolled_days (page_id) WHERE shard = -2;
