-- The text of a page for results of a search is stored as what differs from
-- its source, not as a second copy. Rows from before stay until the page
-- changes.
ALTER TABLE search_pages ADD COLUMN source text_key NOT NULL DEFAULT ''; -- object; empty: the text is in sections
ALTER TABLE search_pages ADD COLUMN delta BYTEA NOT NULL DEFAULT ''; -- from the source to the text
