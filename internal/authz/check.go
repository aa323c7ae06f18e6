package authz

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Grant is the result of a check that allowed a request: the caller, the role, and the
// resource of the path, so that the resource is read only once.
type Grant struct {
	Actor      Actor
	Access     *docs.Access // nil if the operation is not about an organization
	Role       docs.Role
	Why        docs.Why
	Team       docs.Team
	Collection docs.Collection
	Space      docs.Space
	Site       docs.Site
	Path       []docs.Node // from the resource up to the organization

	visitorAccess *VisitorAccess // nil for a member
	params        *checkParams   // what was checked; nil for background work and the command line
}

// checkParams holds the parameters of a check, so that it can be repeated.
type checkParams struct {
	session *Session // nil for a grant of OnBehalf
	actor   Actor
	rule    Rule
	param   func(string) string
	stamp   store.Stamp
	sites   Sites
}

// OperatorGrant returns the grant of the operator at the command line, who owns the data
// and needs no permission.
func OperatorGrant(as docs.UserID) *Grant { return &Grant{Actor: AtCommandLine(as)} }

// AtCommandLine returns the actor for changes that the command line makes in the name of
// a user.
func AtCommandLine(as docs.UserID) Actor { return Actor{User: as, Request: CommandLine} }

// CommandLine is the id of the request in the audit log for changes at the command line.
const CommandLine = "command line"

// BackgroundGrant returns the grant of background work that completes what a user was
// allowed to begin.
func BackgroundGrant(as docs.UserID) *Grant { return &Grant{Actor: Actor{User: as}} }

// OnBehalf returns the grant of a user for an action on a space, for work that the user
// requested earlier. Whether the user is still allowed is checked now, and again in every
// transaction, as for a request. The token of that request does not matter any more.
func OnBehalf(ctx context.Context, s *store.Store, user docs.UserID, a Action, id docs.SpaceID) (*Grant, error) {
	return onBehalf(ctx, s, Actor{User: user}, Space(a), string(id))
}

// OnBehalfInOrg is like OnBehalf for an action on an organization. The actor has the id
// of the current request.
func OnBehalfInOrg(ctx context.Context, s *store.Store, actor Actor, a Action, id docs.OrgID) (*Grant, error) {
	return onBehalf(ctx, s, actor, Org(a), string(id))
}

func onBehalf(ctx context.Context, s *store.Store, actor Actor, rule Rule, id string) (*Grant, error) {
	param := func(string) string { return id }
	g, stamp, err := NewChecker(s.Reader).checkStamped(ctx, actor, rule, param)
	if err != nil {
		return nil, err
	}
	g.params = &checkParams{actor: actor, rule: rule, param: param, stamp: stamp}
	return g, nil
}

// Viewer returns the member for whom lists are filtered.
func (g *Grant) Viewer() store.Viewer {
	return store.Viewer{Org: g.Access.Org, User: g.Access.User, Role: g.Access.OrgRole()}
}

// Can reports whether the role of the grant is enough for another action on the same
// resource.
func (g *Grant) Can(a Action) bool { return g.Actor.Can(g.Role, a) }

// SeesPeople reports whether the caller may know who else belongs to the organization.
// Guests may not, regardless of their grants: they see members and teams neither in lists
// nor in mentions.
func (g *Grant) SeesPeople() bool {
	return g.Access != nil && Can(g.Access.OrgRole(), ListMembers)
}

// Sees reports whether the caller may see more of a user than the name.
func (g *Grant) Sees(u docs.UserID) bool { return u == g.Actor.User || g.SeesPeople() }

// VisiblePeople returns a list of people or teams as the caller sees it. For guests it is
// empty.
func VisiblePeople[T any](g *Grant, l store.List[T]) store.List[T] {
	if !g.SeesPeople() {
		return store.List[T]{}
	}
	return l
}

// Node returns the space, collection or site of the grant.
func (g *Grant) Node() docs.Node { return g.Path[0] }

// Checker checks rules against the data of one reader: the connection pool or a
// transaction.
type Checker struct {
	r         store.Reader
	sites     Sites // nil if there are no visitors
	access    func(ctx context.Context, org docs.OrgID, user docs.UserID, version int64) (*docs.Access, error)
	ignoreSSO bool // ignore that the organization requires its identity provider
}

// NewChecker returns a checker that sees what r sees, such as the writes of a
// transaction. It caches nothing, because the transaction may still fail.
func NewChecker(r store.Reader) Checker {
	return Checker{r: r, access: func(ctx context.Context, org docs.OrgID, user docs.UserID, _ int64) (*docs.Access, error) {
		return r.Access(ctx, org, user)
	}}
}

// accessOf returns the access of an actor to an organization. An actor who signed in for
// another organization, or uses a token that the organization refuses, has no access. If
// the organization requires its identity provider, members must have signed in there.
// Admins need not, so that a wrongly configured provider locks nobody out.
func (c Checker) accessOf(ctx context.Context, actor Actor, org docs.OrgID, stamp store.Stamp) (*docs.Access, error) {
	if actor.Org != "" && actor.Org != org {
		return &docs.Access{Org: org, User: actor.User}, nil
	}
	a, err := c.access(ctx, org, actor.User, stamp.Access)
	if err == nil && a.Blocked[actor.Token] {
		return &docs.Access{Org: org, User: actor.User}, nil
	}
	if err == nil && !c.ignoreSSO && AsksProvider(actor, a) {
		return nil, errs.E(errs.Forbidden, "this organization asks its members to sign in at its identity provider; GET /orgs/%s/sso says where", org)
	}
	return a, err
}

// AsksProvider reports whether the organization of an access asks the actor to sign in at its identity provider before
// it shows anything to its member.
func AsksProvider(actor Actor, a *docs.Access) bool {
	return actor.Token != "" && a.SSO && a.Inside() && actor.Org != a.Org && a.Role != docs.Admin
}

// checkStamped is like check, but always returns a stamp, also if the resource is absent
// or the rule is about none: the caller checks first whether the token is still valid.
func (c Checker) checkStamped(ctx context.Context, actor Actor, rule Rule, param func(string) string) (*Grant, store.Stamp, error) {
	grant, stamp, err := c.check(ctx, actor, rule, param)
	if stamp.Auth == 0 {
		var serr error
		if stamp, serr = c.r.AuthStamp(ctx); serr != nil {
			return nil, stamp, serr
		}
	}
	return grant, stamp, err
}

// check checks a rule for the resources of a path.
func (c Checker) check(ctx context.Context, actor Actor, rule Rule, param func(string) string) (*Grant, store.Stamp, error) {
	if actor.Visitor != nil {
		return c.visit(ctx, actor, rule, param)
	}
	org := docs.OrgID(param("organizationId"))
	switch rule.subject {
	case onOrg:
		return c.Org(ctx, actor, rule.action, org)
	case onOrgOrSelf, onOrgOrLeaving:
		a, self := rule.action, docs.UserID(param("userId")) == actor.User
		if self {
			a.Least = docs.Guest
		}
		c.ignoreSSO = self && rule.subject == onOrgOrLeaving
		return c.Org(ctx, actor, a, org)
	case onTeam:
		return c.Team(ctx, actor, rule.action, org, docs.TeamID(param("teamId")))
	case onCollection:
		return c.Collection(ctx, actor, rule.action, docs.CollectionID(param("collectionId")))
	case onSpace:
		return c.Space(ctx, actor, rule.action, docs.SpaceID(param("spaceId")))
	case onTrashedSpace:
		return c.AnySpace(ctx, actor, rule.action, docs.SpaceID(param("spaceId")))
	case onSite:
		return c.Site(ctx, actor, rule.action, org, docs.SiteID(param("siteId")))
	case anyToken, otherUser:
		return &Grant{Actor: actor}, store.Stamp{}, decide("", actor, docs.Guest, docs.Guest, rule.action)
	case unscoped:
		if len(actor.Scopes) > 0 {
			return nil, store.Stamp{}, errs.E(errs.Forbidden, "a token with scopes cannot %s; use a token without scopes", rule.action.Name)
		}
		return &Grant{Actor: actor}, store.Stamp{}, nil
	}
	return nil, store.Stamp{}, errs.E(errs.Forbidden, "this operation declares no permission") // unreachable: package api refuses to register such an operation
}

// recheck repeats the check inside of a transaction. Since the first check the body was
// read, at the pace of the caller. Meanwhile the token may have been revoked, the caller
// removed, or the resource moved to another organization. Two version numbers show
// whether anything could have changed, so the second check is cheap.
func (g *Grant) recheck(ctx context.Context, tx *store.Tx) (*Grant, error) {
	if g.params == nil { // background work or the command line: only the space is read again
		if g.Space.ID == "" {
			return g, nil
		}
		sp, err := tx.Space(ctx, g.Space.ID)
		now := *g
		now.Space = sp.It
		return &now, err
	}
	c := Checker{r: tx.Reader, sites: g.params.sites, access: func(ctx context.Context, org docs.OrgID, user docs.UserID, version int64) (*docs.Access, error) {
		if g.Access != nil && g.Access.Org == org && version == g.params.stamp.Access {
			return g.Access, nil
		}
		return tx.Access(ctx, org, user)
	}}
	s := g.params.session
	if end := g.params.actor.Expires; !end.IsZero() && end <= tx.Now() {
		return nil, errToken
	}
	now, stamp, err := c.checkStamped(ctx, g.params.actor, g.params.rule, g.params.param)
	if errs.Is(err, errs.Internal) {
		return nil, err
	}
	if s != nil && s.known != nil && stamp.Auth != s.version {
		if _, terr := tx.TokenByHash(ctx, s.key); errs.Is(terr, errs.NotFound) {
			return nil, errToken
		} else if terr != nil {
			return nil, terr
		}
	}
	return now, err
}

// InTx runs a change that a grant allows in a transaction, after it has checked again
// that the change is still allowed. Every change that a request makes uses InTx,
// InTxQueued or Do.
func InTx[T any](ctx context.Context, s *store.Store, g *Grant, fn func(tx *store.Tx, g *Grant) (T, error)) (T, error) {
	return InTxQueued(ctx, s, g, func() {}, fn)
}

// InTxQueued is like InTx, and calls queued as soon as the order of the transaction among
// others of the same space is fixed, before it runs.
func InTxQueued[T any](ctx context.Context, s *store.Store, g *Grant, queued func(), fn func(tx *store.Tx, g *Grant) (T, error)) (T, error) {
	return store.InTxQueued(ctx, s, g.Space.ID, queued, func(tx *store.Tx) (T, error) {
		still, err := g.recheck(ctx, tx)
		if err != nil {
			var zero T
			return zero, err
		}
		return fn(tx, still)
	})
}

// Do is like InTx for a change without a result.
func Do(ctx context.Context, s *store.Store, g *Grant, fn func(tx *store.Tx, g *Grant) error) error {
	_, err := InTx(ctx, s, g, func(tx *store.Tx, g *Grant) (struct{}, error) { return struct{}{}, fn(tx, g) })
	return err
}

// decide is the permission function that all checks use. seen is the role that is needed
// to see the resource at all.
func decide(what string, actor Actor, role, seen docs.Role, a Action) error {
	switch {
	case !role.AtLeast(seen):
		return errs.Missing(what)
	case !actor.Scopes.Allow(a.Scope):
		return errs.E(errs.Forbidden, "this token does not have the scope %q; create one that has it", a.Scope)
	case !Can(role, a):
		return errs.E(errs.Forbidden, "you need the role %q to %s", a.Least, a.Name)
	}
	return nil
}

// Denied reports whether err means that the actor may not do or see something. Any other
// error means that the check itself failed.
func Denied(err error) bool { return errs.Is(err, errs.Forbidden) || errs.Is(err, errs.NotFound) }

// Org checks an action on an organization.
func (c Checker) Org(ctx context.Context, actor Actor, a Action, id docs.OrgID) (*Grant, store.Stamp, error) {
	stamp, err := c.r.OrganizationStamp(ctx, id)
	if err != nil {
		return nil, stamp, err
	}
	access, err := c.accessOf(ctx, actor, id, stamp)
	if err != nil {
		return nil, stamp, err
	}
	if !access.Inside() {
		return nil, stamp, errs.Missing("organization")
	}
	g := &Grant{Actor: actor, Access: access, Role: access.OrgRole()}
	return g, stamp, g.Allow(a)
}

// Allow returns an error unless the caller may perform another action on the organization
// of the grant. It reads nothing.
func (g *Grant) Allow(a Action) error {
	return decide("organization", g.Actor, g.Access.OrgRole(), docs.Guest, a)
}

// Team checks an action on a team of an organization.
func (c Checker) Team(ctx context.Context, actor Actor, a Action, org docs.OrgID, id docs.TeamID) (*Grant, store.Stamp, error) {
	g, stamp, err := c.Org(ctx, actor, Action{a.Name, docs.Guest, a.Scope}, org)
	if err != nil {
		return nil, stamp, err
	}
	if g.Team, err = c.r.Team(ctx, org, id); err != nil {
		return nil, stamp, err
	}
	g.Role = g.Access.OrgRole()
	if a != AdminTeam {
		g.Role = TeamRole(g.Access, id)
	} else if _, member := g.Access.Teams[id]; member && !g.Role.Valid() {
		g.Role = docs.Read
	}
	return g, stamp, decide("team", actor, g.Role, docs.Read, a)
}

// TeamRole returns the role of a member on a team, for all actions except renaming and
// deleting the team. Members of a team can see it, and its owners manage its members as
// admins do.
func TeamRole(by *docs.Access, id docs.TeamID) docs.Role {
	in, member := by.Teams[id]
	switch {
	case member && in == docs.TeamOwner:
		return docs.Admin
	case member && !by.OrgRole().Valid():
		return docs.Read
	}
	return by.OrgRole()
}

// Collection checks an action on a collection.
func (c Checker) Collection(ctx context.Context, actor Actor, a Action, id docs.CollectionID) (*Grant, store.Stamp, error) {
	v, err := c.r.Collection(ctx, id)
	if err != nil {
		return nil, v.Stamp, err
	}
	g := &Grant{Actor: actor, Collection: v.It}
	err = c.content(ctx, g, "collection", a, v.It.Org, v.It.Node(), v.It.Parent, v.Stamp)
	return g, v.Stamp, err
}

// Space checks an action on a space that is not in the trash.
func (c Checker) Space(ctx context.Context, actor Actor, a Action, id docs.SpaceID) (*Grant, store.Stamp, error) {
	g, stamp, err := c.AnySpace(ctx, actor, a, id)
	if err == nil && !g.Space.DeletedAt.IsZero() {
		return nil, stamp, errs.Missing("space")
	}
	return g, stamp, err
}

// AnySpace checks an action on a space, in the trash or not.
func (c Checker) AnySpace(ctx context.Context, actor Actor, a Action, id docs.SpaceID) (*Grant, store.Stamp, error) {
	v, err := c.r.Space(ctx, id)
	if err != nil {
		return nil, v.Stamp, err
	}
	g := &Grant{Actor: actor, Space: v.It}
	err = c.content(ctx, g, "space", a, v.It.Org, v.It.Node(), v.It.Parent, v.Stamp)
	if errs.Is(err, errs.Forbidden) && !v.It.DeletedAt.IsZero() {
		err = errs.Missing("space") // spaces in the trash are visible only to members who may perform the action
	}
	return g, v.Stamp, err
}

func (c Checker) content(ctx context.Context, g *Grant, what string, a Action, org docs.OrgID, n docs.Node, parent docs.CollectionID, stamp store.Stamp) (err error) {
	if g.Access, err = c.accessOf(ctx, g.Actor, org, stamp); err != nil {
		return err
	}
	above, err := c.r.Path(ctx, parent)
	if err != nil {
		return err
	}
	g.Path = append([]docs.Node{n}, above...)
	g.Why = g.Access.Resolve(g.Path)
	g.Role = g.Why.Role
	return decide(what, g.Actor, g.Role, docs.Read, a)
}

// Site checks an action on a site of an organization.
func (c Checker) Site(ctx context.Context, actor Actor, a Action, org docs.OrgID, id docs.SiteID) (*Grant, store.Stamp, error) {
	v, err := c.r.Site(ctx, id)
	if err == nil && v.It.Org != org {
		err = errs.Missing("site")
	}
	if err != nil {
		return nil, v.Stamp, err
	}
	g := &Grant{Actor: actor, Site: v.It, Path: []docs.Node{v.It.Node()}}
	if g.Access, err = c.accessOf(ctx, actor, org, v.Stamp); err != nil {
		return nil, v.Stamp, err
	}
	g.Why = g.Access.Resolve(g.Path)
	g.Role = siteRole(g.Why)
	return g, v.Stamp, decide("site", actor, g.Role, docs.Read, a)
}

// siteRole returns the role on the settings of a site. A role on the site itself is about
// its content, so only an admin can change the site. A member who may create content in
// the whole organization can change its sites too.
func siteRole(why docs.Why) docs.Role {
	if why.Node != nil && why.Reason != docs.ReasonCreator && why.Role == docs.Create {
		return docs.Review
	}
	return why.Role
}
