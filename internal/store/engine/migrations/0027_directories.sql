-- Directories of organizations: providers of OpenID Connect, sign-ins that are under way at
-- one, and what a directory calls the people and teams that it provisions.

CREATE TABLE oidc_providers (
    id            text_key PRIMARY KEY,
    org_id        text_key NOT NULL REFERENCES organizations (id),
    label         TEXT     NOT NULL,
    issuer        TEXT     NOT NULL,
    client_id     TEXT     NOT NULL,
    client_secret TEXT     NOT NULL, -- sealed; empty: a public client
    groups_claim  TEXT     NOT NULL,
    groups        TEXT     NOT NULL, -- JSON: the team of each group
    default_role  TEXT     NOT NULL,
    default_team  TEXT     NOT NULL,
    last_error    TEXT     NOT NULL, -- of the last sign-in; empty: it succeeded
    last_error_at BIGINT   NOT NULL,
    created_at    BIGINT   NOT NULL,
    updated_at    BIGINT   NOT NULL
);
CREATE INDEX oidc_providers_org ON oidc_providers (org_id, id);

CREATE TABLE oidc_flows (
    hash       text_key PRIMARY KEY, -- of the state
    provider   text_key NOT NULL,    -- of an organization, or of the operator
    browser    TEXT     NOT NULL,    -- hash of the cookie of the browser that began it
    nonce      TEXT     NOT NULL,
    verifier   TEXT     NOT NULL,    -- of PKCE
    next       TEXT     NOT NULL,    -- where the person goes from there
    user_id    TEXT     NOT NULL,    -- whose account is linked; empty: somebody signs in
    expires_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX oidc_flows_age ON oidc_flows (expires_at);

CREATE TABLE external_ids (
    org_id      text_key NOT NULL REFERENCES organizations (id),
    thing_id    text_key NOT NULL, -- a user or a team
    external_id text_key NOT NULL,
    PRIMARY KEY (org_id, thing_id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX external_ids_external ON external_ids (org_id, external_id);
