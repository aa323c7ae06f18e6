package orgs

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) organizations() {
	const tag = "Organizations"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOrganizationsForAuthenticatedUser", Route: "GET /orgs", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "List the organizations that you are a member of.",
		About:   "One that asks you to sign in at its identity provider first (sso) is listed without what only its members see.",
	}, h.list)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createOrganization", Route: "POST /orgs", Tag: tag, Allow: authz.SignedIn(docs.ScopeAdmin), Status: 201,
		Summary: "Create an organization. You become its admin.",
	}, h.create)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOrganizationById", Route: "GET /orgs/{organizationId}", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "An organization.",
	}, h.get)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateOrganizationById", Route: "PATCH /orgs/{organizationId}", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Also:    []int{http.StatusConflict},
		Summary: "Change the settings of an organization.",
	}, h.update)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "joinOrganization", Route: "POST /orgs/{organizationId}/join", Tag: tag, Allow: authz.SignedIn(docs.ScopeWrite), Status: 204,
		Summary: "Join an organization that admits your e-mail domain.",
		About:   "You become a guest. Your address must be verified and of one of the organization's emailDomains, and the domain must be proved. An organization that you cannot join is 404.",
	}, h.join)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOrganizationEmailDomains", Route: "GET /orgs/{organizationId}/email-domains", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List the e-mail domains of an organization, with their proof.",
		About: "Nobody joins by the address of a domain that is pending. It is proved by a TXT record, which has to stay: record has its name and its value. " +
			"The DNS is asked when this is called.",
	}, h.emailDomains)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOrganizationsForEmailDomain", Route: "GET /email-domains/{emailDomain}/orgs", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "List the organizations that people with an address of your e-mail domain can join.",
	}, h.byDomain)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSubdomain", Route: "GET /subdomains/{subdomain}", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "Get the organization of a hostname, if you are a member of it.",
	}, h.subdomain)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOrganizationAgentInstructions", Route: "GET /orgs/{organizationId}/agent-instructions", Tag: tag, Allow: authz.Org(authz.ReadInstructions),
		Summary: "Get the instructions for the organization's writing agent.",
	}, h.agentInstructions)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateOrganizationAgentInstructions", Route: "PUT /orgs/{organizationId}/agent-instructions", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Replace the instructions for the organization's writing agent.",
	}, h.setAgentInstructions)
}

func (h *handlers) list(ctx context.Context, in *kernel.Paged) (*kernel.Page[wire.Organization], error) {
	return kernel.ListOf(ctx, h.Kernel, *in, h.Orgs.Organizations.List(authz.FromContext(ctx)), func(it store.OrgAccess) wire.Organization {
		return h.Organization(authz.FromContext(ctx).Actor, it.Org, it.Access)
	})
}

type createOrganizationIn struct {
	DefaultSite string `query:"withDefaultSite" enum:"true,false" doc:"true: with a site that has the title of the organization and no spaces yet."`
	OpenAPI     string `query:"openapiUrl" maxLength:"2048" doc:"Ignored: createOpenAPISpec adds a specification."`
	Body        struct {
		Title         string   `json:"title" minLength:"2" maxLength:"255" pattern:"\\S.*\\S" patternDescription:"at least two characters that are not blank"`
		EmailDomains  []string `json:"emailDomains,omitempty" maxItems:"50"`
		Type          string   `json:"type,omitempty" enum:"business,community"`
		UseCase       string   `json:"useCase,omitempty" enum:"internalDocs,docsSite,audienceControlledSite,productDocs,teamKnowledgeBase,designSystem,openSourceDocs,notes,other"`
		CommunityType string   `json:"communityType,omitempty" enum:"nonProfit,openSource,education"`
		Preferences   any      `json:"onboardingPreferences,omitempty" doc:"Ignored: there is no onboarding."`
	}
}

func (h *handlers) create(ctx context.Context, in *createOrganizationIn) (*kernel.Created[wire.Organization], error) {
	g := authz.FromContext(ctx)
	n := orgs.NewOrganization{
		Title: in.Body.Title, EmailDomains: in.Body.EmailDomains, Type: in.Body.Type, UseCase: in.Body.UseCase, CommunityType: in.Body.CommunityType,
	}
	if in.DefaultSite == "true" {
		n.Then = sites.First(in.Body.Title)
	}
	o, err := h.Orgs.Organizations.Create(ctx, g, n)
	if err != nil {
		return nil, err
	}
	access := &docs.Access{Org: o.ID, User: g.Actor.User, Member: true, Role: docs.Admin}
	return kernel.Made(h.Location("orgs", string(o.ID)), h.Organization(authz.FromContext(ctx).Actor, o, access)), nil
}

func (h *handlers) get(ctx context.Context, in *wire.OrgIn) (*kernel.Out[wire.Organization], error) {
	o, err := h.Orgs.Organizations.Get(ctx, in.Org)
	return kernel.OK(h.Organization(authz.FromContext(ctx).Actor, o, authz.FromContext(ctx).Access)), err
}

type updateOrganizationIn struct {
	wire.OrgIn
	Body struct {
		Title          opt.Val[string]           `json:"title,omitempty" minLength:"2" maxLength:"255" pattern:"\\S.*\\S" patternDescription:"at least two characters that are not blank"`
		EmailDomains   opt.Val[[]string]         `json:"emailDomains,omitempty" maxItems:"50"`
		Hostname       opt.Val[string]           `json:"hostname,omitempty" minLength:"3" maxLength:"32"`
		DefaultRole    opt.Val[docs.Role]        `json:"defaultRole,omitempty" nullable:"true"`
		DefaultContent opt.Val[wire.SitePointer] `json:"defaultContent,omitempty" null:"ok"`
		Logo           opt.Val[string]           `json:"logo,omitempty" nullable:"true" maxLength:"2048" format:"uri"`
		SSO            opt.Val[bool]             `json:"sso,omitempty"`
		AI             opt.Val[bool]             `json:"ai,omitempty"`
		InviteLinks    opt.Val[bool]             `json:"inviteLinks,omitempty"`
		MergeRules     opt.Val[wire.MergeRules]  `json:"mergeRules,omitempty"`
	}
}

func (h *handlers) update(ctx context.Context, in *updateOrganizationIn) (*kernel.Out[wire.Organization], error) {
	g, b := authz.FromContext(ctx), in.Body
	patch := orgs.OrganizationPatch{
		Title: b.Title, EmailDomains: b.EmailDomains, Hostname: b.Hostname, DefaultRole: b.DefaultRole, Logo: b.Logo,
		SSO: b.SSO, AI: b.AI, InviteLinks: b.InviteLinks, MergeRules: wire.PlainRules(b.MergeRules),
	}
	if p, set := b.DefaultContent.Get(); set {
		patch.DefaultContent = opt.Of(p.Site)
	} else if b.DefaultContent.IsNull() {
		patch.DefaultContent = opt.Null[string]()
	}
	o, err := h.Orgs.Organizations.Update(ctx, g, in.Org, patch)
	return kernel.OK(h.Organization(authz.FromContext(ctx).Actor, o, g.Access)), err
}

func (h *handlers) join(ctx context.Context, in *wire.OrgIn) (*kernel.Done, error) {
	return nil, h.Orgs.Domains.Join(ctx, authz.FromContext(ctx), in.Org)
}

type organizationsByDomain struct {
	Organizations []wire.Organization `json:"organizations"`
}

type emailDomainIn struct {
	Domain string `path:"emailDomain" maxLength:"253"`
}

func (h *handlers) byDomain(ctx context.Context, in *emailDomainIn) (*kernel.Out[organizationsByDomain], error) {
	all, err := h.Orgs.Domains.Organizations(ctx, authz.FromContext(ctx), in.Domain)
	w := organizationsByDomain{Organizations: []wire.Organization{}}
	for _, it := range all {
		w.Organizations = append(w.Organizations, h.Organization(authz.FromContext(ctx).Actor, it.Org, it.Access))
	}
	return kernel.OK(w), err
}

// EmailDomain is the JSON form of an e-mail domain of an organization and its proof.
type EmailDomain struct {
	Object  string       `json:"object" enum:"email-domain"`
	Domain  string       `json:"domain"`
	Status  string       `json:"status" enum:"pending,proved"`
	Problem string       `json:"problem,omitempty" doc:"What is wrong with the record."`
	Record  domainRecord `json:"record"`
}

type domainRecord struct {
	Type  string `json:"type" enum:"TXT"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

type emailDomains struct {
	Items []EmailDomain `json:"items"`
}

func (h *handlers) emailDomains(ctx context.Context, in *wire.OrgIn) (*kernel.Out[emailDomains], error) {
	all, err := h.Orgs.Domains.List(ctx, in.Org)
	w := emailDomains{Items: []EmailDomain{}}
	for _, d := range all {
		status := "pending"
		if d.Proved {
			status = "proved"
		}
		w.Items = append(w.Items, EmailDomain{"email-domain", d.Domain, status, d.Problem, domainRecord{"TXT", d.Record, d.Value}})
	}
	return kernel.OK(w), err
}

// Subdomain is the JSON form of the hostname of an organization.
type Subdomain struct {
	Object    string          `json:"object" enum:"subdomain"`
	Subdomain string          `json:"subdomain"`
	Target    wire.OrgPointer `json:"target"`
	IsActive  bool            `json:"isActive"`
}

type subdomainIn struct {
	Subdomain string `path:"subdomain" maxLength:"32"`
}

func (h *handlers) subdomain(ctx context.Context, in *subdomainIn) (*kernel.Out[Subdomain], error) {
	o, err := h.Orgs.Organizations.ByHostname(ctx, authz.FromContext(ctx), in.Subdomain)
	return kernel.OK(Subdomain{"subdomain", o.Hostname, wire.OrgPointer{Type: "organization", Organization: string(o.ID)}, true}), err
}

// AgentInstructions is the JSON form of the instructions for the writing agent.
type AgentInstructions struct {
	Object       string          `json:"object" enum:"agent-instructions"`
	Instructions json.RawMessage `json:"instructions"`
	UpdatedAt    docs.Time       `json:"updatedAt"`
	UpdatedBy    string          `json:"updatedBy"`
	URLs         wire.Location   `json:"urls"`
}

func (h *handlers) instructions(org docs.OrgID, v docs.AgentInstructions) AgentInstructions {
	return AgentInstructions{
		"agent-instructions", v.Document, v.UpdatedAt, string(v.UpdatedBy),
		wire.Location{Location: h.Location("orgs", string(org), "agent-instructions")},
	}
}

func (h *handlers) agentInstructions(ctx context.Context, in *wire.OrgIn) (*kernel.Out[AgentInstructions], error) {
	v, err := h.Orgs.Organizations.AgentInstructions(ctx, in.Org)
	return kernel.OK(h.instructions(in.Org, v)), err
}

type setAgentInstructionsIn struct {
	wire.OrgIn
	Body struct {
		Instructions json.RawMessage `json:"instructions"`
	}
}

func (h *handlers) setAgentInstructions(ctx context.Context, in *setAgentInstructionsIn) (*kernel.Out[AgentInstructions], error) {
	v, err := h.Orgs.Organizations.SetAgentInstructions(ctx, authz.FromContext(ctx), in.Org, in.Body.Instructions)
	return kernel.OK(h.instructions(in.Org, v)), err
}
