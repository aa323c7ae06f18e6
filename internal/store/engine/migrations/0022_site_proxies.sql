-- The proof that a host lets a site have an address on it is looked for again and again.

ALTER TABLE sites ADD COLUMN proxy_problem TEXT NOT NULL DEFAULT ''; -- what the last check found; empty: nothing
ALTER TABLE sites ADD COLUMN proxy_failures BIGINT NOT NULL DEFAULT 0; -- checks in a row that did not find the record
ALTER TABLE sites ADD COLUMN proxy_check BIGINT NOT NULL DEFAULT 0; -- when the next check is; 0: never
UPDATE sites SET proxy_check = 1 WHERE proxy <> '';
CREATE INDEX sites_proxy_check ON sites (proxy_check, id);
