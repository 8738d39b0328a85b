-- Files that creators uploaded for downloads. Written by src/files/files-store.ts. A row is written before the media
-- bucket has anything of its file and deleted after the bucket has deleted it, so the bucket has none without a row.
CREATE TABLE files (
  file_id    TEXT PRIMARY KEY,
  owner_id   TEXT NOT NULL,             -- the account hub's id of a user
  name       TEXT NOT NULL,
  type       TEXT NOT NULL,
  size       INTEGER NOT NULL,          -- bytes, reserved from the first request on
  state      TEXT NOT NULL CHECK (state IN ('uploading', 'ready', 'ended')), -- ended: being deleted
  upload_id  TEXT,                      -- the bucket's multipart upload; NULL until there is one
  etag       TEXT,                      -- the bucket's; NULL until the file is ready
  created_at INTEGER NOT NULL,          -- unix milliseconds
  touched_at INTEGER NOT NULL           -- unix milliseconds of the last part
) WITHOUT ROWID;
CREATE INDEX files_owner ON files (owner_id, created_at);
CREATE INDEX files_uploading ON files (touched_at) WHERE state = 'uploading';
CREATE INDEX files_ended ON files (state) WHERE state = 'ended';

-- Parts of uploads that the bucket has. Written by src/files/files-store.ts.
CREATE TABLE file_parts (
  file_id TEXT NOT NULL,
  n       INTEGER NOT NULL,             -- 1, 2, 3…
  etag    TEXT NOT NULL,                -- the bucket's
  PRIMARY KEY (file_id, n)
) WITHOUT ROWID;

-- How often each download block was used, and the bytes that were sent. Written by
-- objects/downloads/flush-downloads.ts: absolute numbers, which only grow.
CREATE TABLE downloads (
  page_id TEXT NOT NULL,
  link_id TEXT NOT NULL,
  uses    INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  PRIMARY KEY (page_id, link_id)
) WITHOUT ROWID;

-- The numbers of a page end with it, whoever deletes its row.
CREATE TRIGGER pages_downloads_ended AFTER DELETE ON pages
BEGIN DELETE FROM downloads WHERE page_id = OLD.page_id; END;

-- So do the files of a user whom the account hub deleted; the cron deletes them from the bucket.
CREATE TRIGGER deleted_users_files_ended AFTER INSERT ON deleted_users
BEGIN UPDATE files SET state = 'ended' WHERE owner_id = NEW.user_id; END;
