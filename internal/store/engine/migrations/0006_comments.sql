-- Comments on a space or on a change request of it, with replies and
-- reactions. No comment was ever stored before.

ALTER TABLE comments ADD COLUMN change_request_id text_key NOT NULL DEFAULT ''; -- empty: the space itself
ALTER TABLE comments ADD COLUMN review_id text_key NOT NULL DEFAULT ''; -- that it is part of
ALTER TABLE comments ADD COLUMN page_id text_key NOT NULL DEFAULT ''; -- empty: the whole
ALTER TABLE comments ADD COLUMN node_key text_key NOT NULL DEFAULT ''; -- of a block of the page
ALTER TABLE comments ADD COLUMN cell_record TEXT NOT NULL DEFAULT ''; -- row of a table
ALTER TABLE comments ADD COLUMN cell_definition TEXT NOT NULL DEFAULT ''; -- column of a table
ALTER TABLE comments ADD COLUMN revision_id text_key NOT NULL DEFAULT ''; -- in which all that was there
ALTER TABLE comments ADD COLUMN quote TEXT NOT NULL DEFAULT ''; -- its text in that revision
ALTER TABLE comments ADD COLUMN body TEXT NOT NULL DEFAULT ''; -- Markdown
ALTER TABLE comments ADD COLUMN posted_by text_key NOT NULL DEFAULT '';
ALTER TABLE comments ADD COLUMN posted_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE comments ADD COLUMN edited_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE comments ADD COLUMN resolved_by text_key NOT NULL DEFAULT '';
DROP INDEX comments_space;
CREATE INDEX comments_list ON comments (space_id, change_request_id, id);
CREATE INDEX comments_page ON comments (space_id, change_request_id, page_id, id);
CREATE INDEX comments_author ON comments (space_id, change_request_id, posted_by, id);
CREATE INDEX comments_open ON comments (space_id, change_request_id, id) WHERE resolved_at = 0;

CREATE TABLE comment_replies (
    id                text_key PRIMARY KEY,
    comment_id        text_key NOT NULL REFERENCES comments (id),
    space_id          text_key NOT NULL REFERENCES spaces (id),
    change_request_id text_key NOT NULL, -- of the comment
    body              TEXT     NOT NULL, -- Markdown
    posted_by         text_key NOT NULL,
    posted_at         BIGINT   NOT NULL,
    edited_at         BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX comment_replies_list ON comment_replies (comment_id, id);
CREATE INDEX comment_replies_people ON comment_replies (comment_id, posted_by, posted_at);
CREATE INDEX comment_replies_author ON comment_replies (space_id, change_request_id, posted_by);

CREATE TABLE comment_reactions (
    comment_id text_key NOT NULL REFERENCES comments (id),
    reply_id   text_key NOT NULL, -- empty: to the comment itself
    emoji      text_key NOT NULL,
    user_id    text_key NOT NULL,
    reacted_at BIGINT   NOT NULL,
    PRIMARY KEY (comment_id, reply_id, emoji, user_id)
) /*sqlite: WITHOUT ROWID */;
