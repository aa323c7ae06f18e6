-- People sign in: a session is a token that a browser has as a cookie. Links by mail
-- prove an address.

ALTER TABLE tokens ADD COLUMN session BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE tokens ADD COLUMN method TEXT NOT NULL DEFAULT ''; -- how the person signed in
ALTER TABLE tokens ADD COLUMN agent TEXT NOT NULL DEFAULT '';  -- what the browser calls itself

CREATE TABLE mail_links (
    hash       text_key PRIMARY KEY, -- of the secret in the link
    user_id    text_key NOT NULL REFERENCES users (id),
    email      text_key NOT NULL,    -- the address that it proves
    moves      BOOLEAN  NOT NULL,    -- it makes that the address of the account
    next       TEXT     NOT NULL,    -- where the person goes from there
    created_at BIGINT   NOT NULL,
    expires_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX mail_links_user ON mail_links (user_id, created_at);
CREATE INDEX mail_links_age ON mail_links (expires_at);
