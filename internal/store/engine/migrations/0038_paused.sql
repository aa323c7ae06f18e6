-- A restored copy of an installation must not do a second time what the
-- original does: nothing that goes out is begun until the operator resumes it.

ALTER TABLE instance ADD COLUMN paused_at BIGINT NOT NULL DEFAULT 0; -- 0: it is not paused
