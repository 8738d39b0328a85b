-- Up to when the hours of a page have become days. Written by objects/page/flush-page.ts, one writer per row: the page's object.
CREATE TABLE rolled_days (
  page_id   TEXT NOT NULL,
  shard     INTEGER NOT NULL,
  rolled_to INTEGER NOT NULL,           -- unix second: a tally before it counts for its UTC day, by the hour no more
  PRIMARY KEY (page_id, shard)
) WITHOUT ROWID;
