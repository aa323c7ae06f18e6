-- Links by a path alone are few; the column must be in the index itself for
-- SQLite to use it.
DROP INDEX links_loose;
CREATE INDEX links_loose ON links (layer_id, loose, page_id) WHERE loose = TRUE;
