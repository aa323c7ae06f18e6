-- What people are notified of, and how each of them wants it.

CREATE TABLE notices (
    user_id           text_key NOT NULL REFERENCES users (id),
    id                text_key NOT NULL, -- of the audit row of what happened
    kind              text_key NOT NULL,
    actor_id          text_key NOT NULL,
    space_id          text_key NOT NULL REFERENCES spaces (id),
    change_request_id text_key NOT NULL, -- empty: it is about the space
    comment_id        text_key NOT NULL, -- empty: it is about no comment
    reply_id          text_key NOT NULL, -- to the comment
    at                BIGINT   NOT NULL,
    read_at           BIGINT   NOT NULL, -- 0: unread
    mail              text_key NOT NULL, -- by which a mail has to be sent yet: mail, digest; empty: by none
    PRIMARY KEY (user_id, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX notices_unread ON notices (user_id, id) WHERE read_at = 0;
CREATE INDEX notices_mail ON notices (user_id, id) WHERE mail <> '';
CREATE INDEX notices_space ON notices (space_id);
CREATE INDEX notices_age ON notices (at);

CREATE TABLE notification_settings (
    user_id   text_key PRIMARY KEY REFERENCES users (id),
    settings  TEXT     NOT NULL, -- JSON; empty: the person has chosen nothing
    mailed_at BIGINT   NOT NULL  -- when the last mail was sent
) /*sqlite: WITHOUT ROWID */;
