package orgs

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Me returns the caller's own account.
func (s *Service) Me(ctx context.Context, g *authz.Grant) (docs.User, error) {
	return s.Store.User(ctx, g.Actor.User)
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

// User returns an account that the caller can see: their own, or that of a member of an
// organization in which they are more than a guest.
func (s *Service) User(ctx context.Context, g *authz.Grant, id docs.UserID) (docs.User, error) {
	return s.Store.UserVisibleTo(ctx, id, caller(g))
}

// Organization returns an organization.
func (s *Service) Organization(ctx context.Context, id docs.OrgID) (docs.Organization, error) {
	return s.Store.Organization(ctx, id)
}

// Organizations lists the organizations of the caller.
func (s *Service) Organizations(g *authz.Grant) store.List[store.OrgAccess] {
	return store.List[store.OrgAccess]{
		Page: func(ctx context.Context, p store.Page) ([]store.OrgAccess, store.Key, error) {
			return s.Store.OrganizationsOf(ctx, caller(g), p)
		},
		Count: func(ctx context.Context) (int64, error) {
			return s.Store.CountOrganizationsOf(ctx, caller(g))
		},
	}
}

// OrganizationByHostname returns the organization of a hostname. It returns NotFound to
// callers who are not members, so that only members learn whose hostname it is.
func (s *Service) OrganizationByHostname(ctx context.Context, g *authz.Grant, hostname string) (docs.Organization, error) {
	o, err := s.Store.OrganizationByHostname(ctx, hostname)
	if err != nil {
		return o, err
	}
	if _, _, err := authz.NewChecker(s.Store.Reader).Org(ctx, g.Actor, authz.ViewOrg, o.ID); authz.Denied(err) {
		return docs.Organization{}, errs.Missing("subdomain")
	} else if err != nil {
		return docs.Organization{}, err
	}
	return o, nil
}

// AuditEvent returns the event of the audit log with a UUID of docs.UUID.
func (s *Service) AuditEvent(ctx context.Context, org docs.OrgID, uuid string) (store.AuditRow, error) {
	prefix, ok := docs.UUIDPrefix(strings.ToLower(uuid))
	if !ok {
		return store.AuditRow{}, errs.Missing("audit event")
	}
	rows, err := s.Store.AuditEvents(ctx, org, prefix)
	if err != nil {
		return store.AuditRow{}, err
	}
	for _, r := range rows {
		if docs.UUID(r.ID) == strings.ToLower(uuid) {
			return r, nil
		}
	}
	return store.AuditRow{}, errs.Missing("audit event")
}

// AuditActions returns the actions of the newest events of the audit log.
func (s *Service) AuditActions(ctx context.Context, org docs.OrgID) ([]string, error) {
	return s.Store.AuditActions(ctx, org)
}

// Audit lists the events of the audit log of an organization, newest first.
func (s *Service) Audit(org docs.OrgID, f store.AuditFilter) store.List[store.AuditRow] {
	return store.List[store.AuditRow]{Page: func(ctx context.Context, p store.Page) ([]store.AuditRow, store.Key, error) {
		return s.Store.Audit(ctx, org, f, p)
	}}
}

// Members lists the members of an organization; for guests the list is empty.
func (s *Service) Members(g *authz.Grant, org docs.OrgID, f store.MemberFilter) store.List[docs.Member] {
	return authz.VisiblePeople(g, store.List[docs.Member]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Member, store.Key, error) {
			return s.Store.Members(ctx, org, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountMembers(ctx, org, f) },
	})
}

// Member returns a member of an organization.
func (s *Service) Member(ctx context.Context, org docs.OrgID, user docs.UserID) (docs.Member, error) {
	return member(ctx, s.Store.Reader, org, user)
}

// InviteLinks lists the invite links to the organization itself.
func (s *Service) InviteLinks(org docs.OrgID) store.List[docs.InviteLink] {
	return store.List[docs.InviteLink]{Page: func(ctx context.Context, p store.Page) ([]docs.InviteLink, store.Key, error) {
		return s.Store.InviteLinks(ctx, org, p)
	}}
}

// Teams lists the teams of an organization whose title contains a text. If owner is set,
// it lists only the teams that this member can manage.
func (s *Service) Teams(ctx context.Context, g *authz.Grant, org docs.OrgID, owner docs.UserID, title string) (store.List[docs.Team], error) {
	f := store.TeamFilter{Owner: owner, Title: title}
	if owner != "" {
		access, err := s.Store.Access(ctx, org, owner)
		if err != nil {
			return store.List[docs.Team]{}, err
		}
		f.All = authz.Can(access.OrgRole(), authz.ManageTeam)
	}
	return authz.VisiblePeople(g, store.List[docs.Team]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Team, store.Key, error) {
			return s.Store.Teams(ctx, org, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountTeams(ctx, org, f) },
	}), nil
}

// TeamsOf lists the teams of a member whose title contains a text.
func (s *Service) TeamsOf(ctx context.Context, org docs.OrgID, user docs.UserID, title string) (store.List[store.MemberTeam], error) {
	_, err := s.Store.Member(ctx, org, user)
	return store.List[store.MemberTeam]{Page: func(ctx context.Context, p store.Page) ([]store.MemberTeam, store.Key, error) {
		return s.Store.TeamsOf(ctx, org, user, title, p)
	}}, err
}

// TeamMembers lists the members of a team. A guest who belongs to the team can see the
// team, but not its other members.
func (s *Service) TeamMembers(g *authz.Grant, team docs.TeamID) store.List[docs.TeamMembership] {
	return authz.VisiblePeople(g, store.List[docs.TeamMembership]{
		Page: func(ctx context.Context, p store.Page) ([]docs.TeamMembership, store.Key, error) {
			return s.Store.TeamMembers(ctx, team, p)
		},
	})
}
