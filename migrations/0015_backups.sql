-- Backups of every night: one row each. Written by src/backup/backups-store.ts. The bucket BACKUPS has the truth:
-- rows that are missing here are made again from it.
CREATE TABLE backups (
  date        TEXT PRIMARY KEY,           -- of the night, in UTC: YYYY-MM-DD
  state       TEXT NOT NULL CHECK (state IN ('running', 'complete', 'failed')),
  run         TEXT NOT NULL,              -- 32 random hex digits; '' where the bucket has no manifest of it
  started_at  INTEGER NOT NULL,           -- unix milliseconds
  finished_at INTEGER,                    -- unix milliseconds; NULL until it is complete
  parts       INTEGER NOT NULL DEFAULT 0, -- so far, as the next two
  rows        INTEGER NOT NULL DEFAULT 0,
  bytes       INTEGER NOT NULL DEFAULT 0, -- in the bucket, without the manifest
  failures    INTEGER NOT NULL DEFAULT 0, -- slices that failed; each was tried again
  failed_at   INTEGER,                    -- unix milliseconds of the last one
  step        INTEGER NOT NULL DEFAULT 0, -- grows with each write of a part
  cursor      TEXT NOT NULL,              -- JSON: the table that is being read, and its last key
  lease       TEXT NOT NULL DEFAULT '',   -- a random id of the slice that is working
  lease_until INTEGER NOT NULL DEFAULT 0  -- unix milliseconds of D1's own clock
) WITHOUT ROWID;

-- The parts of a backup that is running; then the manifest has them. Written by src/backup/backups-store.ts.
CREATE TABLE backup_parts (
  date   TEXT NOT NULL,
  n      INTEGER NOT NULL,                -- 1, 2, 3…
  source TEXT NOT NULL,                   -- the table
  rows   INTEGER NOT NULL,
  bytes  INTEGER NOT NULL,                -- in the bucket
  sha256 TEXT NOT NULL,                   -- of them, in hex
  key    TEXT NOT NULL,                   -- in the bucket
  PRIMARY KEY (date, n)
) WITHOUT ROWID;

-- Pages that have or had a block for a newsletter, whose objects may have subscribers. Written by triggers on
-- `pages` alone, in the transaction of the save: nobody can subscribe before it.
CREATE TABLE newsletters (
  page_id TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TRIGGER pages_newsletter_inserted AFTER INSERT ON pages
WHEN EXISTS (SELECT 1 FROM json_each(NEW.document, '$.links') WHERE value ->> 'kind' = 'newsletter')
BEGIN INSERT INTO newsletters (page_id) VALUES (NEW.page_id) ON CONFLICT DO NOTHING; END;
CREATE TRIGGER pages_newsletter_updated AFTER UPDATE OF document ON pages
WHEN EXISTS (SELECT 1 FROM json_each(NEW.document, '$.links') WHERE value ->> 'kind' = 'newsletter')
BEGIN INSERT INTO newsletters (page_id) VALUES (NEW.page_id) ON CONFLICT DO NOTHING; END;
CREATE TRIGGER pages_newsletter_ended AFTER DELETE ON pages
BEGIN DELETE FROM newsletters WHERE page_id = OLD.page_id; END;
INSERT INTO newsletters (page_id)
SELECT page_id FROM pages
WHERE EXISTS (SELECT 1 FROM json_each(pages.document, '$.links') WHERE value ->> 'kind' = 'newsletter')
   OR EXISTS (SELECT 1 FROM revisions, json_each(revisions.document, '$.links')
              WHERE revisions.page_id = pages.page_id AND value ->> 'kind' = 'newsletter');

-- Imported history, which no object has. Rows of other shards are in no index of these and cost nothing.
CREATE INDEX tallies_imported ON tallies (page_id, hour, kind, link_id, class) WHERE shard = -2;
CREATE INDEX days_imported ON days (page_id, day) WHERE shard = -2;
CREATE INDEX rolled_days_imported ON rolled_days (page_id) WHERE shard = -2;
