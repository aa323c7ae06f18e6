// Package authz answers who may do what: one table of actions, one function
// that asks it, and the actor of a request.
//
// A caller who may not even see a thing gets NotFound, as if it were absent;
// one who may see it but not do this gets Forbidden. Roles are
// compared here, and in SQL for lists (internal/store/access.go).
package authz

import (
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Action is something that can be done to a thing of one kind, by whoever
// has at least a role on it and uses a token of a scope.
type Action struct {
	Name  string
	Least docs.Role
	Scope docs.Scope
}

// Actions on an organization. The role is that of the member in it; Guest
// means that being a member is enough.
var (
	ViewOrg            = Action{"see the organization", docs.Guest, docs.ScopeRead}
	ListMembers        = Action{"list members", docs.Read, docs.ScopeRead}
	ReadInstructions   = Action{"read the agent instructions", docs.Read, docs.ScopeRead}
	ListTeams          = Action{"list teams", docs.Read, docs.ScopeRead}
	StartContent       = Action{"create content somewhere", docs.Guest, docs.ScopeWrite} // where it goes decides
	CreateContent      = Action{"create content at the top level", docs.Create, docs.ScopeWrite}
	CreateOpenAPISpec  = Action{"create OpenAPI specifications", docs.Create, docs.ScopeWrite}
	ListOpenAPISpecs   = Action{"see OpenAPI specifications", docs.Read, docs.ScopeRead}
	UploadFiles        = Action{"upload files", docs.Create, docs.ScopeWrite}
	ListFonts          = Action{"list custom fonts", docs.Read, docs.ScopeRead}
	ManageFonts        = Action{"manage custom fonts", docs.Create, docs.ScopeWrite}
	InstallInOrg       = Action{"install integrations", docs.Create, docs.ScopeWrite}
	ListIntegrations   = Action{"list integrations", docs.Read, docs.ScopeRead}
	ManageLinks        = Action{"manage invite links", docs.Guest, docs.ScopeAdmin} // what a link admits to decides
	AdminOrg           = Action{"change the organization", docs.Admin, docs.ScopeAdmin}
	DeleteOrg          = Action{"delete the organization", docs.Admin, docs.ScopeAdmin}
	ReadAsAdmin        = Action{"see the administration of the organization", docs.Admin, docs.ScopeRead}
	ListTranslations   = Action{"see translations", docs.Create, docs.ScopeRead}
	ManageTranslations = Action{"manage translations", docs.Admin, docs.ScopeWrite}
	AcceptTranslations = Action{"accept blocks of translations", docs.Create, docs.ScopeWrite} // and who may edit the result
	IngestConvo        = Action{"ingest conversations", docs.Create, docs.ScopeWrite}
	ReadConvo          = Action{"read conversations", docs.Edit, docs.ScopeRead}
	ViewBilling        = Action{"see billing", docs.Admin, docs.ScopeRead}
	Ping               = Action{"record your activity in the organization", docs.Guest, docs.ScopeRead}
)

// Actions on a team. The role is that of the member in the organization; an
// owner of the team counts as admin for ManageTeam.
var (
	ViewTeam   = Action{"see the team", docs.Read, docs.ScopeRead}
	ManageTeam = Action{"manage the members of the team", docs.Admin, docs.ScopeWrite}
	AdminTeam  = Action{"rename or delete the team", docs.Admin, docs.ScopeAdmin}
)

// Actions on a collection.
var (
	ViewCollection   = Action{"see the collection", docs.Read, docs.ScopeRead}
	AdminCollection  = Action{"change the collection", docs.Create, docs.ScopeWrite}
	CreateIn         = Action{"create content in the collection", docs.Create, docs.ScopeWrite}
	CollectionAccess = Action{"see who has access to the collection", docs.Create, docs.ScopeRead}
)

// Actions on a space.
var (
	ViewSpace      = Action{"see the space", docs.Read, docs.ScopeRead}
	ReadContent    = Action{"read the content of the space", docs.Read, docs.ScopeRead} // visitors of its sites too
	ReadRequest    = Action{"read the change request", docs.Read, docs.ScopeRead}       // previews of a site too
	CommentSpace   = Action{"comment", docs.Comment, docs.ScopeWrite}
	EditSpace      = Action{"edit the space", docs.Edit, docs.ScopeWrite}
	ReviewSpace    = Action{"review changes of the space", docs.Review, docs.ScopeWrite}
	MergeSpace     = Action{"merge changes of the space", docs.Review, docs.ScopeWrite}
	AdminSpace     = Action{"change the space", docs.Create, docs.ScopeWrite}
	SyncSpace      = Action{"synchronize the space with git", docs.Create, docs.ScopeWrite}
	InstallInSpace = Action{"install integrations in the space", docs.Create, docs.ScopeWrite}
	SpaceAccess    = Action{"see who has access to the space", docs.Create, docs.ScopeRead}
)

// Actions on a site. A role that somebody has on the site itself counts less,
// see siteRole.
var (
	ViewSite    = Action{"see the site", docs.Read, docs.ScopeRead}
	ReadSite    = Action{"read the site", docs.Read, docs.ScopeRead} // its visitors too
	EditSite    = Action{"change the structure of the site", docs.Create, docs.ScopeWrite}
	PublishSite = Action{"publish the site", docs.Create, docs.ScopeWrite}
	AdminSite   = Action{"change the site", docs.Create, docs.ScopeWrite}
	SiteSecrets = Action{"see the secrets of the site", docs.Create, docs.ScopeRead}
	SiteAccess  = Action{"see who has access to the site", docs.Create, docs.ScopeRead}
)

// Within returns the action as part of another one, for tokens of its scope.
func (a Action) Within(s docs.Scope) Action { return Action{a.Name, a.Least, s} }

// Can reports whether a role is enough for an action.
func Can(role docs.Role, a Action) bool { return role.AtLeast(a.Least) }

// Actor is who makes a request, and how.
type Actor struct {
	User    docs.UserID
	Token   docs.TokenID
	Scopes  docs.Scopes
	Expires docs.Time  // when the token does; zero: never
	Org     docs.OrgID // the only organization that the token is good for; empty: all of the user's
	Session bool       // the token is a session: a person at a browser
	Request string     // id of the request, for the log
	Address string     // from where it comes
	Visitor *Visitor   // nil: a member
}

// RequireFullAccount returns an error if the actor is somebody only within an organization, whose identity
// provider vouches for them. What belongs to the person, and not to the organization, is
// not for it to decide.
func (a Actor) RequireFullAccount() error {
	if a.Org == "" {
		return nil
	}
	return errs.E(errs.Forbidden, "you signed in for one organization; sign in with your address to do this")
}

// Origin returns where the request of the actor comes from.
func (a Actor) Origin() Origin { return Origin{a.Request, a.Address} }

// System is the actor of background work.
var System = Actor{User: "octavo:system"}

// Rule says what an operation needs, and of which thing of its path. There
// is no way to leave it out: the zero value needs what nobody has, and an
// operation that is declared with it does not start.
type Rule struct {
	subject subject
	action  Action
}

type subject uint8

const (
	undeclared subject = iota
	nobody             // no token is needed
	bearer             // of a signed address
	anyone             // any valid token
	unscoped           // a valid token without scopes
	onOrg
	onOrgOrSelf
	onOrgOrLeaving
	onTeam
	onCollection
	onSpace
	onTrashedSpace
	onSite
)

// Public needs no token at all.
func Public() Rule { return Rule{subject: nobody} }

// Signed needs no token but an address that the server signed and gave to
// somebody who may read what it leads to.
func Signed() Rule { return Rule{subject: bearer} }

// SignedIn needs a valid token of a scope, and nothing else: the operation
// is about the caller.
func SignedIn(scope docs.Scope) Rule {
	return Rule{anyone, Action{"do this", docs.Guest, scope}}
}

// FullToken needs a token that is not narrowed by scopes, so that a narrow
// one cannot make itself a wide one.
func FullToken() Rule { return Rule{unscoped, Action{Name: "manage tokens"}} }

// Org needs an action on the path's organizationId.
func Org(a Action) Rule { return Rule{onOrg, a} }

// OrgOrSelf is Org, but about themselves (the path's userId) every member may.
func OrgOrSelf(a Action) Rule { return Rule{onOrgOrSelf, a} }

// OrgOrLeaving is OrgOrSelf for leaving an organization: a member may do so although
// the organization asks for its identity provider, which may not know them any more.
func OrgOrLeaving(a Action) Rule { return Rule{onOrgOrLeaving, a} }

// Team needs an action on the path's teamId in its organizationId.
func Team(a Action) Rule { return Rule{onTeam, a} }

// Collection needs an action on the path's collectionId.
func Collection(a Action) Rule { return Rule{onCollection, a} }

// Space needs an action on the path's spaceId, which is not in the trash.
func Space(a Action) Rule { return Rule{onSpace, a} }

// TrashedSpace needs an action on the path's spaceId, in the trash or not.
func TrashedSpace(a Action) Rule { return Rule{onTrashedSpace, a} }

// Site needs an action on the path's siteId in its organizationId.
func Site(a Action) Rule { return Rule{onSite, a} }

// Declared reports whether the rule says anything.
func (r Rule) Declared() bool { return r.subject != undeclared }

// IsPublic reports whether the rule lets everybody in.
func (r Rule) IsPublic() bool { return r.subject == nobody }

// IsSigned reports whether the rule asks for a signed address.
func (r Rule) IsSigned() bool { return r.subject == bearer }

// NeedsToken reports whether the rule asks for a token.
func (r Rule) NeedsToken() bool { return !r.IsPublic() && !r.IsSigned() }

// String says in words what a caller needs, for the API description.
func (r Rule) String() string {
	switch r.subject {
	case undeclared:
		return "undeclared"
	case nobody:
		return "no token"
	case bearer:
		return "a signed address; no token"
	case anyone:
		return "any valid token; scope " + string(r.action.Scope)
	case unscoped:
		return "a token without scopes"
	}
	who := "any member of the organization"
	if r.action.Least != docs.Guest {
		who = "role " + string(r.action.Least) + " or higher on the " + r.subject.noun()
	}
	switch {
	case r.subject == onOrgOrSelf, r.subject == onOrgOrLeaving:
		who += ", or the member itself"
	case r.action == ManageTeam:
		who += ", or owner of the team"
	case r.action == ViewTeam:
		who += ", or member of the team"
	case r.subject == onSite && r.action.Least == docs.Create:
		who += "; admin if the role was given on the site itself"
	}
	if r.action.forVisitors() {
		who += ", or a visitor whom a site shows it to"
	}
	return who + "; scope " + string(r.action.Scope)
}

func (s subject) noun() string {
	switch s {
	case onCollection:
		return "collection"
	case onSpace, onTrashedSpace:
		return "space"
	case onSite:
		return "site"
	}
	return "organization"
}
