-- An export may go on from commits that nothing was read of, because they do
-- not concern the pages: the next import looks at all files.
ALTER TABLE git_pairs ADD COLUMN unread BOOLEAN NOT NULL DEFAULT FALSE;
