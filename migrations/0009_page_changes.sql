-- Changes of pages that have not reached everything that keeps a copy of them: the page's object and the edge
-- cache. Written in the transaction of the change. Written by src/stores/page-changes.ts.
CREATE TABLE page_changes (
  page_id    TEXT PRIMARY KEY,
  changed_at INTEGER NOT NULL,          -- unix milliseconds; grows with every change
  ended      INTEGER NOT NULL,          -- 1 where the page is gone for good
  told       INTEGER NOT NULL DEFAULT 0, -- 1 once the page's object has read it
  purged     INTEGER NOT NULL DEFAULT 0  -- 1 once the edge cache has dropped it, or has outlived it
) WITHOUT ROWID;
