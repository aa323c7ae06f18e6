package orgs

import (
	"context"
	"slices"
	"strconv"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Organizations are the organizations themselves, with their settings and their usage.
type Organizations struct {
	store  *store.Store
	closed bool // only the operator creates them
	perDay int  // that an account can create; 0 means no limit
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
func (s *Organizations) Create(ctx context.Context, g *authz.Grant, in NewOrganization) (docs.Organization, error) {
	if s.closed {
		return docs.Organization{}, errs.E(errs.Forbidden, "the operator of this server creates organizations; ask them for one")
	}
	domains, err := checkDomains(in.EmailDomains)
	if err != nil {
		return docs.Organization{}, err
	}
	if err := g.Actor.RequireFullAccount(); err != nil {
		return docs.Organization{}, err
	}
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.Organization, error) {
		if err := newOrgs.take(ctx, tx, g.Actor, string(g.Actor.User), 1, s.perDay); err != nil {
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
		path := "emailDomains[" + strconv.Itoa(i) + "]"
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
func (s *Organizations) Update(ctx context.Context, g *authz.Grant, id docs.OrgID, p OrganizationPatch) (docs.Organization, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.Organization, error) {
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
			wrong.Field("hostname", "must be 3 to 32 lower-case letters, digits or inner hyphens, and not a reserved name")
		}
		o.Hostname = h
	}
	o.DefaultRole = p.DefaultRole.Or(o.DefaultRole)
	if site, ok := p.DefaultContent.Get(); ok {
		v, err := tx.Site(ctx, docs.SiteID(site))
		if errs.Is(err, errs.NotFound) || err == nil && v.It.Org != o.ID {
			err = errs.Field("defaultContent.site", "is not a site of this organization: %q", site)
		}
		wrong.Add(err)
		o.DefaultContent = site
	} else if p.DefaultContent.IsNull() {
		o.DefaultContent = ""
	}
	if u, ok := p.Logo.Get(); ok {
		wrong.Add(docs.CheckWebURL("logo", u))
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
	if err := rules.Check("mergeRules", space); err != nil {
		return err
	}
	users := rules.NamedUsers()
	members, err := tx.MembersAmong(ctx, org, users)
	if err != nil {
		return err
	}
	for _, u := range users {
		if !members[u] {
			return errs.About(errs.NotFound, "mergeRules", "names the user %q, who is not a member of the organization", u)
		}
	}
	return nil
}

// SetAgentInstructions replaces the instructions for the writing agent.
func (s *Organizations) SetAgentInstructions(ctx context.Context, g *authz.Grant, org docs.OrgID, document []byte) (docs.AgentInstructions, error) {
	if _, err := markup.Decode("instructions", document); err != nil {
		return docs.AgentInstructions{}, err
	}
	if now, err := s.AgentInstructions(ctx, org); err != nil || jsontext.Same(now.Document, document) {
		return now, err
	}
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.AgentInstructions, error) {
		a := docs.AgentInstructions{Document: document, UpdatedAt: tx.Now(), UpdatedBy: g.Actor.User}
		if err := tx.PutAgentInstructions(ctx, org, a); err != nil {
			return a, err
		}
		return a, audit.Record(ctx, tx, g.Actor, audit.Event{Org: org, Action: "organization.instruct", Kind: "organization", ID: string(org)})
	})
}

// AgentInstructions returns the instructions for the writing agent. If they were never
// set, it returns an empty document with the creation time of the organization.
func (s *Organizations) AgentInstructions(ctx context.Context, org docs.OrgID) (docs.AgentInstructions, error) {
	a, err := s.store.AgentInstructions(ctx, org)
	if errs.Is(err, errs.NotFound) {
		o, err := s.store.Organization(ctx, org)
		if err != nil {
			return a, err
		}
		empty := []byte(`{"object":"document","data":{},"nodes":[]}`)
		return docs.AgentInstructions{Document: empty, UpdatedAt: o.CreatedAt, UpdatedBy: o.CreatedBy}, nil
	}
	return a, err
}

// Get returns an organization.
func (s *Organizations) Get(ctx context.Context, id docs.OrgID) (docs.Organization, error) {
	return s.store.Organization(ctx, id)
}

// List lists the organizations of the caller.
func (s *Organizations) List(g *authz.Grant) store.List[store.OrgAccess] {
	return store.List[store.OrgAccess]{
		Page: func(ctx context.Context, p store.Page) ([]store.OrgAccess, store.Key, error) {
			return s.store.OrganizationsOf(ctx, caller(g), p)
		},
		Count: func(ctx context.Context) (int64, error) {
			return s.store.CountOrganizationsOf(ctx, caller(g))
		},
	}
}

// ByHostname returns the organization of a hostname. It returns NotFound to
// callers who are not members, so that only members learn whose hostname it is.
func (s *Organizations) ByHostname(ctx context.Context, g *authz.Grant, hostname string) (docs.Organization, error) {
	o, err := s.store.OrganizationByHostname(ctx, hostname)
	if err != nil {
		return o, err
	}
	if _, _, err := authz.NewChecker(s.store.Reader).Org(ctx, g.Actor, authz.ViewOrg, o.ID); authz.Denied(err) {
		return docs.Organization{}, errs.Missing("subdomain")
	} else if err != nil {
		return docs.Organization{}, err
	}
	return o, nil
}
