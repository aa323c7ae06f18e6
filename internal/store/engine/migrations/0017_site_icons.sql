-- The icon of a site's customization, for lists of sites.

ALTER TABLE sites ADD COLUMN icon TEXT NOT NULL DEFAULT ''; -- JSON; empty: none
