package oidc

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/signin"
	"github.com/octavo-docs/octavo/internal/store"
)

// arrive opens a session for whom a provider vouches.
func (s *Service) arrive(ctx context.Context, p docs.OIDCProvider, f docs.OIDCFlow, who person, in Answer) (signin.Opened, error) {
	email, proved, err := who.email()
	if err != nil {
		return signin.Opened{}, err
	}
	a := signin.Arrival{
		Org: p.Org, Provider: string(p.ID), Method: docs.SignInByOIDC, Subject: who.subject, Email: string(email), Proved: proved, Name: who.name(),
		Role: p.DefaultRole, Team: p.DefaultTeam, Agent: in.Agent, Request: in.Request, Next: f.Next,
	}
	switch {
	case p.Org != "":
		out, err := s.SignIn.Arrive(ctx, a)
		if err != nil {
			return out, err
		}
		return out, s.syncTeams(ctx, p, who, a)
	case f.User != "":
		return signin.Opened{Next: f.Next}, s.SignIn.LinkIdentity(ctx, a, f.User)
	}
	return s.SignIn.ArriveHere(ctx, a, s.Operator.TrustEmail && proved)
}

// syncTeams makes somebody a member of the teams whose groups the provider names, and takes them
// out of those whose groups it does not name. Teams without a group are left alone, and so
// are all if the provider says nothing of groups.
func (s *Service) syncTeams(ctx context.Context, p docs.OIDCProvider, who person, a signin.Arrival) error {
	groups, known := who.groups(p.GroupsClaim)
	if p.GroupsClaim == "" || len(p.Groups) == 0 || !known {
		return nil
	}
	wanted := map[docs.TeamID]bool{}
	for name, team := range p.Groups {
		wanted[team] = wanted[team] || slices.Contains(groups, name)
	}
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		id, err := tx.Identity(ctx, a.Provider, a.Subject)
		if err != nil {
			return err
		}
		access, err := tx.Access(ctx, p.Org, id.User)
		if err != nil {
			return err
		}
		by := authz.Actor{User: id.User, Org: p.Org, Request: a.Request}
		for _, team := range slices.Sorted(maps.Keys(wanted)) {
			if _, in := access.Teams[team]; in == wanted[team] {
				continue
			}
			if err := setTeam(ctx, tx, by, p, team, wanted[team]); err != nil {
				return err
			}
		}
		return nil
	})
}

func setTeam(ctx context.Context, tx *store.Tx, by authz.Actor, p docs.OIDCProvider, team docs.TeamID, in bool) error {
	if _, err := tx.Team(ctx, p.Org, team); errs.Is(err, errs.NotFound) {
		return nil // it was deleted since the group was mapped to it
	} else if err != nil {
		return err
	}
	change := map[string]any{"provider": p.ID, "added": 1}
	if in {
		if err := tx.PutTeamMember(ctx, p.Org, team, by.User, docs.TeamMember); err != nil {
			return err
		}
	} else {
		change = map[string]any{"provider": p.ID, "removed": 1}
		if _, err := tx.DropTeamMember(ctx, p.Org, team, by.User); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, by, audit.Event{Org: p.Org, Action: "team.members", Kind: "team", ID: string(team), Data: change})
}
