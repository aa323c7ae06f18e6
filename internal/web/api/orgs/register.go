// Package orgs has the operations of organizations: their members, teams, invites, service accounts,
// tokens, sign-in, audit log and webhooks.
package orgs

import (
	"github.com/octavo-docs/octavo/internal/identity/oidc"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/sso"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
	"github.com/octavo-docs/octavo/internal/webhooks"
)

// Services are what the operations need.
type Services struct {
	Orgs     *orgs.Service
	Spaces   *spaces.Service
	SSO      *sso.Service
	OIDC     *oidc.Service
	Webhooks *webhooks.Service
}

type handlers struct {
	*wire.Views
	Services
}

// providers has the operations of the identity providers of an organization.
type providers struct{ *handlers }

// Register registers the operations.
func Register(v *wire.Views, s Services) {
	h := &handlers{v, s}
	h.organizations()
	h.deleted()
	h.usage()
	h.members()
	h.serviceAccounts()
	h.tokens()
	h.audits()
	h.invites()
	h.teams()
	h.webhooks()
	p := &providers{h}
	p.saml()
	p.oidcProviders()
}
