package orgs

import (
	"context"
	"encoding/hex"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// InviteLinks are the links by which people can join an organization, a space or a
// collection.
type InviteLinks struct{ store *store.Store }

// Link is an invite link with its target. The caller already has the role that it grants;
// see manageLink.
type Link struct {
	docs.InviteLink
	Space      *authz.Grant // of a link to a space
	Collection *authz.Grant // of a link to a collection
}

// Create creates an invite link. A link to the organization needs an admin. A link to
// a space or a collection needs a member who administers the target, and never grants
// more than the caller has.
func (s *InviteLinks) Create(ctx context.Context, g *authz.Grant, org docs.OrgID, wanted docs.InviteLink) (Link, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (Link, error) {
		o, err := tx.Organization(ctx, org)
		if err != nil {
			return Link{}, err
		}
		if !o.InviteLinks {
			return Link{}, errs.E(errs.Precondition, "invite links are disabled in this organization; an admin can enable them in its settings")
		}
		in := wanted
		in.ID, in.Org = store.NewID[docs.InviteID](tx), org
		in.CreatedBy, in.CreatedAt = g.Actor.User, tx.Now()
		l, err := manageLink(ctx, tx.Reader, g.Actor, in)
		if err != nil {
			return l, err
		}
		if err := tx.AddInviteLink(ctx, in); err != nil {
			return l, err
		}
		return l, audit.Record(ctx, tx, g.Actor, linkEvent("create", in))
	})
}

func linkEvent(action string, l docs.InviteLink) audit.Event {
	// The id admits everybody who has it, so the log contains only a hash of it.
	sum := docs.HashSecret(string(l.ID))
	return audit.Event{Org: l.Org, Action: "invite-link." + action, Kind: "invite-link", ID: hex.EncodeToString(sum[:8]), Data: map[string]any{
		"role": l.Role, "space": l.Space, "collection": l.Collection,
	}}
}

// manageLink checks that the caller may create a link. Reading, changing and revoking a
// link need the same rights, because its id is all that is needed to use it.
func manageLink(ctx context.Context, r store.Reader, by authz.Actor, in docs.InviteLink) (Link, error) {
	l := Link{InviteLink: in}
	check := authz.NewChecker(r)
	var g *authz.Grant
	var err error
	switch {
	case in.Space != "":
		g, _, err = check.Space(ctx, by, authz.AdminSpace.Within(docs.ScopeAdmin), in.Space)
		l.Space = g
	case in.Collection != "":
		g, _, err = check.Collection(ctx, by, authz.AdminCollection.Within(docs.ScopeAdmin), in.Collection)
		l.Collection = g
	default:
		g, _, err = check.Org(ctx, by, authz.AdminOrg, in.Org)
	}
	if err != nil {
		return l, err
	}
	if g.Access.Org != in.Org {
		return l, errs.Missing("space or collection")
	}
	if !g.Role.AtLeast(in.Role) {
		return l, errs.E(errs.Forbidden, "you cannot give the role %q: your own role here is %q", in.Role, g.Role)
	}
	return l, nil
}

// activeLink returns a link that is not revoked, if the caller may manage it.
func activeLink(ctx context.Context, r store.Reader, by authz.Actor, org docs.OrgID, id docs.InviteID) (Link, error) {
	in, err := r.InviteLink(ctx, org, id)
	if err != nil {
		return Link{}, err
	}
	if !in.RevokedAt.IsZero() {
		return Link{}, errs.Missing("invite link")
	}
	return manageLink(ctx, r, by, in)
}

// Get returns an invite link that the caller may manage.
func (s *InviteLinks) Get(ctx context.Context, by authz.Actor, org docs.OrgID, id docs.InviteID) (Link, error) {
	return activeLink(ctx, s.store.Reader, by, org, id)
}

// LinkPatch is the input of Update: a role for a link to the
// organization, a level for one to a space or a collection.
type LinkPatch struct {
	Role  opt.Val[docs.Role]
	Level opt.Val[docs.Role]
}

func (p LinkPatch) role(l docs.InviteLink) (docs.Role, error) {
	if l.Space == "" && l.Collection == "" {
		if !p.Role.IsSet() || p.Level.IsSet() {
			return "", errs.Field("role", "must be set, instead of level, for a link to the organization")
		}
		return p.Role.Or(docs.Guest), nil
	}
	if _, ok := p.Level.Get(); !ok || p.Role.IsSet() {
		return "", errs.Field("level", "must be set, instead of role, for a link to a space or a collection")
	}
	return p.Level.Or(docs.Guest), nil
}

// Update changes the role that a link grants from now on.
func (s *InviteLinks) Update(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.InviteID, p LinkPatch) (Link, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (Link, error) {
		l, err := activeLink(ctx, tx.Reader, g.Actor, org, id)
		if err != nil {
			return l, err
		}
		before := l.InviteLink
		if l.Role, err = p.role(l.InviteLink); err != nil {
			return l, err
		}
		if l, err = manageLink(ctx, tx.Reader, g.Actor, l.InviteLink); err != nil {
			return l, err
		}
		if audit.Same(before, l.InviteLink) {
			return l, nil
		}
		if err := tx.PutInviteLink(ctx, l.InviteLink); err != nil {
			return l, err
		}
		return l, audit.Record(ctx, tx, g.Actor, linkEvent("update", l.InviteLink).Changed(before, l.InviteLink))
	})
}

// Revoke revokes a link. Its row is kept, so that people who open the link later get
// an explanation.
func (s *InviteLinks) Revoke(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.InviteID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		l, err := activeLink(ctx, tx.Reader, g.Actor, org, id)
		if err != nil {
			return err
		}
		l.RevokedAt = tx.Now()
		if err := tx.PutInviteLink(ctx, l.InviteLink); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, linkEvent("revoke", l.InviteLink))
	})
}

// Accept uses a link: the caller becomes a member, or a guest with access to a space or a
// collection. It never reduces existing rights.
func (s *InviteLinks) Accept(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.InviteID) error {
	if err := g.Actor.RequireFullAccount(); err != nil {
		return err
	}
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		if err := checkAccepted(ctx, tx.Reader, g, org); err != nil {
			return err
		}
		l, err := tx.InviteLink(ctx, org, id)
		if err != nil {
			return err
		}
		o, err := tx.Organization(ctx, org)
		if err != nil {
			return err
		}
		switch {
		case !l.RevokedAt.IsZero():
			return errs.E(errs.Precondition, "this invite link was revoked; ask an admin of the organization for a new one")
		case !o.InviteLinks:
			return errs.E(errs.Precondition, "invite links are disabled in this organization; ask an admin to invite you")
		}
		if err := checkUsable(ctx, tx, g.Actor, l); err != nil {
			return err
		}
		role := docs.Guest
		if l.Space == "" && l.Collection == "" {
			role = l.Role
		}
		if err := admit(ctx, tx, g.Actor, org, role); err != nil {
			return err
		}
		if err := grantByLink(ctx, tx, g.Actor, l); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, linkEvent("accept", l))
	})
}

// checkUsable returns an error if the creator of a link could not create it any more. It
// also refuses a link that is older than the caller's removal from the organization:
// people who were removed need a new invite.
func checkUsable(ctx context.Context, tx *store.Tx, by authz.Actor, l docs.InviteLink) error {
	void := errs.E(errs.Precondition, "this invite link is no longer valid: its target was deleted, or the user who created it is no longer allowed to invite; ask an admin of the organization for a new one")
	if _, err := manageLink(ctx, tx.Reader, authz.Actor{User: l.CreatedBy}, l); errs.Is(err, errs.Internal) {
		return err
	} else if err != nil {
		return void
	}
	at, err := tx.RemovedAt(ctx, l.Org, by.User)
	if err != nil {
		return err
	}
	if at >= l.CreatedAt {
		return errs.E(errs.Precondition, "you were removed from this organization after the link was created; ask an admin for a new one")
	}
	return nil
}

// admit makes the caller a member with at least a role.
func admit(ctx context.Context, tx *store.Tx, by authz.Actor, org docs.OrgID, role docs.Role) error {
	m, err := tx.Member(ctx, org, by.User)
	if errs.Is(err, errs.NotFound) {
		u, err := tx.User(ctx, by.User)
		if err != nil {
			return err
		}
		return tx.AddMember(ctx, docs.Member{Org: org, User: u, Role: role, JoinedAt: tx.Now(), LastSeenAt: tx.Now()})
	}
	if err != nil {
		return err
	}
	if err := refuseDisabled(m); err != nil {
		return err
	}
	if m.Role.AtLeast(role) {
		return nil
	}
	m.Role = role
	return tx.PutMember(ctx, m)
}

// grantByLink grants the role of a link to a space or a collection, unless the caller
// already has it.
func grantByLink(ctx context.Context, tx *store.Tx, by authz.Actor, l docs.InviteLink) error {
	var node docs.Node
	var have docs.Role
	check := authz.NewChecker(tx.Reader)
	switch {
	case l.Space != "":
		sp, err := tx.Space(ctx, l.Space)
		if err != nil {
			return err
		}
		if !sp.It.DeletedAt.IsZero() {
			return errs.E(errs.Precondition, "the space of this invite link was deleted; ask whoever sent it for another link")
		}
		node = sp.It.Node()
		if g, _, err := check.Space(ctx, by, authz.ViewSpace, l.Space); err == nil {
			have = g.Role
		} else if !authz.Denied(err) {
			return err
		}
	case l.Collection != "":
		c, err := tx.Collection(ctx, l.Collection)
		if err != nil {
			return err
		}
		node = c.It.Node()
		if g, _, err := check.Collection(ctx, by, authz.ViewCollection, l.Collection); err == nil {
			have = g.Role
		} else if !authz.Denied(err) {
			return err
		}
	default:
		return nil
	}
	if have.AtLeast(l.Role) {
		return nil
	}
	return tx.PutGrant(ctx, l.Org, docs.Grant{Node: node, User: by.User, Role: l.Role})
}

// List lists the invite links to the organization itself.
func (s *InviteLinks) List(org docs.OrgID) store.List[docs.InviteLink] {
	return store.List[docs.InviteLink]{Page: func(ctx context.Context, p store.Page) ([]docs.InviteLink, store.Key, error) {
		return s.store.InviteLinks(ctx, org, p)
	}}
}
