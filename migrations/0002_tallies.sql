-- What page objects flush. Written by objects/page/flush-page.ts, one writer per row: the page's object.
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
  day        INTEGER NOT NULL,          -- unix second at which the UTC day starts
  shard      INTEGER NOT NULL,
  visitors   INTEGER NOT NULL,
  breakdowns TEXT NOT NULL CHECK (json_valid(breakdowns)), -- {dimension: {value: [views, clicks]}}
  version    INTEGER NOT NULL,          -- a higher version replaces the row
  updated_at INTEGER NOT NULL,          -- unix milliseconds
  PRIMARY KEY (page_id, day, shard)
) WITHOUT ROWID;

CREATE VIEW breakdowns AS
SELECT page_id, day, dimension.key AS dimension, entry.key AS value,
       SUM(entry.value ->> 0) AS views, SUM(entry.value ->> 1) AS clicks
FROM days, json_each(days.breakdowns) AS dimension, json_each(dimension.value) AS entry
GROUP BY page_id, day, dimension, entry.key;
