// Package authz decides who may do what: it has one table of actions, one
// function that checks them, and the actor of a request.
//
// A caller who may not see a resource gets NotFound, as if it did not exist. A
// caller who may see it, but not perform the action, gets Forbidden. Roles are
// compared only here, and in SQL for lists (store/access.go).
//
// Where a change goes:
//   - which role and which scope of a token an action needs: the tables of actions.go
//   - how both are checked: decide in check.go; what a scope covers: docs/token.go
//   - whose token it is: guard.go; what a visitor of a site may read: visitor.go
package authz

import (
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Action is an operation on a resource of one kind. It needs at least a role on the
// resource, and a token with a scope.
type Action struct {
	Name  string
	Least docs.Role
	Scope docs.Scope
}

// Actions on an organization. The role is that of the member in the organization; Guest
// means that every member may.
var (
	ViewOrg            = Action{"see the organization", docs.Guest, docs.ScopeRead}
	ListMembers        = Action{"list members", docs.Read, docs.ScopeRead}
	ReadInstructions   = Action{"read the agent instructions", docs.Read, docs.ScopeRead}
	ListTeams          = Action{"list teams", docs.Read, docs.ScopeRead}
	StartContent       = Action{"create content somewhere", docs.Guest, docs.ScopeWrite} // the role on the target is checked too
	CreateContent      = Action{"create content at the top level", docs.Create, docs.ScopeWrite}
	CreateOpenAPISpec  = Action{"create OpenAPI specifications", docs.Create, docs.ScopeWrite}
	ListOpenAPISpecs   = Action{"see OpenAPI specifications", docs.Read, docs.ScopeRead}
	ReadOpenAPISpec    = Action{"read the OpenAPI specification", docs.Read, docs.ScopeRead} // allowed for visitors too; the operation checks that a page shows it
	UploadFiles        = Action{"upload files", docs.Create, docs.ScopeWrite}
	ListFonts          = Action{"list custom fonts", docs.Read, docs.ScopeRead}
	ManageFonts        = Action{"manage custom fonts", docs.Create, docs.ScopeWrite}
	InstallInOrg       = Action{"install integrations", docs.Create, docs.ScopeWrite}
	ListIntegrations   = Action{"list integrations", docs.Read, docs.ScopeRead}
	ManageLinks        = Action{"manage invite links", docs.Guest, docs.ScopeAdmin} // the role on the target of the link is checked too
	AdminOrg           = Action{"change the organization", docs.Admin, docs.ScopeAdmin}
	DeleteOrg          = Action{"delete the organization", docs.Admin, docs.ScopeAdmin}
	ReadAsAdmin        = Action{"see the administration of the organization", docs.Admin, docs.ScopeRead}
	HookAddresses      = Action{"see where webhooks lead", docs.Admin, docs.ScopeAdmin} // addresses of chats, for example, let everybody write there
	ListTranslations   = Action{"see translations", docs.Create, docs.ScopeRead}
	ManageTranslations = Action{"manage translations", docs.Admin, docs.ScopeWrite}
	AcceptTranslations = Action{"accept blocks of translations", docs.Create, docs.ScopeWrite} // the right to edit the result is checked too
	IngestConvo        = Action{"ingest conversations", docs.Create, docs.ScopeWrite}
	ReadConvo          = Action{"read conversations", docs.Edit, docs.ScopeRead}
	ViewBilling        = Action{"see billing", docs.Admin, docs.ScopeRead}
	Ping               = Action{"record your activity in the organization", docs.Guest, docs.ScopeRead}
)

// Actions on a team. The role is that of the member in the organization; an owner of the
// team counts as admin for ManageTeam.
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
	ReadContent    = Action{"read the content of the space", docs.Read, docs.ScopeRead} // allowed for visitors of its sites too
	ReadRequest    = Action{"read the change request", docs.Read, docs.ScopeRead}       // allowed in previews of a site too
	CommentSpace   = Action{"comment", docs.Comment, docs.ScopeWrite}
	EditSpace      = Action{"edit the space", docs.Edit, docs.ScopeWrite}
	ReviewSpace    = Action{"review changes of the space", docs.Review, docs.ScopeWrite}
	MergeSpace     = Action{"merge changes of the space", docs.Review, docs.ScopeWrite}
	AdminSpace     = Action{"change the space", docs.Create, docs.ScopeWrite}
	SyncSpace      = Action{"synchronize the space with git", docs.Create, docs.ScopeWrite}
	InstallInSpace = Action{"install integrations in the space", docs.Create, docs.ScopeWrite}
	SpaceAccess    = Action{"see who has access to the space", docs.Create, docs.ScopeRead}
)

// Actions on a site. A role that was granted on the site itself can count less, see
// siteRole.
var (
	ViewSite    = Action{"see the site", docs.Read, docs.ScopeRead}
	ReadSite    = Action{"read the site", docs.Read, docs.ScopeRead} // allowed for its visitors too
	EditSite    = Action{"change the structure of the site", docs.Create, docs.ScopeWrite}
	PublishSite = Action{"publish the site", docs.Create, docs.ScopeWrite}
	AdminSite   = Action{"change the site", docs.Create, docs.ScopeWrite}
	ExportSite  = Action{"export the site", docs.Create, docs.ScopeRead}
	// Keys of visitors, share links, previews and settings of other servers admit people or machines, so no
	// token that only reads or writes content gets them.
	SiteSecrets = Action{"see the secrets of the site", docs.Create, docs.ScopeAdmin}
	SiteAccess  = Action{"see who has access to the site", docs.Create, docs.ScopeRead}
)

// Within returns the action with another scope, for operations that need less than the
// action as a whole.
func (a Action) Within(s docs.Scope) Action { return Action{a.Name, a.Least, s} }

// Can reports whether a role is enough for an action.
func Can(role docs.Role, a Action) bool { return role.AtLeast(a.Least) }

// Can reports whether the actor may perform an action with a role: the role must allow it
// and the scopes of the token.
func (a Actor) Can(role docs.Role, act Action) bool {
	return a.Scopes.Allow(act.Scope) && Can(role, act)
}

// Actor is the caller of a request, with the token that was used.
type Actor struct {
	User    docs.UserID
	Token   docs.TokenID
	Scopes  docs.Scopes
	Expires docs.Time  // when the token expires; zero if never
	Org     docs.OrgID // the only organization that the token is valid for; empty for all of the user
	Session bool       // the token is the session of a browser
	Request string     // id of the request, for the log
	Address string     // network address of the client
	Visitor *Visitor   // nil for a member
}

// RequireFullAccount returns an error if the actor signed in through the identity
// provider of an organization, and so only for that organization. Such a provider must
// not decide about what belongs to the person and not to the organization.
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

// Rule declares which action an operation needs, and on which resource of its path. It
// cannot be left out: the zero value allows nothing, and the server does not start with
// an operation that has it.
type Rule struct {
	subject subject
	action  Action
}

type subject uint8

const (
	undeclared subject = iota
	noToken            // no token is needed
	bearer             // a signed address is needed, and no token
	anyToken           // any valid token
	otherUser          // any valid token of a member
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

// Public returns a rule that needs no token.
func Public() Rule { return Rule{subject: noToken} }

// Signed returns a rule that needs no token, but an address that the server signed and
// issued to somebody who may read its target.
func Signed() Rule { return Rule{subject: bearer} }

// SignedIn returns a rule that needs a valid token with a scope, and nothing else: the
// operation is about the caller.
func SignedIn(scope docs.Scope) Rule {
	return Rule{anyToken, Action{"do this", docs.Guest, scope}}
}

// AnotherUser returns a rule that needs a valid token: the operation is about a user whom
// the caller may see. For a visitor of a site there are no users.
func AnotherUser() Rule { return Rule{otherUser, SignedIn(docs.ScopeRead).action} }

// FullToken returns a rule that needs a token without scopes, so that a token with scopes
// cannot create one with more rights.
func FullToken() Rule { return Rule{unscoped, Action{Name: "manage tokens"}} }

// Org returns a rule that needs an action on the organizationId of the path.
func Org(a Action) Rule { return Rule{onOrg, a} }

// OrgOrSelf is like Org, but every member is allowed if the userId of the path is their
// own.
func OrgOrSelf(a Action) Rule { return Rule{onOrgOrSelf, a} }

// OrgOrLeaving is like OrgOrSelf, for leaving an organization. A member may leave without
// signing in at the identity provider that the organization requires, because the
// provider may not have the member any more.
func OrgOrLeaving(a Action) Rule { return Rule{onOrgOrLeaving, a} }

// Team returns a rule that needs an action on the teamId of the path, in its
// organizationId.
func Team(a Action) Rule { return Rule{onTeam, a} }

// Collection returns a rule that needs an action on the collectionId of the path.
func Collection(a Action) Rule { return Rule{onCollection, a} }

// Space returns a rule that needs an action on the spaceId of the path, which is not in
// the trash.
func Space(a Action) Rule { return Rule{onSpace, a} }

// TrashedSpace returns a rule that needs an action on the spaceId of the path, in the
// trash or not.
func TrashedSpace(a Action) Rule { return Rule{onTrashedSpace, a} }

// Site returns a rule that needs an action on the siteId of the path, in its
// organizationId.
func Site(a Action) Rule { return Rule{onSite, a} }

// Declared reports whether the rule is not the zero value.
func (r Rule) Declared() bool { return r.subject != undeclared }

// IsPublic reports whether the rule allows everybody.
func (r Rule) IsPublic() bool { return r.subject == noToken }

// IsSigned reports whether the rule needs a signed address.
func (r Rule) IsSigned() bool { return r.subject == bearer }

// NeedsToken reports whether the rule needs a token.
func (r Rule) NeedsToken() bool { return !r.IsPublic() && !r.IsSigned() }

// String describes what a caller needs, for the API description.
func (r Rule) String() string {
	switch r.subject {
	case undeclared:
		return "undeclared"
	case noToken:
		return "no token"
	case bearer:
		return "a signed address; no token"
	case anyToken, otherUser:
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
	switch {
	case r.action.forVisitors():
		who += ", or a visitor whom a site shows it to"
	case r.action == ReadRequest:
		who += ", or a preview of a site that shows it"
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
