-- Addresses of a provider that never says that they are proved, and groups of SAML providers.

ALTER TABLE oidc_providers ADD COLUMN trust_email BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE saml_providers ADD COLUMN groups_attribute TEXT NOT NULL DEFAULT '';
ALTER TABLE saml_providers ADD COLUMN groups TEXT NOT NULL DEFAULT '{}'; -- JSON: the team of each group
ALTER TABLE saml_logins ADD COLUMN groups TEXT NOT NULL DEFAULT ''; -- JSON: of the person; empty: the provider sent none

-- From where a sign-in was begun: each network has a bound of its own.
ALTER TABLE oidc_flows ADD COLUMN network TEXT NOT NULL DEFAULT '';
CREATE INDEX oidc_flows_network ON oidc_flows (network, expires_at);
ALTER TABLE passkey_challenges ADD COLUMN network TEXT NOT NULL DEFAULT '';
CREATE INDEX passkey_challenges_network ON passkey_challenges (network, expires_at);
ALTER TABLE saml_logins ADD COLUMN network TEXT NOT NULL DEFAULT '';
CREATE INDEX saml_logins_network ON saml_logins (network, expires_at);
