-- What organizations and spaces use, and how much they may use. Quotas are JSON, such as
-- {"pages":100}; empty is unlimited.

ALTER TABLE organizations ADD COLUMN quotas TEXT NOT NULL DEFAULT '';

ALTER TABLE spaces ADD COLUMN quotas TEXT NOT NULL DEFAULT '';
ALTER TABLE spaces ADD COLUMN content_bytes BIGINT NOT NULL DEFAULT 0; -- of all revisions, as they are stored
ALTER TABLE spaces ADD COLUMN file_bytes BIGINT NOT NULL DEFAULT 0;    -- of all revisions
ALTER TABLE spaces ADD COLUMN page_count BIGINT NOT NULL DEFAULT 0;    -- of the newest revision
ALTER TABLE spaces ADD COLUMN counted BIGINT NOT NULL DEFAULT 0;       -- 1: pages and files are counted since the space was made

-- Git operations that people and repositories asked for, by the day in UTC.
CREATE TABLE git_days (
	org_id     text_key NOT NULL REFERENCES organizations (id),
	day        BIGINT NOT NULL, -- since 1970
	operations BIGINT NOT NULL,
	PRIMARY KEY (org_id, day)
);

-- Texts of spaces that exist already are known here; their pages and files are counted in the
-- background.
UPDATE spaces SET content_bytes = (
	SELECT COALESCE(SUM(LENGTH(o.data)), 0)
	FROM (SELECT DISTINCT d.body FROM documents d WHERE d.space_id = spaces.id) AS b JOIN objects o ON o.hash = b.body
);
INSERT INTO jobs (id, kind, key, payload, state, every_ms, run_at, attempts, runs, leased_by, lease_until, last_error, created_at)
SELECT '0036-usage', 'usage.count', '', 'null', 'queued', 0, 0, 0, 0, '', 0, '', 0 WHERE EXISTS (SELECT 1 FROM spaces)
ON CONFLICT (kind, key) DO NOTHING;
