-- Links to other sites in the structure of a site: items of the kind site-external-link.

ALTER TABLE site_items ADD COLUMN url TEXT NOT NULL DEFAULT ''; -- where a link leads
ALTER TABLE site_items ADD COLUMN draft BOOLEAN NOT NULL DEFAULT FALSE; -- readers do not see it
