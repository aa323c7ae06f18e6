package oidc

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// MaxProviders is the maximum number of OpenID Connect providers of an organization.
const MaxProviders = 20

// NewProvider is the input of Create.
type NewProvider struct {
	Issuer string
	Patch
}

// Patch is the input of Update. Absent fields are not changed.
type Patch struct {
	Label        opt.Val[string]
	ClientID     opt.Val[string]
	ClientSecret opt.Val[string] // null: none
	GroupsClaim  opt.Val[string]
	Groups       opt.Val[map[string]docs.TeamID]
	DefaultRole  opt.Val[docs.Role]
	DefaultTeam  opt.Val[docs.TeamID] // null: none
	TrustEmail   opt.Val[bool]
}

func event(p docs.OIDCProvider, action string, data map[string]any) audit.Event {
	return audit.Event{Org: p.Org, Action: "oidc." + action, Kind: "oidc-provider", ID: string(p.ID), Data: data}
}

// Providers lists the providers of an organization.
func (s *Service) Providers(org docs.OrgID) store.List[docs.OIDCProvider] {
	return store.List[docs.OIDCProvider]{
		Page: func(ctx context.Context, p store.Page) ([]docs.OIDCProvider, store.Key, error) {
			return s.Store.OIDCProviders(ctx, org, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountOIDCProviders(ctx, org) },
	}
}

// Provider returns a provider of an organization.
func (s *Service) Provider(ctx context.Context, org docs.OrgID, id docs.OIDCProviderID) (docs.OIDCProvider, error) {
	return s.Store.OIDCProvider(ctx, org, id)
}

// Create adds a provider to an organization. It does not contact the provider: the first sign-in does.
func (s *Service) Create(ctx context.Context, g *authz.Grant, org docs.OrgID, in NewProvider) (docs.OIDCProvider, error) {
	issuer := strings.TrimSpace(in.Issuer)
	if err := checkAddress("issuer", issuer); err != nil {
		return docs.OIDCProvider{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.OIDCProvider, error) {
		n, err := tx.CountOIDCProviders(ctx, org)
		if err == nil && n >= MaxProviders {
			err = errs.E(errs.Precondition, "the organization has %d providers of OpenID Connect, which is the maximum; delete one first", n)
		}
		if err != nil {
			return docs.OIDCProvider{}, err
		}
		p := docs.OIDCProvider{
			ID: store.NewID[docs.OIDCProviderID](tx), Org: org, Issuer: issuer, DefaultRole: docs.Read,
			Groups: map[string]docs.TeamID{}, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		if err := apply(ctx, tx, &p, in.Patch); err != nil {
			return p, err
		}
		if err := tx.AddOIDCProvider(ctx, p); err != nil {
			return p, err
		}
		return p, audit.Record(ctx, tx, g.Actor, event(p, "create", map[string]any{"issuer": p.Issuer, "label": p.Label}))
	})
}

// Update changes a provider.
func (s *Service) Update(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.OIDCProviderID, in Patch) (docs.OIDCProvider, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.OIDCProvider, error) {
		p, err := tx.OIDCProvider(ctx, org, id)
		if err != nil {
			return p, err
		}
		before := p
		before.Groups = maps.Clone(p.Groups)
		if err := apply(ctx, tx, &p, in); err != nil {
			return p, err
		}
		if audit.Same(before, p) {
			return before, nil
		}
		p.UpdatedAt, p.LastError, p.LastErrorAt = tx.Now(), "", 0
		if err := tx.PutOIDCProvider(ctx, p); err != nil {
			return p, err
		}
		return p, audit.Record(ctx, tx, g.Actor, event(p, "update", map[string]any{"secret": in.ClientSecret.IsSet()}).Changed(withoutSecret(before), withoutSecret(p)))
	})
}

// withoutSecret returns a provider without its secret and its last error, for the audit log.
func withoutSecret(p docs.OIDCProvider) docs.OIDCProvider {
	p.Sealed, p.LastError, p.LastErrorAt = "", "", 0
	return p
}

// apply changes the fields of p that are set in the input.
func apply(ctx context.Context, tx *store.Tx, p *docs.OIDCProvider, in Patch) (err error) {
	p.Label, p.ClientID = in.Label.Or(p.Label), in.ClientID.Or(p.ClientID)
	p.GroupsClaim, p.DefaultRole = in.GroupsClaim.Or(p.GroupsClaim), in.DefaultRole.Or(p.DefaultRole)
	p.Groups, p.DefaultTeam = in.Groups.Or(p.Groups), in.DefaultTeam.Or(p.DefaultTeam)
	p.TrustEmail = in.TrustEmail.Or(p.TrustEmail)
	var wrong errs.Mistakes
	if p.DefaultTeam != "" {
		wrong.Add(isTeam(ctx, tx, "defaultTeam", p.Org, p.DefaultTeam))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Groups)) {
		wrong.Add(isTeam(ctx, tx, "groups", p.Org, p.Groups[name]))
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	if in.ClientSecret.IsNull() {
		p.Sealed = ""
	} else if secret, ok := in.ClientSecret.Get(); ok {
		p.Sealed, err = seal.SealChanged(ctx, tx.Reader, seal.OIDCClient, string(p.ID), p.Sealed, secret)
	}
	return err
}

func isTeam(ctx context.Context, tx *store.Tx, at string, org docs.OrgID, id docs.TeamID) error {
	_, err := tx.Team(ctx, org, id)
	if errs.Is(err, errs.NotFound) {
		return errs.Field(at, "%q is not a team of the organization", id)
	}
	return err
}

// Delete removes a provider. It ends all sessions of the organization that were opened through OpenID
// Connect, because the provider may have been deleted as no longer trustworthy.
func (s *Service) Delete(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.OIDCProviderID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		p, err := tx.OIDCProvider(ctx, org, id)
		if err != nil {
			return err
		}
		if err := tx.DropOIDCProvider(ctx, org, id); err != nil {
			return err
		}
		if err := tx.DropIdentities(ctx, string(id)); err != nil {
			return err
		}
		if err := tx.DropSessionsBy(ctx, org, docs.SignInByOIDC); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, event(p, "delete", map[string]any{"issuer": p.Issuer, "label": p.Label}))
	})
}
