// Package orgs is the service of people and organizations: accounts and
// tokens, organizations and their settings, members, invites and teams.
//
// Every method that changes something is one transaction, which includes its
// audit record. The rule of the operation has already allowed the call; checks
// that depend on the input are made here, with package authz.
package orgs

import (
	"context"
	"net"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/challenge"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service implements the operations on people and organizations, in a part for each noun.
type Service struct {
	Accounts        *Accounts
	Tokens          *Tokens
	Organizations   *Organizations
	Domains         *Domains
	Members         *Members
	InviteLinks     *InviteLinks
	Teams           *Teams
	ServiceAccounts *ServiceAccounts
	AuditLog        *AuditLog
	Directory       *Directory
	Operator        *Operator
}

// Config holds what the operator decides about people and organizations.
type Config struct {
	// DNS is the resolver that proves e-mail domains; nil is that of the system. TrustedDomains
	// are the domains that need no proof, as in challenge.MatchesAny.
	DNS            challenge.Resolver
	TrustedDomains []string
	// Closed allows only the operator to create organizations.
	Closed bool
	Limits Limits
}

// New returns the service of people and organizations of a store.
func New(st *store.Store, c Config) *Service {
	if c.DNS == nil {
		c.DNS = net.DefaultResolver
	}
	return &Service{
		Accounts: &Accounts{st}, Tokens: &Tokens{st}, ServiceAccounts: &ServiceAccounts{st},
		Organizations: &Organizations{st, c.Closed, c.Limits.Organizations}, Domains: &Domains{st, c.DNS, c.TrustedDomains},
		Members: &Members{st, c.Limits}, InviteLinks: &InviteLinks{st}, Teams: &Teams{st}, Directory: &Directory{st},
		AuditLog: &AuditLog{st}, Operator: &Operator{st},
	}
}

// caller returns the user, organization and token of a grant, for queries.
func caller(g *authz.Grant) store.Caller {
	return store.Caller{User: g.Actor.User, Org: g.Actor.Org, Token: g.Actor.Token}
}

// checkAccepted returns NotFound if an organization does not accept the token of the caller: of such an
// organization the caller learns nothing, and becomes nothing in it, although the person may be a member.
func checkAccepted(ctx context.Context, r store.Reader, g *authz.Grant, org docs.OrgID) error {
	accepted, err := r.AcceptsCaller(ctx, org, caller(g))
	if err == nil && !accepted {
		err = errs.Missing("organization")
	}
	return err
}
