package api

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
)

func (a *API) organizations() {
	const tag = "Organizations"
	kernel.Register(a.Kernel, kernel.Op{
		ID: "listOrganizationsForAuthenticatedUser", Route: "GET /orgs", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "List the organizations that you are a member of.",
		About:   "One that asks you to sign in at its identity provider first (sso) is listed without what only its members see.",
	}, a.listOrganizations)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "createOrganization", Route: "POST /orgs", Tag: tag, Allow: authz.SignedIn(docs.ScopeAdmin), Status: 201,
		Summary: "Create an organization. You become its admin.",
	}, a.createOrganization)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "getOrganizationById", Route: "GET /orgs/{organizationId}", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "An organization.",
	}, a.getOrganization)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "updateOrganizationById", Route: "PATCH /orgs/{organizationId}", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Also:    []int{http.StatusConflict},
		Summary: "Change the settings of an organization.",
	}, a.updateOrganization)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "joinOrganization", Route: "POST /orgs/{organizationId}/join", Tag: tag, Allow: authz.SignedIn(docs.ScopeWrite), Status: 204,
		Summary: "Join an organization that admits your e-mail domain.",
		About:   "You become a guest. Your address must be verified and of one of the organization's emailDomains, and the domain must be proved. An organization that you cannot join is 404.",
	}, a.join)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "listOrganizationEmailDomains", Route: "GET /orgs/{organizationId}/email-domains", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List the e-mail domains of an organization, with their proof.",
		About: "Nobody joins by the address of a domain that is pending. It is proved by a TXT record, which has to stay: record has its name and its value. " +
			"The DNS is asked when this is called.",
	}, a.emailDomains)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "getOrganizationsForEmailDomain", Route: "GET /email-domains/{emailDomain}/orgs", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "List the organizations that people with an address of your e-mail domain can join.",
	}, a.organizationsByDomain)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "getSubdomain", Route: "GET /subdomains/{subdomain}", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "Get the organization of a hostname, if you are a member of it.",
	}, a.subdomain)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "getOrganizationAgentInstructions", Route: "GET /orgs/{organizationId}/agent-instructions", Tag: tag, Allow: authz.Org(authz.ReadInstructions),
		Summary: "Get the instructions for the organization's writing agent.",
	}, a.agentInstructions)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "updateOrganizationAgentInstructions", Route: "PUT /orgs/{organizationId}/agent-instructions", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Replace the instructions for the organization's writing agent.",
	}, a.setAgentInstructions)
}

// Organization is the JSON form of an organization.
type Organization struct {
	Object         string            `json:"object" enum:"organization"`
	ID             string            `json:"id"`
	Title          string            `json:"title"`
	CreatedAt      docs.Time         `json:"createdAt"`
	EmailDomains   []string          `json:"emailDomains"`
	Hostname       string            `json:"hostname,omitempty"`
	Type           string            `json:"type" enum:"business,community"`
	UseCase        string            `json:"useCase,omitempty"`
	CommunityType  string            `json:"communityType,omitempty"`
	DefaultRole    *docs.Role        `json:"defaultRole"`
	DefaultContent *sitePointer      `json:"defaultContent,omitempty"`
	SSO            bool              `json:"sso"`
	AI             bool              `json:"ai"`
	InviteLinks    bool              `json:"inviteLinks"`
	Plan           string            `json:"plan"`
	Billing        *billing          `json:"billing,omitempty" doc:"For members only."`
	MergeRules     MergeRules        `json:"mergeRules"`
	URLs           orgURLs           `json:"urls"`
	Trial          trial             `json:"trial"`
	CustomHostname string            `json:"customHostname,omitempty"`
	Blocked        *blocked          `json:"blocked,omitempty"`
	IsOnNewTrial   bool              `json:"internal_isOnNewTrial" deprecated:"true"`
	Migration      *billingMigration `json:"internal_billingMigration,omitempty"`
	Permissions    orgPermissions    `json:"permissions"`
}

type sitePointer struct {
	Type string `json:"type" enum:"site"`
	Site string `json:"site"`
}

type orgURLs struct {
	Location string `json:"location" format:"uri"`
	App      string `json:"app" format:"uri"`
	Logo     string `json:"logo,omitempty" format:"uri"`
}

type billing struct {
	Interval            string           `json:"interval" enum:"monthly,yearly"`
	EndDate             *docs.Time       `json:"endDate"`
	HasPaymentFailed    bool             `json:"hasPaymentFailed"`
	CanCheckout         bool             `json:"canCheckout" doc:"Always false: nothing is sold here."`
	CanChangeInterval   bool             `json:"canChangeInterval" doc:"Always false."`
	CanUseSAML          bool             `json:"canUseSAML" doc:"Always true."`
	CreditsBundle       *string          `json:"creditsBundle" doc:"Always null."`
	CreditAlert         *int             `json:"aiCreditAlertThreshold" doc:"Always null."`
	IsScheduledToCancel bool             `json:"isScheduledToCancel"`
	Pricing             pricing          `json:"pricing"`
	UsageAddons         map[string]addon `json:"usageAddons"`
}

type pricing struct {
	Members struct {
		Plus price `json:"plus_2024"`
		Pro  price `json:"pro_2024"`
	} `json:"members"`
	Sites struct {
		Premium  price `json:"premium"`
		Ultimate price `json:"ultimate"`
	} `json:"sites"`
}

type price struct {
	Monthly float64 `json:"monthly"`
	Yearly  float64 `json:"yearly"`
}

type addon struct {
	Enabled bool `json:"enabled"`
}

type trial struct {
	Status   string    `json:"status" enum:"notapplicable,none,active,ended,expired"`
	Count    int       `json:"count"`
	EndDate  docs.Time `json:"endDate,omitzero"`
	Decision string    `json:"decision,omitempty"`
}

type blocked struct {
	Source string `json:"source,omitempty" enum:"backoffice,external,internal"`
	Reason string `json:"reason"`
}

type billingMigration struct {
	Deadline        docs.Time `json:"deadline,omitzero"`
	DiscountPercent float64   `json:"discountPercent,omitempty"`
	DiscountEndDate docs.Time `json:"discountEndDate,omitzero"`
}

type orgPermissions struct {
	View                bool `json:"view"`
	Access              bool `json:"access"`
	Admin               bool `json:"admin"`
	OwnTeam             bool `json:"ownTeam"`
	CreateContent       bool `json:"createContent"`
	CreateOpenAPISpec   bool `json:"createOpenAPISpec"`
	IngestConversations bool `json:"ingestConversations"`
	ViewBilling         bool `json:"viewBilling"`
	ListMembers         bool `json:"listMembers"`
	ListTeams           bool `json:"listTeams"`
	ListIntegrations    bool `json:"listIntegrations"`
	ListInstallations   bool `json:"listInstallations"`
	InstallIntegration  bool `json:"installIntegration"`
}

// organization returns the JSON form of an organization for a caller with an access to
// it.
func (a *API) organization(caller authz.Actor, o docs.Organization, by *docs.Access) Organization {
	can := func(act authz.Action) bool { return by.Inside() && caller.Can(by.OrgRole(), act) }
	if !by.Inside() { // the caller may join, or has to sign in elsewhere first: settings are left out
		o = docs.Organization{
			ID: o.ID, Title: o.Title, CreatedAt: o.CreatedAt, Type: o.Type, Plan: o.Plan, Trial: o.Trial, LogoURL: o.LogoURL, SSO: o.SSO,
			MergeRules: docs.MergeRules{Type: docs.MergeNone},
		}
	}
	w := Organization{
		Object: "organization", ID: string(o.ID), Title: o.Title, CreatedAt: o.CreatedAt,
		EmailDomains: append([]string{}, o.EmailDomains...), Hostname: o.Hostname, Type: o.Type, UseCase: o.UseCase,
		CommunityType: o.CommunityType, DefaultRole: orNull(o.DefaultRole), SSO: o.SSO, AI: o.AI, InviteLinks: o.InviteLinks,
		Plan: o.Plan, MergeRules: mergeRules(o.MergeRules),
		URLs:           orgURLs{Location: a.Location("orgs", string(o.ID)), App: a.BaseURL + "/o/" + string(o.ID), Logo: o.LogoURL},
		Trial:          trial{Status: o.Trial.Status, Count: o.Trial.Count, EndDate: o.Trial.EndDate, Decision: o.Trial.Decision},
		CustomHostname: o.CustomHostname, IsOnNewTrial: true,
		Permissions: orgPermissions{
			View: can(authz.ViewOrg), Access: can(authz.ViewOrg), Admin: can(authz.AdminOrg), OwnTeam: by.Inside() && by.OwnsTeam() && caller.Scopes.Allow(authz.ManageTeam.Scope),
			CreateContent: can(authz.CreateContent), CreateOpenAPISpec: can(authz.CreateOpenAPISpec),
			IngestConversations: can(authz.IngestConvo), ViewBilling: can(authz.ViewBilling),
			ListMembers: can(authz.ListMembers), ListTeams: can(authz.ListTeams), ListIntegrations: can(authz.ListIntegrations),
			ListInstallations: can(authz.ListIntegrations), InstallIntegration: can(authz.InstallInOrg),
		},
	}
	if o.DefaultContent != "" {
		w.DefaultContent = &sitePointer{"site", o.DefaultContent}
	}
	if by.Inside() {
		w.Billing = billingOf(o.Billing)
	}
	if o.Blocked.Reason != "" {
		w.Blocked = &blocked{o.Blocked.Source, o.Blocked.Reason}
	}
	if !o.Billing.MigrationDeadline.IsZero() {
		w.Migration = &billingMigration{o.Billing.MigrationDeadline, o.Billing.MigrationDiscount, o.Billing.MigrationDiscountEnd}
	}
	return w
}

func billingOf(b docs.Billing) *billing {
	w := &billing{
		Interval: b.Interval, HasPaymentFailed: b.HasPaymentFailed, IsScheduledToCancel: b.IsScheduledToCancel,
		CanUseSAML:  true,
		UsageAddons: map[string]addon{},
	}
	if !b.EndDate.IsZero() {
		w.EndDate = &b.EndDate
	}
	w.Pricing.Members.Plus, w.Pricing.Members.Pro = price{b.PlusMonthly, b.PlusYearly}, price{b.ProMonthly, b.ProYearly}
	w.Pricing.Sites.Premium = price{b.SitePremiumMonthly, b.SitePremiumYearly}
	w.Pricing.Sites.Ultimate = price{b.SiteUltimateMonthly, b.SiteUltimateYearly}
	for name, on := range b.UsageAddons {
		w.UsageAddons[name] = addon{on}
	}
	return w
}

// orNull returns nil for a guest, who has no role.
func orNull(r docs.Role) *docs.Role {
	if !r.Valid() {
		return nil
	}
	return &r
}

// MergeRules is the JSON form of docs.MergeRules.
type MergeRules struct {
	Type  docs.MergeRulesType `json:"type" enum:"inherit,rules,none"`
	Rules *[]MergeRule        `json:"rules,omitempty" maxItems:"50"`
}

// MergeRule is the JSON form of docs.MergeRule.
type MergeRule struct {
	Rule       string         `json:"rule" maxLength:"64"`
	Users      *[]docs.UserID `json:"users,omitempty" maxItems:"100"`
	Expression string         `json:"expression,omitempty" maxLength:"1024"`
	Message    string         `json:"message,omitempty" maxLength:"512"`
}

func mergeRules(m docs.MergeRules) MergeRules {
	w := MergeRules{Type: m.Type}
	if m.Type != docs.MergeOwn {
		return w
	}
	rules := []MergeRule{}
	for _, r := range m.Rules {
		wr := MergeRule{Rule: r.Rule, Expression: r.Expression, Message: r.Message}
		if r.Users != nil {
			wr.Users = &r.Users
		}
		rules = append(rules, wr)
	}
	w.Rules = &rules
	return w
}

func (w MergeRules) plain() docs.MergeRules {
	m := docs.MergeRules{Type: w.Type}
	if w.Rules == nil {
		return m
	}
	m.Rules = []docs.MergeRule{}
	for _, r := range *w.Rules {
		pr := docs.MergeRule{Rule: r.Rule, Expression: r.Expression, Message: r.Message}
		if r.Users != nil {
			pr.Users = append([]docs.UserID{}, *r.Users...)
		}
		m.Rules = append(m.Rules, pr)
	}
	return m
}

func plainRules(in opt.Val[MergeRules]) opt.Val[docs.MergeRules] {
	if w, ok := in.Get(); ok {
		return opt.Of(w.plain())
	}
	return opt.Val[docs.MergeRules]{}
}

func (a *API) listOrganizations(ctx context.Context, in *kernel.Paged) (*kernel.Page[Organization], error) {
	return kernel.ListOf(ctx, a.Kernel, *in, a.Orgs.Organizations(authz.FromContext(ctx)), func(it store.OrgAccess) Organization {
		return a.organization(authz.FromContext(ctx).Actor, it.Org, it.Access)
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

func (a *API) createOrganization(ctx context.Context, in *createOrganizationIn) (*kernel.Created[Organization], error) {
	g := authz.FromContext(ctx)
	n := orgs.NewOrganization{
		Title: in.Body.Title, EmailDomains: in.Body.EmailDomains, Type: in.Body.Type, UseCase: in.Body.UseCase, CommunityType: in.Body.CommunityType,
	}
	if in.DefaultSite == "true" {
		n.Then = sites.First(in.Body.Title)
	}
	o, err := a.Orgs.Create(ctx, g, n)
	if err != nil {
		return nil, err
	}
	access := &docs.Access{Org: o.ID, User: g.Actor.User, Member: true, Role: docs.Admin}
	return kernel.Made(a.Location("orgs", string(o.ID)), a.organization(authz.FromContext(ctx).Actor, o, access)), nil
}

type OrgIn struct {
	Org docs.OrgID `path:"organizationId"`
}

func (a *API) getOrganization(ctx context.Context, in *OrgIn) (*kernel.Out[Organization], error) {
	o, err := a.Orgs.Organization(ctx, in.Org)
	return kernel.OK(a.organization(authz.FromContext(ctx).Actor, o, authz.FromContext(ctx).Access)), err
}

type updateOrganizationIn struct {
	OrgIn
	Body struct {
		Title          opt.Val[string]      `json:"title,omitempty" minLength:"2" maxLength:"255" pattern:"\\S.*\\S" patternDescription:"at least two characters that are not blank"`
		EmailDomains   opt.Val[[]string]    `json:"emailDomains,omitempty" maxItems:"50"`
		Hostname       opt.Val[string]      `json:"hostname,omitempty" minLength:"3" maxLength:"32"`
		DefaultRole    opt.Val[docs.Role]   `json:"defaultRole,omitempty" nullable:"true"`
		DefaultContent opt.Val[sitePointer] `json:"defaultContent,omitempty" null:"ok"`
		Logo           opt.Val[string]      `json:"logo,omitempty" nullable:"true" maxLength:"2048" format:"uri"`
		SSO            opt.Val[bool]        `json:"sso,omitempty"`
		AI             opt.Val[bool]        `json:"ai,omitempty"`
		InviteLinks    opt.Val[bool]        `json:"inviteLinks,omitempty"`
		MergeRules     opt.Val[MergeRules]  `json:"mergeRules,omitempty"`
	}
}

func (a *API) updateOrganization(ctx context.Context, in *updateOrganizationIn) (*kernel.Out[Organization], error) {
	g, b := authz.FromContext(ctx), in.Body
	patch := orgs.OrganizationPatch{
		Title: b.Title, EmailDomains: b.EmailDomains, Hostname: b.Hostname, DefaultRole: b.DefaultRole, Logo: b.Logo,
		SSO: b.SSO, AI: b.AI, InviteLinks: b.InviteLinks, MergeRules: plainRules(b.MergeRules),
	}
	if p, set := b.DefaultContent.Get(); set {
		patch.DefaultContent = opt.Of(p.Site)
	} else if b.DefaultContent.IsNull() {
		patch.DefaultContent = opt.Null[string]()
	}
	o, err := a.Orgs.Update(ctx, g, in.Org, patch)
	return kernel.OK(a.organization(authz.FromContext(ctx).Actor, o, g.Access)), err
}

func (a *API) join(ctx context.Context, in *OrgIn) (*kernel.Done, error) {
	return nil, a.Orgs.Join(ctx, authz.FromContext(ctx), in.Org)
}

type organizationsByDomain struct {
	Organizations []Organization `json:"organizations"`
}

type emailDomainIn struct {
	Domain string `path:"emailDomain" maxLength:"253"`
}

func (a *API) organizationsByDomain(ctx context.Context, in *emailDomainIn) (*kernel.Out[organizationsByDomain], error) {
	all, err := a.Orgs.OrganizationsByDomain(ctx, authz.FromContext(ctx), in.Domain)
	w := organizationsByDomain{Organizations: []Organization{}}
	for _, it := range all {
		w.Organizations = append(w.Organizations, a.organization(authz.FromContext(ctx).Actor, it.Org, it.Access))
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

func (a *API) emailDomains(ctx context.Context, in *OrgIn) (*kernel.Out[emailDomains], error) {
	all, err := a.Orgs.EmailDomains(ctx, in.Org)
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
	Object    string     `json:"object" enum:"subdomain"`
	Subdomain string     `json:"subdomain"`
	Target    orgPointer `json:"target"`
	IsActive  bool       `json:"isActive"`
}

type orgPointer struct {
	Type         string `json:"type" enum:"organization"`
	Organization string `json:"organization"`
}

type subdomainIn struct {
	Subdomain string `path:"subdomain" maxLength:"32"`
}

func (a *API) subdomain(ctx context.Context, in *subdomainIn) (*kernel.Out[Subdomain], error) {
	o, err := a.Orgs.OrganizationByHostname(ctx, authz.FromContext(ctx), in.Subdomain)
	return kernel.OK(Subdomain{"subdomain", o.Hostname, orgPointer{"organization", string(o.ID)}, true}), err
}

// AgentInstructions is the JSON form of the instructions for the writing agent.
type AgentInstructions struct {
	Object       string          `json:"object" enum:"agent-instructions"`
	Instructions json.RawMessage `json:"instructions"`
	UpdatedAt    docs.Time       `json:"updatedAt"`
	UpdatedBy    string          `json:"updatedBy"`
	URLs         location        `json:"urls"`
}

func (a *API) instructions(org docs.OrgID, v docs.AgentInstructions) AgentInstructions {
	return AgentInstructions{
		"agent-instructions", v.Document, v.UpdatedAt, string(v.UpdatedBy),
		location{a.Location("orgs", string(org), "agent-instructions")},
	}
}

func (a *API) agentInstructions(ctx context.Context, in *OrgIn) (*kernel.Out[AgentInstructions], error) {
	v, err := a.Orgs.AgentInstructions(ctx, in.Org)
	return kernel.OK(a.instructions(in.Org, v)), err
}

type setAgentInstructionsIn struct {
	OrgIn
	Body struct {
		Instructions json.RawMessage `json:"instructions"`
	}
}

func (a *API) setAgentInstructions(ctx context.Context, in *setAgentInstructionsIn) (*kernel.Out[AgentInstructions], error) {
	v, err := a.Orgs.SetAgentInstructions(ctx, authz.FromContext(ctx), in.Org, in.Body.Instructions)
	return kernel.OK(a.instructions(in.Org, v)), err
}
