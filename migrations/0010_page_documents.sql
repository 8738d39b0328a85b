-- A page is one document, written as a whole by src/pages/pages-store.ts. What lists, statistics and the page's
-- object read of it are generated columns, so they cannot differ from it.
DROP VIEW notifications;
ALTER TABLE pages RENAME TO pages_before;
CREATE TABLE pages (
  page_id    TEXT PRIMARY KEY,
  owner_id   TEXT,                      -- the account hub's id of a user, or NULL
  slug       TEXT NOT NULL UNIQUE,
  status     TEXT NOT NULL CHECK (status IN ('draft', 'published', 'suspended')),
  ends_at    INTEGER,                   -- unix milliseconds: deleted, and can be undone until then
  version    INTEGER NOT NULL,          -- of document, slug, status and `ends_at`: each save is one more
  save_id    TEXT NOT NULL,             -- another one for every save
  document   TEXT NOT NULL CHECK (json_valid(document)), -- src/pages/page-document.ts
  source     TEXT,                      -- SHA-256 of the file that the page was imported from
  created_at INTEGER NOT NULL,          -- unix milliseconds
  updated_at INTEGER NOT NULL,          -- unix milliseconds
  published_at INTEGER,                 -- unix milliseconds of the first time; NULL for one that never was
  locale     TEXT NOT NULL AS (document ->> '$.locales[0]'),
  name       TEXT NOT NULL AS (coalesce(document ->> ('$.name.' || (document ->> '$.locales[0]')), '')),
  time_zone  TEXT NOT NULL AS (document ->> '$.time_zone')
) WITHOUT ROWID;

INSERT INTO pages
  (page_id, owner_id, slug, status, version, save_id, document, created_at, updated_at, published_at)
SELECT page_id, owner_id, slug, status, 1, '', json_object(
    'locales', json_array(locale), 'time_zone', 'UTC', 'indexed', json('true'),
    'name', json_object(locale, name), 'bio', json_object(locale, bio),
    'avatar', avatar, 'contact', json(contact),
    'look', json_object('palette', theme, 'background', 'glow', 'button', 'raised', 'corner', 'soft',
      'type', 'plex', 'density', 'cosy', 'avatar_shape', 'star', 'scheme', 'auto', 'motion', 'still', 'accent', NULL),
    'links', json(coalesce((SELECT json_group_array(json_object(
        'link_id', link_id, 'kind', 'link', 'label', json_object(locale, label), 'url', url,
        'enabled', json('true'), 'from', NULL, 'until', NULL, 'highlight', json('false'), 'image', NULL)
        ORDER BY position, link_id)
      FROM links WHERE links.page_id = pages_before.page_id), '[]'))),
  updated_at, updated_at, updated_at
FROM pages_before;
DROP TABLE links;
DROP TABLE pages_before;

-- It has every term of its condition too, and that of the document as an expression: SQLite takes no index as
-- covering for a query that names a generated column.
CREATE INDEX pages_published
  ON pages (page_id, slug, updated_at, status, ends_at, document ->> '$.indexed')
  WHERE status = 'published' AND ends_at IS NULL AND document ->> '$.indexed';
CREATE INDEX pages_owner ON pages (owner_id, page_id) WHERE owner_id IS NOT NULL;
CREATE INDEX pages_ending ON pages (ends_at) WHERE ends_at IS NOT NULL;
-- A file that is imported twice makes one page.
CREATE UNIQUE INDEX pages_source ON pages (owner_id, source) WHERE source IS NOT NULL;

CREATE VIEW notifications AS
SELECT pages.owner_id AS user_id,
       'milestone-' || milestones.page_id || '-' || milestones.kind || '-' || milestones.n AS id,
       'milestone' AS kind, milestones.reached_at AS created_at,
       milestones.page_id AS page_id, pages.slug AS slug, pages.name AS name,
       milestones.kind AS counted, milestones.n AS n,
       NULL AS text, NULL AS text_en, NULL AS url
FROM milestones JOIN pages USING (page_id)
WHERE pages.owner_id IS NOT NULL AND pages.ends_at IS NULL
UNION ALL
SELECT user_id, 'hub-' || id, 'hub', created_at, NULL, NULL, NULL, NULL, NULL, text, text_en, url
FROM hub_notifications;

-- Slugs that pages have given up. Written by src/pages/slugs-store.ts. Until `until` nobody but `page_id` can take
-- one; where the page still exists, the slug leads to it.
CREATE TABLE former_slugs (
  slug    TEXT PRIMARY KEY,
  page_id TEXT NOT NULL,
  until   INTEGER NOT NULL              -- unix milliseconds
) WITHOUT ROWID;
CREATE INDEX former_slugs_page ON former_slugs (page_id);
CREATE INDEX former_slugs_until ON former_slugs (until);

-- A slug that another page has given up is refused in the transaction that takes it, whoever writes it.
CREATE TRIGGER pages_slug_inserted BEFORE INSERT ON pages
WHEN EXISTS (SELECT 1 FROM former_slugs WHERE slug = NEW.slug AND page_id <> NEW.page_id)
BEGIN SELECT RAISE(ABORT, 'SLUG_RESTS'); END;
CREATE TRIGGER pages_slug_updated BEFORE UPDATE OF slug ON pages
WHEN EXISTS (SELECT 1 FROM former_slugs WHERE slug = NEW.slug AND page_id <> NEW.page_id)
BEGIN SELECT RAISE(ABORT, 'SLUG_RESTS'); END;

-- Every save of a page. Written by src/pages/revisions-store.ts.
CREATE TABLE revisions (
  page_id  TEXT NOT NULL,
  version  INTEGER NOT NULL,
  saved_at INTEGER NOT NULL,            -- unix milliseconds
  what     TEXT NOT NULL,               -- JSON array: what the save changed
  slug     TEXT NOT NULL,
  status   TEXT NOT NULL,
  bytes    INTEGER NOT NULL,            -- of the document, in UTF-8
  document TEXT NOT NULL,
  PRIMARY KEY (page_id, version)
) WITHOUT ROWID;
INSERT INTO revisions (page_id, version, saved_at, what, slug, status, bytes, document)
SELECT page_id, version, updated_at, '["created"]', slug, status, length(CAST(document AS BLOB)), document FROM pages;

-- Links that were removed from a page, with their last labels: their clicks stay in the totals.
-- Written by src/pages/removed-links-store.ts.
CREATE TABLE removed_links (
  page_id    TEXT NOT NULL,
  link_id    TEXT NOT NULL,
  label      TEXT NOT NULL,             -- JSON by locale
  removed_at INTEGER NOT NULL,          -- unix milliseconds
  PRIMARY KEY (page_id, link_id)
) WITHOUT ROWID;

-- Pictures that creators uploaded. Written by src/pictures/pictures-store.ts. A row is written before the media
-- bucket has its picture and deleted after the bucket has deleted it, so the bucket has no picture without a row.
CREATE TABLE pictures (
  key          TEXT PRIMARY KEY,
  page_id      TEXT NOT NULL,
  type         TEXT NOT NULL,
  bytes        INTEGER NOT NULL,
  width        INTEGER NOT NULL,
  height       INTEGER NOT NULL,
  uploaded_at  INTEGER,                 -- unix milliseconds; NULL until the bucket has the picture
  unused_since INTEGER                  -- unix milliseconds; NULL while its page uses it; 0: being deleted
) WITHOUT ROWID;
CREATE INDEX pictures_page ON pictures (page_id);
CREATE INDEX pictures_unused ON pictures (unused_since) WHERE unused_since IS NOT NULL;

-- The pictures of a page end with it, whoever deletes its row.
CREATE TRIGGER pages_pictures_ended AFTER DELETE ON pages
BEGIN UPDATE pictures SET unused_since = 0 WHERE page_id = OLD.page_id; END;

-- The page's slug after the change, whose 404 the edge cache must drop; NULL where the page is gone.
ALTER TABLE page_changes ADD COLUMN slug TEXT;

-- Users whom the account hub deleted: a request that began before cannot make or bring back a page of theirs.
-- Written by src/accounts/accounts-store.ts, which deletes a row after 35 days.
CREATE TABLE deleted_users (
  user_id    TEXT PRIMARY KEY,
  deleted_at INTEGER NOT NULL           -- unix milliseconds
) WITHOUT ROWID;

-- How often the cron has run: one row. A number that is behind the copy in KV tells that D1 was restored.
-- Written by src/accounts/ended-pages.ts.
CREATE TABLE cron_runs (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  n  INTEGER NOT NULL
);
INSERT INTO cron_runs (id, n) VALUES (1, 0);
