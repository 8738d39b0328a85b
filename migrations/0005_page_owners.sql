-- Whose page it is: the account hub's id of a user, or NULL. Written by src/pages/pages-store.ts.
ALTER TABLE pages ADD COLUMN owner_id TEXT;

CREATE INDEX pages_owner ON pages (owner_id, page_id) WHERE owner_id IS NOT NULL;
