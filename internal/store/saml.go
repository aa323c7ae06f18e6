package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const samlColumns = `p.id, p.org_id, p.label, p.entity_id, p.sso_url, p.certificate, p.default_team, p.default_role,
	p.idp_initiated, p.sign_requests, p.email_attribute, p.first_name_attribute, p.last_name_attribute, p.groups_attribute, p.groups, p.sealed,
	p.last_error, p.last_error_at, p.created_at, p.updated_at`

func scanSAMLProvider(s engine.Scanner) (p docs.SAMLProvider, err error) {
	err = s.Scan(&p.ID, &p.Org, &p.Label, &p.EntityID, &p.SSOURL, &p.Certificate, &p.DefaultTeam, &p.DefaultRole,
		&p.IdPInitiated, &p.SignRequests, &p.Attributes.Email, &p.Attributes.FirstName, &p.Attributes.LastName, &p.Attributes.Groups, inJSON{&p.Groups}, &p.Sealed,
		&p.LastError, &p.LastErrorAt, &p.CreatedAt, &p.UpdatedAt)
	return p, err
}

// SAMLProvider returns a provider of an organization.
func (r peopleReads) SAMLProvider(ctx context.Context, org docs.OrgID, id docs.SAMLProviderID) (docs.SAMLProvider, error) {
	return engine.One(ctx, r, "SAML provider", scanSAMLProvider, `SELECT `+samlColumns+` FROM saml_providers p WHERE p.id = $1 AND p.org_id = $2`, id, org)
}

// AnySAMLProvider returns a provider of any organization, for sign-ins.
func (r peopleReads) AnySAMLProvider(ctx context.Context, id docs.SAMLProviderID) (docs.SAMLProvider, error) {
	return engine.One(ctx, r, "SAML provider", scanSAMLProvider, `SELECT `+samlColumns+` FROM saml_providers p WHERE p.id = $1 AND `+inPresentOrg("p"), id)
}

// SAMLProviders lists the providers of an organization, oldest first.
func (r peopleReads) SAMLProviders(ctx context.Context, org docs.OrgID, p Page) ([]docs.SAMLProvider, Key, error) {
	items, err := engine.Many(ctx, r, scanSAMLProvider, `
		SELECT `+samlColumns+` FROM saml_providers p WHERE p.org_id = $1 AND p.id > $2 ORDER BY p.id LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(p docs.SAMLProvider) Key { return Key{string(p.ID)} })
	return items, next, err
}

// CountSAMLProviders counts what SAMLProviders lists.
func (r peopleReads) CountSAMLProviders(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM saml_providers WHERE org_id = $1`, org)
}

// PutSAMLProvider stores a new or changed provider.
func (tx peopleWrites) PutSAMLProvider(ctx context.Context, p docs.SAMLProvider) error {
	return engine.Put(ctx, tx, `
		INSERT INTO saml_providers (id, org_id, label, entity_id, sso_url, certificate, default_team, default_role, idp_initiated, sign_requests,
			email_attribute, first_name_attribute, last_name_attribute, sealed, last_error, last_error_at, created_at, updated_at,
			groups_attribute, groups)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
		ON CONFLICT (id) DO UPDATE SET label = excluded.label, entity_id = excluded.entity_id, sso_url = excluded.sso_url,
			certificate = excluded.certificate, default_team = excluded.default_team, default_role = excluded.default_role,
			idp_initiated = excluded.idp_initiated, sign_requests = excluded.sign_requests, email_attribute = excluded.email_attribute,
			first_name_attribute = excluded.first_name_attribute, last_name_attribute = excluded.last_name_attribute, sealed = excluded.sealed,
			last_error = excluded.last_error, last_error_at = excluded.last_error_at, updated_at = excluded.updated_at,
			groups_attribute = excluded.groups_attribute, groups = excluded.groups`,
		p.ID, p.Org, p.Label, p.EntityID, p.SSOURL, p.Certificate, p.DefaultTeam, p.DefaultRole, p.IdPInitiated, p.SignRequests,
		p.Attributes.Email, p.Attributes.FirstName, p.Attributes.LastName, p.Sealed, p.LastError, p.LastErrorAt, p.CreatedAt, p.UpdatedAt,
		p.Attributes.Groups, toJSON(p.Groups))
}

// PutSAMLError stores why the last sign-in was refused, or "" if it was not.
func (tx peopleWrites) PutSAMLError(ctx context.Context, id docs.SAMLProviderID, text string) error {
	at := tx.Now()
	if text == "" {
		at = 0
	}
	return engine.Put(ctx, tx, `UPDATE saml_providers SET last_error = $2, last_error_at = $3 WHERE id = $1`, id, text, at)
}

// DropSAMLProvider deletes a provider and its sign-ins.
func (tx peopleWrites) DropSAMLProvider(ctx context.Context, org docs.OrgID, id docs.SAMLProviderID) error {
	if _, err := tx.SAMLProvider(ctx, org, id); err != nil {
		return err
	}
	for _, text := range []string{
		`DELETE FROM saml_logins WHERE provider_id = $1`,
		`DELETE FROM saml_assertions WHERE provider_id = $1`,
		`DELETE FROM saml_providers WHERE id = $1`,
	} {
		if err := engine.Put(ctx, tx, text, id); err != nil {
			return err
		}
	}
	return nil
}

// AddSAMLLogin stores a new sign-in. hash is that of the secret that completes it. See makeRoom.
func (tx peopleWrites) AddSAMLLogin(ctx context.Context, l docs.SAMLLogin, hash string) error {
	if err := tx.makeRoom(ctx, samlLogins, l.Network); err != nil {
		return err
	}
	return engine.Put(ctx, tx, `
		INSERT INTO saml_logins (id, provider_id, browser, hash, next, subject, email, name, groups, network, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		l.ID, l.Provider, l.Browser, hash, l.Next, l.Subject, l.Email, l.Name, groupsJSON(l.Groups), l.Network, l.ExpiresAt)
}

// groupsJSON returns a list of groups as it is stored.
func groupsJSON(groups []string) string {
	if groups == nil {
		return ""
	}
	return toJSON(groups)
}

// AnswerSAMLLogin stores the answer of the provider to a sign-in. It reports false if the sign-in does not exist or
// has an answer already.
func (tx peopleWrites) AnswerSAMLLogin(ctx context.Context, l docs.SAMLLogin, hash [sha256.Size]byte) (bool, error) {
	n, err := engine.Exec(ctx, tx, `
		UPDATE saml_logins SET hash = $3, subject = $4, email = $5, name = $6, groups = $7
		WHERE id = $1 AND provider_id = $2 AND hash = '' AND expires_at > $8`,
		l.ID, l.Provider, hex.EncodeToString(hash[:]), l.Subject, l.Email, l.Name, groupsJSON(l.Groups), tx.Now())
	return n > 0, err
}

// SAMLLogin returns a sign-in that was answered, by the hash of the secret that completes it.
func (r peopleReads) SAMLLogin(ctx context.Context, provider docs.SAMLProviderID, hash [sha256.Size]byte) (docs.SAMLLogin, error) {
	return engine.One(ctx, r, "sign-in", func(s engine.Scanner) (l docs.SAMLLogin, err error) {
		err = s.Scan(&l.ID, &l.Provider, &l.Browser, &l.Next, &l.Subject, &l.Email, &l.Name, inJSON{&l.Groups}, &l.ExpiresAt)
		return l, err
	}, `SELECT id, provider_id, browser, next, subject, email, name, groups, expires_at
		FROM saml_logins WHERE hash = $1 AND provider_id = $2`, hex.EncodeToString(hash[:]), provider)
}

// DropSAMLLogins deletes all sign-ins of a provider, because its settings have changed.
func (tx peopleWrites) DropSAMLLogins(ctx context.Context, provider docs.SAMLProviderID) error {
	return engine.Put(ctx, tx, `DELETE FROM saml_logins WHERE provider_id = $1`, provider)
}

// DropSAMLLogin deletes a sign-in and reports whether there was one. Of two concurrent calls, one succeeds.
func (tx peopleWrites) DropSAMLLogin(ctx context.Context, id string) (bool, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM saml_logins WHERE id = $1`, id)
	return n > 0, err
}

// AddSAMLAssertion stores the id of an assertion. The error is Conflict if it is known already.
func (tx peopleWrites) AddSAMLAssertion(ctx context.Context, provider docs.SAMLProviderID, id string, until docs.Time) error {
	sum := sha256.Sum256([]byte(id))
	n, err := engine.Exec(ctx, tx, `INSERT INTO saml_assertions (provider_id, id, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		provider, hex.EncodeToString(sum[:]), until)
	if err == nil && n == 0 {
		return errs.E(errs.Conflict, "this answer was used before")
	}
	return err
}

// DropExpiredAssertions deletes the assertions that are too old to be accepted again.
func (tx peopleWrites) DropExpiredAssertions(ctx context.Context) error {
	_, err := engine.Exec(ctx, tx, `DELETE FROM saml_assertions WHERE expires_at < $1`, tx.Now())
	return err
}
