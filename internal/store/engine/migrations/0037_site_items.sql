-- What readers see of the parts of a site: those that are not live, those that navigation leaves
-- out, and titles in the languages of variants.

ALTER TABLE site_items ADD COLUMN drafted BOOLEAN NOT NULL DEFAULT FALSE; -- it, or a part that it is in, is a draft
ALTER TABLE site_items ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE; -- navigation leaves it out
ALTER TABLE site_items ADD COLUMN localized_title TEXT NOT NULL DEFAULT ''; -- JSON, by language
ALTER TABLE site_items ADD COLUMN localized_description TEXT NOT NULL DEFAULT '';
UPDATE site_items SET drafted = draft;
