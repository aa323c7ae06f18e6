-- Links and search know more of pages than before (anchors in HTML, in included
-- contents): every space is indexed again, in the background.
INSERT INTO jobs (id, kind, key, payload, state, every_ms, run_at, attempts, runs, leased_by, lease_until, last_error, created_at)
SELECT '0008-' || id, 'content.rebuild', id, '{"space":"' || id || '"}', 'queued', 0, 0, 0, 0, '', 0, '', 0 FROM spaces WHERE TRUE
ON CONFLICT (kind, key) DO NOTHING;
