-- People also sign in at the identity provider of an organization. Such a session, and what
-- it makes, is good for that organization only.

ALTER TABLE tokens ADD COLUMN org_id text_key NOT NULL DEFAULT ''; -- empty: for all that the user has access to

-- Whom a provider calls a subject.
CREATE TABLE identities (
    provider   text_key NOT NULL, -- id of the provider
    subject    text_key NOT NULL, -- unique among those of the provider
    user_id    text_key NOT NULL REFERENCES users (id),
    org_id     text_key NOT NULL, -- of the provider; empty: of the instance
    created_at BIGINT   NOT NULL,
    PRIMARY KEY (provider, subject)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX identities_user ON identities (user_id);
