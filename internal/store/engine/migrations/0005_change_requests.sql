-- Change requests: a line of revisions of its own beside that of the space,
-- what people say about it, and what keeps it from being merged.

ALTER TABLE change_requests ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE change_requests ADD COLUMN description TEXT NOT NULL DEFAULT ''; -- Markdown
ALTER TABLE change_requests ADD COLUMN created_by text_key NOT NULL DEFAULT '';
ALTER TABLE change_requests ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE change_requests ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE change_requests ADD COLUMN revision_id text_key NOT NULL DEFAULT ''; -- its newest
ALTER TABLE change_requests ADD COLUMN initial_id text_key NOT NULL DEFAULT ''; -- of the space, where it began
ALTER TABLE change_requests ADD COLUMN ancestor_id text_key NOT NULL DEFAULT ''; -- of the space, that was brought in last
ALTER TABLE change_requests ADD COLUMN merged_id text_key NOT NULL DEFAULT ''; -- of the space, that it became
ALTER TABLE change_requests ADD COLUMN merged_by text_key NOT NULL DEFAULT '';
ALTER TABLE change_requests ADD COLUMN merged_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE change_requests ADD COLUMN cluster_id text_key NOT NULL DEFAULT ''; -- of issues found in conversations
ALTER TABLE change_requests ADD COLUMN open_comments BIGINT NOT NULL DEFAULT 0;
ALTER TABLE change_requests ADD COLUMN open_conflicts BIGINT NOT NULL DEFAULT 0;
CREATE INDEX change_requests_updated ON change_requests (space_id, status, updated_at, id);
CREATE INDEX change_requests_created ON change_requests (space_id, status, created_at, id);

-- Counted as they change: a space is read with every request.
ALTER TABLE spaces ADD COLUMN change_requests BIGINT NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN change_requests_open BIGINT NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN change_requests_draft BIGINT NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN comments_open BIGINT NOT NULL DEFAULT 0;

-- A revision belongs to the space itself, or to a change request of it.
ALTER TABLE revisions ADD COLUMN change_request_id text_key NOT NULL DEFAULT '';
ALTER TABLE revisions ADD COLUMN merged_from text_key NOT NULL DEFAULT ''; -- change request
DROP INDEX revisions_space;
CREATE INDEX revisions_space ON revisions (space_id, change_request_id, id);

-- Who worked on a change request, and how.
CREATE TABLE contributors (
    change_request_id text_key NOT NULL REFERENCES change_requests (id),
    user_id           text_key NOT NULL,
    action            text_key NOT NULL, -- edit, comment
    times             BIGINT   NOT NULL,
    updated_at        BIGINT   NOT NULL,
    PRIMARY KEY (change_request_id, user_id, action)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX contributors_user ON contributors (user_id, change_request_id);

CREATE TABLE reviews (
    id                text_key PRIMARY KEY,
    change_request_id text_key NOT NULL REFERENCES change_requests (id),
    revision_id       text_key NOT NULL,
    reviewer_id       text_key NOT NULL,
    requested_by      text_key NOT NULL, -- empty: nobody asked
    status            text_key NOT NULL,
    superseded        BOOLEAN  NOT NULL, -- by a newer review or request
    comment_id        text_key NOT NULL, -- empty: none
    created_at        BIGINT   NOT NULL,
    updated_at        BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX reviews_request ON reviews (change_request_id, id);

CREATE TABLE requested_reviewers (
    change_request_id text_key NOT NULL REFERENCES change_requests (id),
    user_id           text_key NOT NULL,
    revision_id       text_key NOT NULL,
    requested_by      text_key NOT NULL,
    created_at        BIGINT   NOT NULL,
    PRIMARY KEY (change_request_id, user_id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX requested_reviewers_user ON requested_reviewers (user_id, change_request_id);

-- Where both the space and a change request changed the same thing.
CREATE TABLE conflicts (
    change_request_id text_key NOT NULL REFERENCES change_requests (id),
    id                text_key NOT NULL, -- the same for the same thing
    data              TEXT     NOT NULL, -- JSON
    resolution        text_key NOT NULL, -- empty: open
    resolved_by       text_key NOT NULL,
    created_at        BIGINT   NOT NULL,
    updated_at        BIGINT   NOT NULL,
    PRIMARY KEY (change_request_id, id)
) /*sqlite: WITHOUT ROWID */;
