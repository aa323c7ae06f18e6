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

// Invite adds people to an organization by their addresses. They become members at once,
// and are informed by mail. A person without an account gets one, which cannot be used
// until the address is verified. Existing members are not changed. Until an added person
// uses the organization, the organization sees only the address, and sso has no effect.
func (s *Members) Invite(ctx context.Context, g *authz.Grant, org docs.OrgID, people []Invitee, sso bool) (Invited, error) {
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
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (Invited, error) {
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

// InviteAgain sends the invitation of a member again, if the member has not used the
// organization yet.
func (s *Members) InviteAgain(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
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
