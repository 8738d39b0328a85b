-- Tips that a page has received, numbered from 1. Written by objects/page/flush-page.ts, one writer per row: the
-- page's object.
CREATE TABLE tips (
  page_id   TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  total     INTEGER NOT NULL,           -- points of all tips up to this one
  link_id   TEXT NOT NULL,              -- the tip jar
  from_id   TEXT NOT NULL,              -- the account hub's id of who sent it
  from_name TEXT NOT NULL,              -- as it was then
  points    INTEGER NOT NULL,
  message   TEXT NOT NULL,              -- '' without one
  at        INTEGER NOT NULL,           -- unix milliseconds
  PRIMARY KEY (page_id, seq)
) WITHOUT ROWID;

-- With the newest 100 tips of each page; the dashboard has all.
DROP VIEW notifications;
CREATE VIEW notifications AS
SELECT pages.owner_id AS user_id,
       'milestone-' || milestones.page_id || '-' || milestones.kind || '-' || milestones.n AS id,
       'milestone' AS kind, milestones.reached_at AS created_at,
       milestones.page_id AS page_id, pages.slug AS slug, pages.name AS name,
       milestones.kind AS counted, milestones.n AS n,
       NULL AS text, NULL AS text_en, NULL AS url,
       NULL AS from_name, NULL AS points, NULL AS message
FROM milestones JOIN pages USING (page_id)
WHERE pages.owner_id IS NOT NULL AND pages.ends_at IS NULL
UNION ALL
SELECT pages.owner_id, 'tip-' || tips.page_id || '-' || tips.seq, 'tip', tips.at,
       tips.page_id, pages.slug, pages.name, NULL, NULL, NULL, NULL, NULL,
       tips.from_name, tips.points, tips.message
FROM pages JOIN tips ON tips.page_id = pages.page_id
  AND tips.seq > (SELECT MAX(last.seq) - 100 FROM tips AS last WHERE last.page_id = pages.page_id)
WHERE pages.owner_id IS NOT NULL AND pages.ends_at IS NULL
UNION ALL
SELECT user_id, 'hub-' || id, 'hub', created_at, NULL, NULL, NULL, NULL, NULL, text, text_en, url,
       NULL, NULL, NULL
FROM hub_notifications;
