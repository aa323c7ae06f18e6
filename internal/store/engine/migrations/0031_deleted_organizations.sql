-- Organizations that were deleted stay for a week, out of everybody's reach, and are
-- purged then.

ALTER TABLE organizations ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0; -- 0: it is not deleted
ALTER TABLE organizations ADD COLUMN deleted_by text_key NOT NULL DEFAULT ''; -- empty: the operator
CREATE INDEX organizations_deleted ON organizations (deleted_at) WHERE deleted_at > 0;
