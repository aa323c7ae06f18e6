// Package sso implements single sign-on over SAML with the identity provider of an organization.
// It manages the settings of providers and the steps of a sign-in. Package signin decides which
// account a person signs in to.
package sso

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/saml"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service implements single sign-on over SAML.
type Service struct {
	Store   *store.Store
	SignIn  *signin.Service
	BaseURL string // without a slash at the end
}

// maxProviders is the maximum number of providers of an organization.
const maxProviders = 50

// Change is the input of Create and Update. A field that is absent is not changed; null clears it.
type Change struct {
	Label        opt.Val[string]
	EntityID     opt.Val[string]
	SSOURL       opt.Val[string]
	Certificate  opt.Val[string]
	DefaultTeam  opt.Val[docs.TeamID]
	DefaultRole  opt.Val[docs.Role]
	IdPInitiated opt.Val[bool]
	SignRequests opt.Val[bool]
	Attributes   opt.Val[docs.SAMLAttributes]
	Groups       opt.Val[map[string]docs.TeamID]
}

// check validates the fields that can be validated without the store.
func (c Change) check() error {
	var wrong errs.Mistakes
	if label, ok := c.Label.Get(); ok && strings.TrimSpace(label) == "" {
		wrong.Field("label", "must not be blank")
	}
	if text := c.Certificate.Or(""); text != "" {
		if _, err := saml.ParseCertificates(text); err != nil {
			wrong.Field("certificate", "%s", err)
		}
	}
	if address := c.SSOURL.Or(""); address != "" {
		if err := docs.CheckWebURL("ssoURL", address); err != nil {
			wrong.Add(err)
		} else if u, err := url.Parse(address); err != nil || u.Fragment != "" {
			wrong.Field("ssoURL", "must have no fragment (#)")
		}
	}
	return wrong.Err()
}

// apply applies the change to p.
func (c Change) apply(ctx context.Context, tx *store.Tx, p *docs.SAMLProvider) error {
	before, wrong := *p, errs.Mistakes{}
	p.Label = strings.TrimSpace(c.Label.Or(p.Label))
	p.EntityID = strings.TrimSpace(c.EntityID.Or(p.EntityID))
	p.SSOURL, p.Certificate = c.SSOURL.Or(p.SSOURL), c.Certificate.Or(p.Certificate)
	p.DefaultRole = c.DefaultRole.Or(p.DefaultRole)
	p.IdPInitiated, p.SignRequests = c.IdPInitiated.Or(p.IdPInitiated), c.SignRequests.Or(p.SignRequests)
	p.Attributes = c.Attributes.Or(p.Attributes)
	if team, ok := c.DefaultTeam.Get(); ok && team != "" {
		_, err := tx.Team(ctx, p.Org, team)
		if errs.Is(err, errs.NotFound) {
			err = errs.Field("defaultTeam", "is not a team of this organization: %q", team)
		}
		wrong.Add(err)
	}
	p.DefaultTeam = c.DefaultTeam.Or(p.DefaultTeam)
	p.Groups = c.Groups.Or(p.Groups)
	if groups, ok := c.Groups.Get(); ok {
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			_, err := tx.Team(ctx, p.Org, groups[name])
			if errs.Is(err, errs.NotFound) {
				err = errs.Field("groups", "%q is not a team of this organization", groups[name])
			}
			wrong.Add(err)
		}
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	if p.EntityID != before.EntityID || p.SSOURL != before.SSOURL || p.Certificate != before.Certificate || p.Attributes != before.Attributes {
		p.LastError, p.LastErrorAt = "", 0
		if err := tx.DropSAMLLogins(ctx, p.ID); err != nil { // they were begun with the old settings
			return err
		}
	}
	return nil
}

// Provider is a provider as its admins see it.
type Provider struct {
	docs.SAMLProvider
	Team *docs.Team // that DefaultTeam names; nil for none, and for one that was deleted
}

// withTeam returns a provider with its team.
func withTeam(ctx context.Context, r store.Reader, p docs.SAMLProvider) (Provider, error) {
	out := Provider{SAMLProvider: p}
	if p.DefaultTeam == "" {
		return out, nil
	}
	t, err := r.Team(ctx, p.Org, p.DefaultTeam)
	if errs.Is(err, errs.NotFound) {
		return out, nil
	}
	out.Team = &t
	return out, err
}

// Create creates a provider.
func (s *Service) Create(ctx context.Context, g *authz.Grant, org docs.OrgID, in Change) (Provider, error) {
	if err := in.check(); err != nil {
		return Provider{}, err
	}
	key, err := s.newKey(in.SignRequests.Or(false))
	if err != nil {
		return Provider{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (Provider, error) {
		p := docs.SAMLProvider{ID: store.NewID[docs.SAMLProviderID](tx), Org: org, Groups: map[string]docs.TeamID{}, CreatedAt: tx.Now()}
		n, err := tx.CountSAMLProviders(ctx, org)
		if err != nil {
			return Provider{}, err
		}
		if n >= maxProviders {
			return Provider{}, errs.E(errs.Precondition, "an organization can have %d SAML providers; delete one first", maxProviders)
		}
		if err := s.put(ctx, tx, g, &p, in, key, "create"); err != nil {
			return Provider{}, err
		}
		return withTeam(ctx, tx.Reader, p)
	})
}

// Update changes a provider.
func (s *Service) Update(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.SAMLProviderID, in Change) (Provider, error) {
	if err := in.check(); err != nil {
		return Provider{}, err
	}
	now, err := s.Store.SAMLProvider(ctx, org, id)
	if err != nil {
		return Provider{}, err
	}
	key, err := s.newKey(in.SignRequests.Or(false) && now.Sealed == "")
	if err != nil {
		return Provider{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (Provider, error) {
		p, err := tx.SAMLProvider(ctx, org, id)
		if err != nil {
			return Provider{}, err
		}
		if err := s.put(ctx, tx, g, &p, in, key, "update"); err != nil {
			return Provider{}, err
		}
		return withTeam(ctx, tx.Reader, p)
	})
}

// newKey generates a key for requests if needed. Callers do it before the transaction, because it
// takes some time.
func (s *Service) newKey(needed bool) (*saml.Key, error) {
	if !needed {
		return nil, nil
	}
	return saml.NewKey(s.BaseURL, s.Store.Clock())
}

// put applies a change, stores the provider and records the change in the audit log.
func (s *Service) put(ctx context.Context, tx *store.Tx, g *authz.Grant, p *docs.SAMLProvider, in Change, key *saml.Key, action string) error {
	before := *p
	if err := in.apply(ctx, tx, p); err != nil {
		return err
	}
	if key != nil && p.Sealed == "" {
		var err error
		if p.Sealed, err = seal.Seal(ctx, tx.Reader, seal.SAMLKey, string(p.ID), key.Encode()); err != nil {
			return err
		}
	}
	if action == "update" && audit.Same(before, *p) {
		*p = before
		return nil
	}
	p.UpdatedAt = tx.Now()
	if err := tx.PutSAMLProvider(ctx, *p); err != nil {
		return err
	}
	event := audit.Event{Org: p.Org, Action: "saml." + action, Kind: "saml-provider", ID: string(p.ID), Data: map[string]any{"label": p.Label}}
	if action == "update" {
		event = event.Changed(before, *p)
	}
	return audit.Record(ctx, tx, g.Actor, event)
}

// Delete deletes a provider.
func (s *Service) Delete(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.SAMLProviderID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		p, err := tx.SAMLProvider(ctx, org, id)
		if err != nil {
			return err
		}
		if err := tx.DropSAMLProvider(ctx, org, id); err != nil {
			return err
		}
		if err := tx.DropIdentities(ctx, string(id)); err != nil {
			return err
		}
		// A session does not store which of several providers opened it, so all sessions by SAML end.
		if err := tx.DropSessionsBy(ctx, org, docs.SignInBySAML); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{
			Org: org, Action: "saml.delete", Kind: "saml-provider", ID: string(id), Data: map[string]any{"label": p.Label, "entityID": p.EntityID},
		})
	})
}

// Provider returns a provider of an organization.
func (s *Service) Provider(ctx context.Context, org docs.OrgID, id docs.SAMLProviderID) (Provider, error) {
	p, err := s.Store.SAMLProvider(ctx, org, id)
	if err != nil {
		return Provider{}, err
	}
	return withTeam(ctx, s.Store.Reader, p)
}

// Providers lists the SAML providers of an organization.
func (s *Service) Providers(org docs.OrgID) store.List[Provider] {
	return store.List[Provider]{
		Page: func(ctx context.Context, p store.Page) ([]Provider, store.Key, error) {
			all, next, err := s.Store.SAMLProviders(ctx, org, p)
			out := make([]Provider, len(all))
			for i, it := range all {
				if err == nil {
					out[i], err = withTeam(ctx, s.Store.Reader, it)
				}
			}
			return out, next, err
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountSAMLProviders(ctx, org) },
	}
}

// Organization returns an organization by its hostname or id.
func (s *Service) Organization(ctx context.Context, name string) (docs.Organization, error) {
	o, err := s.Store.OrganizationByHostname(ctx, strings.ToLower(name))
	if errs.Is(err, errs.NotFound) {
		return s.Store.Organization(ctx, docs.OrgID(name))
	}
	return o, err
}

// Login is a way to sign in to an organization, as shown to everybody.
type Login struct {
	ID       string
	Label    string
	StartURL string
}

// Logins returns the ways to sign in to an organization: its complete SAML providers, and its OIDC
// providers.
func (s *Service) Logins(ctx context.Context, org docs.OrgID) ([]Login, error) {
	if _, err := s.Store.Organization(ctx, org); errs.Is(err, errs.NotFound) {
		return nil, nil // everybody may ask, so the answer does not tell which organizations exist
	} else if err != nil {
		return nil, err
	}
	all, _, err := s.Store.SAMLProviders(ctx, org, store.Page{Limit: maxProviders})
	out := []Login{}
	for _, p := range all {
		if p.Complete() {
			out = append(out, Login{string(p.ID), p.Label, s.Addresses(p.ID).Start})
		}
	}
	if err != nil {
		return nil, err
	}
	others, _, err := s.Store.OIDCProviders(ctx, org, store.Page{Limit: maxProviders})
	for _, p := range others {
		out = append(out, Login{string(p.ID), p.Label, s.BaseURL + docs.OIDCStartPath(p.ID)})
	}
	return out, err
}

// Addresses holds the URLs of this server that an identity provider or a user needs.
type Addresses struct{ EntityID, ACS, Start string }

// Addresses returns the URLs for a provider.
func (s *Service) Addresses(id docs.SAMLProviderID) Addresses {
	root := s.BaseURL + "/saml/" + url.PathEscape(string(id))
	return Addresses{EntityID: root + "/metadata", ACS: root + "/acs", Start: root + "/login"}
}

// Warnings returns the problems of a provider that an admin should fix before sign-ins fail.
func (s *Service) Warnings(p docs.SAMLProvider) []string {
	const ahead = 30 * 24 * time.Hour
	now := s.Store.Clock()
	certs, err := saml.ParseCertificates(p.Certificate)
	if err != nil {
		return []string{"certificate " + err.Error()}
	}
	out := []string{}
	for i, c := range certs {
		name := "the certificate"
		if len(certs) > 1 {
			name = fmt.Sprintf("certificate %d", i+1)
		}
		switch {
		case now.After(c.NotAfter):
			out = append(out, name+" expired on "+c.NotAfter.UTC().Format(time.DateOnly))
		case now.Before(c.NotBefore):
			out = append(out, name+" is not valid before "+c.NotBefore.UTC().Format(time.DateOnly))
		case now.Add(ahead).After(c.NotAfter):
			out = append(out, name+" expires on "+c.NotAfter.UTC().Format(time.DateOnly)+"; set the next one below it in time")
		}
	}
	if strings.HasPrefix(p.SSOURL, "http://") {
		out = append(out, "ssoURL is not https: what people type there can be read on the way")
	}
	return out
}
