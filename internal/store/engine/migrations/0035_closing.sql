-- What is closed stays closed: translations of sources that fewer people read, and deleted
-- conversations that a help desk sends again.

ALTER TABLE site_items ADD COLUMN withheld BOOLEAN NOT NULL DEFAULT FALSE; -- readers do not find the translation: its source was closed to them

CREATE TABLE conversation_tombstones (
    org_id     text_key NOT NULL REFERENCES organizations (id),
    hash       text_key NOT NULL, -- of the source and the id of the conversation there
    deleted_at BIGINT   NOT NULL,
    PRIMARY KEY (org_id, hash)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX conversation_tombstones_oldest ON conversation_tombstones (org_id, deleted_at);

-- Change requests that a new version of a description opens.
ALTER TABLE openapi_specs ADD COLUMN request_space text_key NOT NULL DEFAULT ''; -- where they are opened; empty: nowhere
ALTER TABLE openapi_specs ADD COLUMN request_by text_key NOT NULL DEFAULT ''; -- the user in whose name
ALTER TABLE change_requests ADD COLUMN openapi_spec text_key NOT NULL DEFAULT '';
ALTER TABLE change_requests ADD COLUMN openapi_from text_key NOT NULL DEFAULT ''; -- version that the request compares with
ALTER TABLE change_requests ADD COLUMN openapi_to text_key NOT NULL DEFAULT '';
ALTER TABLE change_requests ADD COLUMN openapi_changes BIGINT NOT NULL DEFAULT 0; -- between both versions
ALTER TABLE change_requests ADD COLUMN openapi_breaking BIGINT NOT NULL DEFAULT 0; -- of them
CREATE INDEX change_requests_openapi ON change_requests (openapi_spec) WHERE openapi_spec <> '';
