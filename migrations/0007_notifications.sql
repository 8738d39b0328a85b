-- Round numbers of human views or clicks that a page has reached: facts about the page, like its tallies.
-- Written by objects/page/flush-page.ts, one writer per row: the page's object.
CREATE TABLE milestones (
  page_id    TEXT NOT NULL,
  kind       TEXT NOT NULL,             -- 'view' or 'click'
  n          INTEGER NOT NULL,          -- 100, 1000, 10000, ...
  reached_at INTEGER NOT NULL,          -- unix milliseconds
  PRIMARY KEY (page_id, kind, n)
) WITHOUT ROWID;

-- What the account hub has to tell a user. Written by src/accounts/notifications-store.ts.
CREATE TABLE hub_notifications (
  user_id    TEXT NOT NULL,
  id         TEXT NOT NULL,             -- the hub's
  text       TEXT NOT NULL,             -- Arabic
  text_en    TEXT NOT NULL,
  url        TEXT,
  created_at INTEGER NOT NULL,          -- unix milliseconds
  PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

-- Which notifications a user has read, by their id in the view below. Written by src/accounts/notifications-store.ts.
CREATE TABLE notification_reads (
  user_id TEXT NOT NULL,
  id      TEXT NOT NULL,
  read_at INTEGER NOT NULL,             -- unix milliseconds
  PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

-- All that a user is notified of: the milestones of the pages that are theirs, and what the hub said.
CREATE VIEW notifications AS
SELECT pages.owner_id AS user_id,
       'milestone-' || milestones.page_id || '-' || milestones.kind || '-' || milestones.n AS id,
       'milestone' AS kind, milestones.reached_at AS created_at,
       milestones.page_id AS page_id, pages.slug AS slug, pages.name AS name,
       milestones.kind AS counted, milestones.n AS n,
       NULL AS text, NULL AS text_en, NULL AS url
FROM milestones JOIN pages USING (page_id)
WHERE pages.owner_id IS NOT NULL
UNION ALL
SELECT user_id, 'hub-' || id, 'hub', created_at, NULL, NULL, NULL, NULL, NULL, text, text_en, url
FROM hub_notifications;
