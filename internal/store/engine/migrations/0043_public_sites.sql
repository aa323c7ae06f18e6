-- The page of the server lists public sites; without an index it would read all sites.

CREATE INDEX sites_public ON sites (id) WHERE published AND visibility = 'public';
