package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const oidcProviderColumns = `p.id, p.org_id, p.label, p.issuer, p.client_id, p.client_secret, p.groups_claim, p.groups,
	p.default_role, p.default_team, p.trust_email, p.last_error, p.last_error_at, p.created_at, p.updated_at`

func scanOIDCProvider(s engine.Scanner) (p docs.OIDCProvider, err error) {
	var groups string
	if err = s.Scan(&p.ID, &p.Org, &p.Label, &p.Issuer, &p.ClientID, &p.Sealed, &p.GroupsClaim, &groups,
		&p.DefaultRole, &p.DefaultTeam, &p.TrustEmail, &p.LastError, &p.LastErrorAt, &p.CreatedAt, &p.UpdatedAt); err != nil {
		return p, err
	}
	return p, json.Unmarshal([]byte(groups), &p.Groups)
}

// OIDCProvider returns a provider of an organization.
func (r peopleReads) OIDCProvider(ctx context.Context, org docs.OrgID, id docs.OIDCProviderID) (docs.OIDCProvider, error) {
	return engine.One(ctx, r, "provider", scanOIDCProvider, `SELECT `+oidcProviderColumns+` FROM oidc_providers p WHERE p.id = $1 AND p.org_id = $2`, id, org)
}

// OIDCProviderByID returns a provider of any organization.
func (r peopleReads) OIDCProviderByID(ctx context.Context, id docs.OIDCProviderID) (docs.OIDCProvider, error) {
	return engine.One(ctx, r, "provider", scanOIDCProvider, `SELECT `+oidcProviderColumns+` FROM oidc_providers p WHERE p.id = $1 AND `+inPresentOrg("p"), id)
}

// OIDCProviders lists the providers of an organization.
func (r peopleReads) OIDCProviders(ctx context.Context, org docs.OrgID, p Page) ([]docs.OIDCProvider, Key, error) {
	items, err := engine.Many(ctx, r, scanOIDCProvider, `
		SELECT `+oidcProviderColumns+` FROM oidc_providers p WHERE p.org_id = $1 AND p.id > $2 ORDER BY p.id LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(o docs.OIDCProvider) Key { return Key{string(o.ID)} })
	return items, next, err
}

// CountOIDCProviders counts what OIDCProviders lists.
func (r peopleReads) CountOIDCProviders(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM oidc_providers WHERE org_id = $1`, org)
}

// AddOIDCProvider stores a new provider.
func (tx peopleWrites) AddOIDCProvider(ctx context.Context, p docs.OIDCProvider) error {
	groups, err := json.Marshal(p.Groups)
	if err != nil {
		return err
	}
	return engine.Put(ctx, tx, `
		INSERT INTO oidc_providers (id, org_id, label, issuer, client_id, client_secret, groups_claim, groups,
			default_role, default_team, trust_email, last_error, last_error_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		p.ID, p.Org, p.Label, p.Issuer, p.ClientID, p.Sealed, p.GroupsClaim, string(groups),
		p.DefaultRole, p.DefaultTeam, p.TrustEmail, p.LastError, p.LastErrorAt, p.CreatedAt, p.UpdatedAt)
}

// PutOIDCProvider stores a changed provider. The issuer cannot change, because the same
// subject is another person at another issuer.
func (tx peopleWrites) PutOIDCProvider(ctx context.Context, p docs.OIDCProvider) error {
	groups, err := json.Marshal(p.Groups)
	if err != nil {
		return err
	}
	return engine.Put(ctx, tx, `
		UPDATE oidc_providers
		SET label = $2, client_id = $3, client_secret = $4, groups_claim = $5, groups = $6, default_role = $7, default_team = $8,
			last_error = $9, last_error_at = $10, updated_at = $11, trust_email = $12
		WHERE id = $1`,
		p.ID, p.Label, p.ClientID, p.Sealed, p.GroupsClaim, string(groups), p.DefaultRole, p.DefaultTeam,
		p.LastError, p.LastErrorAt, p.UpdatedAt, p.TrustEmail)
}

// DropOIDCProvider deletes a provider and its identities.
func (tx peopleWrites) DropOIDCProvider(ctx context.Context, org docs.OrgID, id docs.OIDCProviderID) error {
	n, err := engine.Exec(ctx, tx, `DELETE FROM oidc_providers WHERE id = $1 AND org_id = $2`, id, org)
	if err == nil && n == 0 {
		return errs.Missing("provider")
	}
	if err != nil {
		return err
	}
	return tx.DropIdentities(ctx, string(id))
}

// AddOIDCFlow stores a new sign-in by the hash of its state. See makeRoom.
func (tx peopleWrites) AddOIDCFlow(ctx context.Context, f docs.OIDCFlow, hash [sha256.Size]byte) error {
	if err := tx.makeRoom(ctx, oidcFlows, f.Network); err != nil {
		return err
	}
	return engine.Put(ctx, tx, `
		INSERT INTO oidc_flows (hash, provider, browser, nonce, verifier, next, user_id, network, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		hex.EncodeToString(hash[:]), f.Provider, f.Browser, f.Nonce, f.Verifier, f.Next, f.User, f.Network, f.ExpiresAt)
}

// TakeOIDCFlow deletes a sign-in and returns it. Of two calls with the same state, one succeeds.
func (tx peopleWrites) TakeOIDCFlow(ctx context.Context, hash [sha256.Size]byte) (docs.OIDCFlow, error) {
	return engine.One(ctx, tx, "sign-in", func(s engine.Scanner) (f docs.OIDCFlow, err error) {
		err = s.Scan(&f.Provider, &f.Browser, &f.Nonce, &f.Verifier, &f.Next, &f.User, &f.ExpiresAt)
		return f, err
	}, `DELETE FROM oidc_flows WHERE hash = $1 RETURNING provider, browser, nonce, verifier, next, user_id, expires_at`, hex.EncodeToString(hash[:]))
}
