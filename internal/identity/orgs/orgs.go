// Package orgs is the service of people and organizations: accounts and
// tokens, organizations and their settings, members, invites and teams.
//
// Every method that changes something is one transaction, which includes its
// audit record. The rule of the operation has already allowed the call; checks
// that depend on the input are made here, with package authz.
package orgs

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/challenge"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service implements the operations on people and organizations.
type Service struct {
	Store  *store.Store
	config Config
}

// Config holds what the operator decides about people and organizations.
type Config struct {
	// DNS is the resolver that proves e-mail domains; nil is that of the system. TrustedDomains
	// are the domains that need no proof, as in challenge.MatchesAny.
	DNS            challenge.Resolver
	TrustedDomains []string
	// Closed allows only the operator to create organizations.
	Closed bool
	Limits Limits
}

// New returns the service of people and organizations of a store.
func New(st *store.Store, c Config) *Service {
	if c.DNS == nil {
		c.DNS = net.DefaultResolver
	}
	return &Service{Store: st, config: c}
}

// NewOrganization is the input of Create.
type NewOrganization struct {
	Title         string
	EmailDomains  []string
	Type          string
	UseCase       string
	CommunityType string
	// Then runs in the transaction, with a grant for the new organization; nil: nothing.
	Then func(ctx context.Context, tx *store.Tx, g *authz.Grant) error
}

// Create creates an organization with the caller as its admin.
func (s *Service) Create(ctx context.Context, g *authz.Grant, in NewOrganization) (docs.Organization, error) {
	if s.config.Closed {
		return docs.Organization{}, errs.E(errs.Forbidden, "the operator of this server creates organizations; ask them for one")
	}
	domains, err := checkDomains(in.EmailDomains)
	if err != nil {
		return docs.Organization{}, err
	}
	if err := g.Actor.RequireFullAccount(); err != nil {
		return docs.Organization{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Organization, error) {
		if err := newOrgs.take(ctx, tx, g.Actor, string(g.Actor.User), 1, s.config.Limits.Organizations); err != nil {
			return docs.Organization{}, err
		}
		o, err := create(ctx, tx, g.Actor, in, domains)
		if err != nil || in.Then == nil {
			return o, err
		}
		own, _, err := authz.NewChecker(tx.Reader).Org(ctx, g.Actor, authz.CreateContent, o.ID)
		if err != nil {
			return o, err
		}
		return o, in.Then(ctx, tx, own)
	})
}

// orgCreated is the action of a new organization in the audit log.
const orgCreated = "organization.create"

func create(ctx context.Context, tx *store.Tx, by authz.Actor, in NewOrganization, domains []string) (docs.Organization, error) {
	o := docs.NewOrganization(store.NewID[docs.OrgID](tx), in.Title, by.User, tx.Now())
	o.EmailDomains, o.UseCase, o.CommunityType = domains, in.UseCase, in.CommunityType
	if in.Type != "" {
		o.Type = in.Type
	}
	if err := tx.AddOrganization(ctx, o); err != nil {
		return o, err
	}
	m := docs.Member{Org: o.ID, User: docs.User{ID: by.User}, Role: docs.Admin, JoinedAt: tx.Now(), LastSeenAt: tx.Now()} // its creator has used it
	if err := tx.AddMember(ctx, m); err != nil {
		return o, err
	}
	return o, audit.Record(ctx, tx, by, audit.Event{
		Org: o.ID, Action: orgCreated, Kind: "organization", ID: string(o.ID), Data: map[string]any{"title": o.Title},
	})
}

// checkDomains validates and normalizes e-mail domains, and removes duplicates.
func checkDomains(in []string) ([]string, error) {
	out := []string{}
	var wrong errs.Mistakes
	for i, d := range in {
		path := "body.emailDomains[" + strconv.Itoa(i) + "]"
		domain, err := docs.ParseDomain(d)
		if err != nil {
			wrong.Field(path, "is not a domain name")
		} else if docs.PublicMailDomain(domain) {
			wrong.Field(path, "is a public mail provider, so that everybody could join; invite people instead")
		}
		if !slices.Contains(out, domain) {
			out = append(out, domain)
		}
	}
	return out, wrong.Err()
}

// OrganizationPatch is the input of Update. Absent fields remain unchanged.
type OrganizationPatch struct {
	Title          opt.Val[string]
	EmailDomains   opt.Val[[]string]
	Hostname       opt.Val[string]
	DefaultRole    opt.Val[docs.Role]
	DefaultContent opt.Val[string] // id of a site
	Logo           opt.Val[string]
	SSO            opt.Val[bool]
	AI             opt.Val[bool]
	InviteLinks    opt.Val[bool]
	MergeRules     opt.Val[docs.MergeRules]
}

// Update changes the settings of an organization.
func (s *Service) Update(ctx context.Context, g *authz.Grant, id docs.OrgID, p OrganizationPatch) (docs.Organization, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Organization, error) {
		o, err := tx.Organization(ctx, id)
		if err != nil {
			return o, err
		}
		before := o
		if err := p.apply(ctx, tx, &o); err != nil {
			return o, err
		}
		if audit.Same(before, o) {
			return before, nil
		}
		o.UpdatedAt = tx.Now()
		if err := tx.PutOrganization(ctx, o); err != nil {
			return o, err
		}
		return o, audit.Record(ctx, tx, g.Actor, audit.Event{
			Org: id, Action: "organization.update", Kind: "organization", ID: string(id), Data: map[string]any{"title": o.Title},
		}.Changed(before, o))
	})
}

func (p OrganizationPatch) apply(ctx context.Context, tx *store.Tx, o *docs.Organization) (err error) {
	var wrong errs.Mistakes
	o.Title = p.Title.Or(o.Title)
	if in, ok := p.EmailDomains.Get(); ok {
		o.EmailDomains, err = checkDomains(in)
		wrong.Add(err)
	}
	if h, ok := p.Hostname.Get(); ok {
		if !docs.ValidHostname(h) {
			wrong.Field("body.hostname", "must be 3 to 32 lower-case letters, digits or inner hyphens, and not a reserved name")
		}
		o.Hostname = h
	}
	o.DefaultRole = p.DefaultRole.Or(o.DefaultRole)
	if site, ok := p.DefaultContent.Get(); ok {
		v, err := tx.Site(ctx, docs.SiteID(site))
		if errs.Is(err, errs.NotFound) || err == nil && v.It.Org != o.ID {
			err = errs.Field("body.defaultContent.site", "is not a site of this organization: %q", site)
		}
		wrong.Add(err)
		o.DefaultContent = site
	} else if p.DefaultContent.IsNull() {
		o.DefaultContent = ""
	}
	if u, ok := p.Logo.Get(); ok {
		wrong.Add(docs.CheckWebURL("body.logo", u))
	}
	o.LogoURL = p.Logo.Or(o.LogoURL)
	o.SSO, o.AI, o.InviteLinks = p.SSO.Or(o.SSO), p.AI.Or(o.AI), p.InviteLinks.Or(o.InviteLinks)
	if rules, ok := p.MergeRules.Get(); ok {
		wrong.Add(CheckMergeRules(ctx, tx, o.ID, rules, false))
		o.MergeRules = rules
	}
	return wrong.Err()
}

// CheckMergeRules returns an error if merge rules are not valid, or name users who are
// not members of the organization.
func CheckMergeRules(ctx context.Context, tx *store.Tx, org docs.OrgID, rules docs.MergeRules, space bool) error {
	if err := rules.Check("body.mergeRules", space); err != nil {
		return err
	}
	users := rules.NamedUsers()
	members, err := tx.MembersAmong(ctx, org, users)
	if err != nil {
		return err
	}
	for _, u := range users {
		if !members[u] {
			return errs.E(errs.NotFound, "body.mergeRules names the user %q, who is not a member of the organization", u)
		}
	}
	return nil
}

// SetAgentInstructions replaces the instructions for the writing agent.
func (s *Service) SetAgentInstructions(ctx context.Context, g *authz.Grant, org docs.OrgID, document []byte) (docs.AgentInstructions, error) {
	if _, err := markup.Decode("body.instructions", document); err != nil {
		return docs.AgentInstructions{}, err
	}
	if now, err := s.AgentInstructions(ctx, org); err != nil || jsontext.Same(now.Document, document) {
		return now, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.AgentInstructions, error) {
		a := docs.AgentInstructions{Document: document, UpdatedAt: tx.Now(), UpdatedBy: g.Actor.User}
		if err := tx.PutAgentInstructions(ctx, org, a); err != nil {
			return a, err
		}
		return a, audit.Record(ctx, tx, g.Actor, audit.Event{Org: org, Action: "organization.instruct", Kind: "organization", ID: string(org)})
	})
}

// AgentInstructions returns the instructions for the writing agent. If they were never
// set, it returns an empty document with the creation time of the organization.
func (s *Service) AgentInstructions(ctx context.Context, org docs.OrgID) (docs.AgentInstructions, error) {
	a, err := s.Store.AgentInstructions(ctx, org)
	if errs.Is(err, errs.NotFound) {
		o, err := s.Store.Organization(ctx, org)
		if err != nil {
			return a, err
		}
		empty := []byte(`{"object":"document","data":{},"nodes":[]}`)
		return docs.AgentInstructions{Document: empty, UpdatedAt: o.CreatedAt, UpdatedBy: o.CreatedBy}, nil
	}
	return a, err
}

// OrganizationsByDomain returns the organizations that the caller could join with their
// verified address.
func (s *Service) OrganizationsByDomain(ctx context.Context, g *authz.Grant, domain string) ([]store.OrgAccess, error) {
	if err := g.Actor.RequireFullAccount(); err != nil {
		return nil, err
	}
	u, err := s.Store.User(ctx, g.Actor.User)
	if err != nil {
		return nil, err
	}
	if !u.Verified || u.Email.Domain() != strings.ToLower(domain) {
		return nil, errs.E(errs.Forbidden, "you need a verified address of this domain to see its organizations")
	}
	return s.joinable(ctx, g, u.Email.Domain())
}

// Bootstrapped is the result of Bootstrap, which the command line prints.
type Bootstrapped struct {
	User         docs.UserID `json:"user"`
	Organization docs.OrgID  `json:"organization"`
	Token        string      `json:"token"`
}

// Bootstrap ensures that a user with a verified address exists and is the admin of an
// organization with a title, and returns a new token of the user. It needs no permission,
// because its caller owns the data folder.
func (s *Service) Bootstrap(ctx context.Context, address, title, label string) (Bootstrapped, error) {
	return store.InTx(ctx, s.Store, func(tx *store.Tx) (Bootstrapped, error) {
		u, err := operatorUser(ctx, tx, address)
		if err != nil {
			return Bootstrapped{}, err
		}
		by := authz.AtCommandLine(u.ID)
		o, err := tx.OrganizationByTitle(ctx, u.ID, title)
		if errs.Is(err, errs.NotFound) {
			o, err = create(ctx, tx, by, NewOrganization{Title: title}, []string{})
		}
		if err != nil {
			return Bootstrapped{}, err
		}
		secret, err := addOperatorToken(ctx, tx, NewToken{Label: label, owner: u.ID})
		return Bootstrapped{User: u.ID, Organization: o.ID, Token: secret}, err
	})
}

// CreateUser creates an account with a verified address, for the operator. If there is
// one, the error is errs.Conflict.
func (s *Service) CreateUser(ctx context.Context, address string) (docs.UserID, error) {
	return store.InTx(ctx, s.Store, func(tx *store.Tx) (docs.UserID, error) {
		e, err := docs.ParseEmail(address)
		if err != nil {
			return "", err
		}
		u, err := tx.UserByEmail(ctx, e)
		if err == nil {
			return u.ID, errs.E(errs.Conflict, "%s has an account: %s", e, u.ID)
		}
		if !errs.Is(err, errs.NotFound) {
			return "", err
		}
		u, err = operatorUser(ctx, tx, address)
		return u.ID, err
	})
}

// operatorUser returns the user with an address that the operator vouches for, and
// creates the user if necessary.
func operatorUser(ctx context.Context, tx *store.Tx, address string) (docs.User, error) {
	e, err := docs.ParseEmail(address)
	if err != nil {
		return docs.User{}, err
	}
	u, err := knownUser(ctx, tx, address)
	if errs.Is(err, errs.NotFound) {
		u, err = addUser(ctx, tx, e, true)
		return u, errors.Join(err, recordUser(ctx, tx, u, "create"))
	}
	return u, err
}

// knownUser returns the user with an address that the operator vouches for, or
// errs.NotFound.
func knownUser(ctx context.Context, tx *store.Tx, address string) (docs.User, error) {
	e, err := docs.ParseEmail(address)
	if err != nil {
		return docs.User{}, err
	}
	u, err := tx.UserByEmail(ctx, e)
	if err != nil || u.Verified {
		return u, err
	}
	u.Verified, u.UpdatedAt = true, tx.Now()
	return u, errors.Join(tx.PutUser(ctx, u), recordUser(ctx, tx, u, "verify"))
}

func recordUser(ctx context.Context, tx *store.Tx, u docs.User, action string) error {
	return audit.Record(ctx, tx, authz.AtCommandLine(u.ID), audit.Event{
		Action: "user." + action, Kind: "user", ID: string(u.ID), Data: map[string]any{"email": u.Email},
	})
}

func addUser(ctx context.Context, tx *store.Tx, e docs.Email, verified bool) (docs.User, error) {
	u := docs.User{
		ID: docs.NewUserID(), Email: e, Verified: verified, DisplayName: e.Name(),
		CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	return u, tx.AddUser(ctx, u)
}

// UserPatch is the input of UpdateUser.
type UserPatch struct {
	DisplayName opt.Val[string]
	PhotoURL    opt.Val[string]
}

// UpdateUser changes the caller's own account.
func (s *Service) UpdateUser(ctx context.Context, g *authz.Grant, id docs.UserID, p UserPatch) (docs.User, error) {
	if photo, ok := p.PhotoURL.Get(); ok {
		if err := docs.CheckWebURL("body.photoURL", photo); err != nil {
			return docs.User{}, err
		}
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.User, error) {
		u, err := tx.UserVisibleTo(ctx, id, caller(g))
		if err != nil {
			return u, err
		}
		if id != g.Actor.User {
			return u, errs.E(errs.Forbidden, "you can change only your own account")
		}
		if err := g.Actor.RequireFullAccount(); err != nil {
			return u, err
		}
		before := u
		u.DisplayName, u.PhotoURL = p.DisplayName.Or(u.DisplayName), p.PhotoURL.Or(u.PhotoURL)
		if audit.Same(before, u) {
			return before, nil
		}
		u.UpdatedAt = tx.Now()
		if err := tx.PutUser(ctx, u); err != nil {
			return u, err
		}
		return u, audit.Record(ctx, tx, g.Actor, audit.Event{Action: "user.update", Kind: "user", ID: string(id)}.Changed(before, u))
	})
}
