package oidc

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/signin"
)

// arrive opens a session for whom a provider vouches.
func (s *Service) arrive(ctx context.Context, p docs.OIDCProvider, f docs.OIDCFlow, who person, in Answer) (signin.NewSession, error) {
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

// proved reports whether an address is proved to be of the person. Some providers never say so. If an
// admin trusts such a one, it is believed for domains that the organization has proved to have, and for no
// others: at those it could name anybody.
func (s *Service) proved(ctx context.Context, p docs.OIDCProvider, email docs.Email, proved bool, who person) (bool, error) {
	if _, says := who.claims["email_verified"]; proved || says || !p.TrustEmail {
		return proved, nil
	}
	return s.OwnsDomain(ctx, p.Org, email.Domain())
}
