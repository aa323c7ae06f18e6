-- Machines are users without an address, who belong to one organization. Tokens
-- remember from where they were used; an organization knows those that were used in it,
-- and can refuse them.

ALTER TABLE users ADD COLUMN kind text_key NOT NULL DEFAULT ''; -- empty: a person; service, deleted. The email of those two is their id
ALTER TABLE tokens ADD COLUMN last_address TEXT NOT NULL DEFAULT '';

CREATE TABLE organization_tokens (
    org_id       text_key NOT NULL REFERENCES organizations (id),
    token_id     text_key NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    last_used_at BIGINT   NOT NULL, -- in this organization
    last_address TEXT     NOT NULL,
    blocked_at   BIGINT   NOT NULL, -- 0: it is accepted
    PRIMARY KEY (org_id, token_id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX organization_tokens_token ON organization_tokens (token_id);
