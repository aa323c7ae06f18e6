package oidc

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
)

// openSession opens a session for a person whom a provider has authenticated, or links the identity to
// the account of a signed-in user.
func (s *Service) openSession(ctx context.Context, p docs.OIDCProvider, f docs.OIDCFlow, who person, in Answer) (signin.NewSession, error) {
	email, proved, err := who.email()
	if err != nil {
		return signin.NewSession{}, err
	}
	a := signin.Assertion{
		Org: p.Org, Provider: string(p.ID), Method: docs.SignInByOIDC, Subject: who.subject, Email: string(email), Proved: proved, Name: who.name(),
		Role: p.DefaultRole, Team: p.DefaultTeam, AsOf: p.UpdatedAt, Agent: in.From.Agent, Request: in.From.Request, Next: f.Next,
	}
	switch {
	case p.Org != "":
		if a.Proved, err = s.proved(ctx, p, email, proved, who); err != nil {
			return signin.NewSession{}, err
		}
		if groups, known := who.groups(p.GroupsClaim); known && p.GroupsClaim != "" {
			a.Teams = signin.TeamsOf(p.Groups, groups)
		}
		return s.SignIn.SignInToOrganization(ctx, a)
	case f.User != "":
		return signin.NewSession{Next: f.Next}, s.SignIn.LinkIdentity(ctx, a, f.User)
	}
	return s.SignIn.SignInByOperator(ctx, a, s.Operator.TrustEmail && proved)
}

// proved reports whether an address is verified to belong to the person. Some providers never send
// email_verified. If an admin trusts such a provider, addresses in the organization's own verified
// domains count as proved. Others do not: for other domains the provider could send anybody's address.
func (s *Service) proved(ctx context.Context, p docs.OIDCProvider, email docs.Email, proved bool, who person) (bool, error) {
	if _, says := who.claims["email_verified"]; proved || says || !p.TrustEmail {
		return proved, nil
	}
	return s.OwnsDomain(ctx, p.Org, email.Domain())
}
