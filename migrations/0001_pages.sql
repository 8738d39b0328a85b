-- Bio pages and their links. Written by src/pages/pages-store.ts.
CREATE TABLE pages (
  page_id    TEXT PRIMARY KEY,
  slug       TEXT NOT NULL UNIQUE,
  locale     TEXT NOT NULL CHECK (locale IN ('ar', 'en')),
  name       TEXT NOT NULL,
  bio        TEXT NOT NULL,
  avatar     TEXT,                      -- key in the media bucket
  theme      TEXT NOT NULL,
  contact    TEXT CHECK (contact IS NULL OR json_valid(contact)),
  status     TEXT NOT NULL CHECK (status IN ('published', 'suspended')),
  updated_at INTEGER NOT NULL           -- unix milliseconds
) WITHOUT ROWID;

CREATE TABLE links (
  page_id  TEXT NOT NULL REFERENCES pages (page_id) ON DELETE CASCADE,
  link_id  TEXT NOT NULL,
  position INTEGER NOT NULL,
  label    TEXT NOT NULL,
  url      TEXT NOT NULL,
  PRIMARY KEY (page_id, link_id)
) WITHOUT ROWID;
