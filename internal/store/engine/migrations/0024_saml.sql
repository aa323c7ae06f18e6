-- People sign in by SAML: the identity providers of an organization, the sign-ins that are
-- under way, and the assertions that came, so that none comes twice.

CREATE TABLE saml_providers (
    id                   text_key PRIMARY KEY,
    org_id               text_key NOT NULL REFERENCES organizations (id),
    label                TEXT     NOT NULL,
    entity_id            TEXT     NOT NULL,
    sso_url              TEXT     NOT NULL,
    certificate          TEXT     NOT NULL,
    default_team         text_key NOT NULL, -- empty: none
    default_role         TEXT     NOT NULL,
    idp_initiated        BOOLEAN  NOT NULL,
    sign_requests        BOOLEAN  NOT NULL,
    email_attribute      TEXT     NOT NULL,
    first_name_attribute TEXT     NOT NULL,
    last_name_attribute  TEXT     NOT NULL,
    sealed               TEXT     NOT NULL, -- key that signs requests, encrypted
    last_error           TEXT     NOT NULL,
    last_error_at        BIGINT   NOT NULL,
    created_at           BIGINT   NOT NULL,
    updated_at           BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX saml_providers_org ON saml_providers (org_id, id);

CREATE TABLE saml_logins (
    id          text_key PRIMARY KEY, -- that the answer has to name
    provider_id text_key NOT NULL REFERENCES saml_providers (id),
    browser     text_key NOT NULL,    -- hash of the secret of the browser; empty: it began at the identity provider
    hash        text_key NOT NULL,    -- of the secret that ends it; empty: there is no answer yet
    next        TEXT     NOT NULL,
    subject     TEXT     NOT NULL,
    email       TEXT     NOT NULL,
    name        TEXT     NOT NULL,
    expires_at  BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX saml_logins_hash ON saml_logins (hash);
CREATE INDEX saml_logins_provider ON saml_logins (provider_id);
CREATE INDEX saml_logins_age ON saml_logins (expires_at);

CREATE TABLE saml_assertions (
    provider_id text_key NOT NULL REFERENCES saml_providers (id),
    id          text_key NOT NULL, -- hash of what the assertion calls itself
    expires_at  BIGINT   NOT NULL,
    PRIMARY KEY (provider_id, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX saml_assertions_age ON saml_assertions (expires_at);
