-- Each page's share of the purges: a bucket of 3 that gains one every 15 s. A page without a row has a full one.
-- Written by src/pages/page-changes-store.ts, which deletes a row when its bucket is full again.
CREATE TABLE page_purges (
  page_id   TEXT PRIMARY KEY,
  purged_at INTEGER NOT NULL,           -- unix milliseconds of D1's own clock
  tokens    REAL NOT NULL
) WITHOUT ROWID;

-- Nothing is left of a page that has ended, whoever deletes its row.
CREATE TRIGGER pages_purges_ended AFTER DELETE ON pages
BEGIN DELETE FROM page_purges WHERE page_id = OLD.page_id; END;

-- Who has the turn: another random id for every purge. The shares are charged in the same transaction.
ALTER TABLE purge_turns ADD COLUMN turn TEXT NOT NULL DEFAULT '';
