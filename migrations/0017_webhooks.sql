-- Endpoints of webhooks that were switched off because nothing arrived there. Written by objects/webhooks/notices.ts,
-- one writer per row: the page's object for webhooks. The newest 20 of each page.
CREATE TABLE disabled_webhooks (
  page_id TEXT NOT NULL,
  id      TEXT NOT NULL,
  host    TEXT NOT NULL,                -- of the endpoint
  reason  TEXT NOT NULL,                -- 'failing' or 'gone'
  at      INTEGER NOT NULL,             -- unix milliseconds
  PRIMARY KEY (page_id, id)
) WITHOUT ROWID;

-- With them, as kind 'webhook': the host in `text` and the reason in `text_en`, for the texts that the code makes.
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
SELECT pages.owner_id, 'webhook-' || off.page_id || '-' || off.id, 'webhook', off.at,
       off.page_id, pages.slug, pages.name, NULL, NULL, off.host, off.reason, NULL, NULL, NULL, NULL
FROM pages JOIN disabled_webhooks AS off ON off.page_id = pages.page_id
WHERE pages.owner_id IS NOT NULL AND pages.ends_at IS NULL
UNION ALL
SELECT user_id, 'hub-' || id, 'hub', created_at, NULL, NULL, NULL, NULL, NULL, text, text_en, url,
       NULL, NULL, NULL
FROM hub_notifications;
