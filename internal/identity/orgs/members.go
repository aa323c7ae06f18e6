package orgs

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// memberEvent returns the event of a change to a member.
func memberEvent(org docs.OrgID, action string, user docs.UserID, data map[string]any) audit.Event {
	return audit.Event{Org: org, Action: "member." + action, Kind: "user", ID: string(user), Data: data}
}

// member returns a member who is a person. Service accounts have their own methods.
func member(ctx context.Context, r store.Reader, org docs.OrgID, user docs.UserID) (docs.Member, error) {
	m, err := r.Member(ctx, org, user)
	if err == nil && m.User.Kind != docs.Person {
		return docs.Member{}, errs.Missing("member")
	}
	return m, err
}

// checkOtherAdmin returns an error if the organization would have no admin without m.
func checkOtherAdmin(ctx context.Context, tx *store.Tx, m docs.Member) error {
	if m.Role != docs.Admin || m.Disabled {
		return nil
	}
	n, err := tx.CountAdmins(ctx, m.Org)
	if err != nil || n > 1 {
		return err
	}
	return errs.E(errs.Precondition, "%s is the last admin of the organization; make somebody else admin first", m.User.DisplayName)
}

// SetRole changes the role of a member.
func (s *Service) SetRole(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID, role docs.Role) (docs.Member, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Member, error) {
		m, err := member(ctx, tx.Reader, org, user)
		if err != nil {
			return m, err
		}
		err = setRole(ctx, tx, g.Actor, &m, role)
		return m, err
	})
}

func setRole(ctx context.Context, tx *store.Tx, by authz.Actor, m *docs.Member, role docs.Role) error {
	if m.Role == role {
		return nil
	}
	if err := checkOtherAdmin(ctx, tx, *m); err != nil {
		return err
	}
	before := *m
	m.Role = role
	if err := tx.PutMember(ctx, *m); err != nil {
		return err
	}
	return audit.Record(ctx, tx, by, memberEvent(m.Org, "role", m.User.ID, map[string]any{"from": before.Role, "to": role}).Changed(before, *m))
}

// SetDisabled withdraws the access of a member at once, or restores it. The member's
// content, teams and grants are kept.
func (s *Service) SetDisabled(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID, disabled bool) (docs.Member, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Member, error) {
		m, err := member(ctx, tx.Reader, org, user)
		if err != nil {
			return m, err
		}
		err = setDisabled(ctx, tx, g.Actor, &m, disabled)
		return m, err
	})
}

func setDisabled(ctx context.Context, tx *store.Tx, by authz.Actor, m *docs.Member, disabled bool) error {
	if m.Disabled == disabled {
		return nil
	}
	action := "reactivate"
	if disabled {
		action = "deactivate"
		if err := checkOtherAdmin(ctx, tx, *m); err != nil {
			return err
		}
	}
	before := *m
	m.Disabled = disabled
	if err := tx.PutMember(ctx, *m); err != nil {
		return err
	}
	if disabled {
		if err := tx.DropTokensOfOrg(ctx, m.Org, m.User.ID); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, by, memberEvent(m.Org, action, m.User.ID, nil).Changed(before, *m))
}

// MarkSSO allows a member to sign in through the organization's identity provider.
func (s *Service) MarkSSO(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID) (docs.Member, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Member, error) {
		m, err := member(ctx, tx.Reader, org, user)
		if err != nil || m.SSO {
			return m, err
		}
		m.SSO = true
		if err := tx.PutMember(ctx, m); err != nil {
			return m, err
		}
		return m, audit.Record(ctx, tx, g.Actor, memberEvent(org, "sso", user, nil))
	})
}

// InviteAgain sends the invitation of a member again, if the member has not used the
// organization yet.
func (s *Service) InviteAgain(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		m, err := member(ctx, tx.Reader, org, user)
		if err != nil {
			return err
		}
		if m.Disabled {
			return errs.E(errs.Precondition, "%s no longer has access to the organization; restore it first", m.User.Email)
		}
		if !m.LastSeenAt.IsZero() {
			return errs.E(errs.Precondition, "%s has used the organization already and needs no invitation", m.User.Email)
		}
		if err := limitAgain(ctx, tx, g.Actor, org, user); err != nil {
			return err
		}
		if err := s.limitInvitations(ctx, tx, g.Actor, org, 1); err != nil {
			return err
		}
		if err := mailInvitation(ctx, tx, g.Actor, org, user); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, memberEvent(org, "invite-again", user, nil))
	})
}

// Remove removes a member from an organization, with all grants and teams.
func (s *Service) Remove(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		m, err := member(ctx, tx.Reader, org, user)
		if err != nil {
			return err
		}
		if err := checkOtherAdmin(ctx, tx, m); err != nil {
			return err
		}
		if _, err := tx.DropMember(ctx, org, user); err != nil {
			return err
		}
		if err := tx.DropTokensOfOrg(ctx, org, user); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, memberEvent(org, "remove", user, map[string]any{"role": m.Role}))
	})
}

// Ping records that the caller is active.
func (s *Service) Ping(ctx context.Context, g *authz.Grant, org docs.OrgID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error { return tx.TouchMember(ctx, org, g.Actor.User, tx.Now()) })
}

// Join makes the caller a guest of the organization. The caller needs a verified address
// in one of the organization's domains, which must be proved. Joining twice changes
// nothing. An organization that the caller cannot join looks as if it did not exist.
func (s *Service) Join(ctx context.Context, g *authz.Grant, org docs.OrgID) error {
	if err := g.Actor.RequireFullAccount(); err != nil {
		return err
	}
	u, err := s.Store.User(ctx, g.Actor.User)
	if err != nil {
		return err
	}
	if err := s.checkDomainOf(ctx, g, org, u); err != nil {
		return hideUnjoinable(err, u)
	}
	return hideUnjoinable(authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error { return join(ctx, tx, g, org) }), u)
}

// hideUnjoinable gives organizations that do not exist and those that a person cannot join one message.
func hideUnjoinable(err error, u docs.User) error {
	if errs.Is(err, errs.NotFound) {
		return errs.E(errs.NotFound, "there is no organization with this id that people with an address of %s can join by themselves; ask for an invite", u.Email.Domain())
	}
	return err
}

func join(ctx context.Context, tx *store.Tx, g *authz.Grant, org docs.OrgID) error {
	u, err := tx.User(ctx, g.Actor.User)
	if err != nil {
		return err
	}
	if err := checkVerified(u); err != nil {
		return err
	}
	if err := checkAccepted(ctx, tx.Reader, g, org); err != nil {
		return err
	}
	o, err := tx.Organization(ctx, org)
	if err != nil {
		return err
	}
	m, err := tx.Member(ctx, org, g.Actor.User)
	if err == nil {
		return refuseDisabled(m)
	}
	if !errs.Is(err, errs.NotFound) {
		return err
	}
	if !slices.Contains(o.EmailDomains, u.Email.Domain()) {
		return errs.Missing("organization")
	}
	removed, err := tx.RemovedAt(ctx, org, g.Actor.User)
	if err != nil {
		return err
	}
	if !removed.IsZero() {
		return errs.E(errs.Invalid, "you were removed from this organization; ask an admin to invite you again")
	}
	if err := tx.AddMember(ctx, docs.Member{Org: org, User: u, Role: docs.Guest, JoinedAt: tx.Now(), LastSeenAt: tx.Now()}); err != nil {
		return err
	}
	return audit.Record(ctx, tx, g.Actor, memberEvent(org, "join", g.Actor.User, nil))
}

func checkVerified(u docs.User) error {
	if u.Verified {
		return nil
	}
	return errs.E(errs.Invalid, "your address %s is not verified; ask the operator of this instance", u.Email)
}

func refuseDisabled(m docs.Member) error {
	if m.Disabled {
		return errs.E(errs.Forbidden, "your membership is disabled; ask an admin of the organization")
	}
	return nil
}

// Invitee is a person to be invited by address.
type Invitee struct {
	Email string
	Role  docs.Role
	Path  string // path of the address in the request, for error messages
}

// Invited is the result of Invite.
type Invited struct {
	Users     []docs.UserID
	FailedSSO []string
}

// InvitedJob is the kind of the job that informs a person by mail about being added to an
// organization.
const InvitedJob = "member.invited"

// Invitation is the payload of InvitedJob.
type Invitation struct {
	Org  docs.OrgID
	User docs.UserID
	By   docs.UserID
}

// mailInvitation queues the mail to a person who was added. It does so for requests and for
// the operator at the command line, but not for actors without a request: background work
// and the demonstration. A person who got maxInvited such mails lately gets no further one.
// The response is the same, because the other mails may be those of other organizations.
func mailInvitation(ctx context.Context, tx *store.Tx, by authz.Actor, org docs.OrgID, user docs.UserID) error {
	if by.Request == "" {
		return nil
	}
	if limited(by.Request) {
		_, wait, err := tx.Spend(ctx, store.Allowance{Who: string(user), What: "invited", Most: maxInvited}, 1)
		if err != nil || wait > 0 {
			return err
		}
	}
	i := Invitation{org, user, by.User}
	return jobs.Enqueue(ctx, tx, jobs.Job{Kind: InvitedJob, Key: string(i.Org) + " " + string(i.User), Payload: i})
}

// Invite adds people to an organization by their addresses. They become members at once,
// and are informed by mail. A person without an account gets one, which cannot be used
// until the address is verified. Existing members are not changed. Until an added person
// uses the organization, the organization sees only the address, and sso has no effect.
func (s *Service) Invite(ctx context.Context, g *authz.Grant, org docs.OrgID, people []Invitee, sso bool) (Invited, error) {
	emails := make([]docs.Email, len(people))
	var wrong errs.Mistakes
	for i, p := range people {
		var err error
		if emails[i], err = docs.ParseEmail(p.Email); err != nil {
			wrong.Field(p.Path, "is not an e-mail address")
		}
	}
	if err := wrong.Err(); err != nil {
		return Invited{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (Invited, error) {
		out := Invited{Users: []docs.UserID{}}
		for i, p := range people {
			e := emails[i]
			u, err := tx.UserByEmail(ctx, e)
			if errs.Is(err, errs.NotFound) {
				u, err = addUser(ctx, tx, e, false)
			}
			if err != nil {
				return out, err
			}
			m, err := tx.Member(ctx, org, u.ID)
			switch {
			case err == nil:
				// An invite does not subject an existing member to the identity provider:
				// an admin has to mark the member.
				if sso && !m.SSO && !slices.Contains(out.FailedSSO, string(e)) {
					out.FailedSSO = append(out.FailedSSO, string(e))
				}
				continue
			case !errs.Is(err, errs.NotFound):
				return out, err
			}
			// The response is the same whether the address is in use elsewhere or not.
			if err := tx.AddMember(ctx, docs.Member{Org: org, User: u, Role: p.Role, SSO: sso, JoinedAt: tx.Now()}); err != nil {
				return out, err
			}
			if err := audit.Record(ctx, tx, g.Actor, memberEvent(org, "invite", u.ID, map[string]any{"role": p.Role})); err != nil {
				return out, err
			}
			if err := mailInvitation(ctx, tx, g.Actor, org, u.ID); err != nil {
				return out, err
			}
			out.Users = append(out.Users, u.ID)
		}
		return out, s.limitInvitations(ctx, tx, g.Actor, org, len(out.Users))
	})
}
