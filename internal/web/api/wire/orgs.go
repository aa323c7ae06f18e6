package wire

import (
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
)

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
	DefaultContent *SitePointer      `json:"defaultContent,omitempty"`
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

// Organization returns the JSON form of an organization for a caller with an access to
// it.
func (v *Views) Organization(caller authz.Actor, o docs.Organization, by *docs.Access) Organization {
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
		CommunityType: o.CommunityType, DefaultRole: OrNull(o.DefaultRole), SSO: o.SSO, AI: o.AI, InviteLinks: o.InviteLinks,
		Plan: o.Plan, MergeRules: mergeRules(o.MergeRules),
		URLs:           orgURLs{Location: v.Location("orgs", string(o.ID)), App: v.BaseURL + "/o/" + string(o.ID), Logo: o.LogoURL},
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
		w.DefaultContent = &SitePointer{"site", o.DefaultContent}
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

// PlainRules returns the rules of a request.
func PlainRules(in opt.Val[MergeRules]) opt.Val[docs.MergeRules] {
	if w, ok := in.Get(); ok {
		return opt.Of(w.plain())
	}
	return opt.Val[docs.MergeRules]{}
}
