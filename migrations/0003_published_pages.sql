-- What the sitemap lists, in the order it lists it: read from the index alone, a slice at a time.
CREATE INDEX pages_published ON pages (page_id, slug, updated_at) WHERE status = 'published';
