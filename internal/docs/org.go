package docs

import (
	"encoding/json"
	"regexp"
)

// Organization owns members, teams, collections and spaces.
type Organization struct {
	ID             OrgID
	Title          string
	Hostname       string // host name of its default address; unique on the instance
	Type           string
	UseCase        string
	CommunityType  string
	DefaultRole    Role // role of users who are invited without a role
	DefaultContent string
	SSO            bool
	AI             bool
	InviteLinks    bool
	MergeRules     MergeRules
	LogoURL        string
	EmailDomains   []string
	Plan           string
	Billing        Billing
	Trial          Trial
	CustomHostname string
	Blocked        Blocked
	CreatedBy      UserID
	CreatedAt      Time
	UpdatedAt      Time `audit:"-"`
}

// Billing exists because clients of the API expect it. Nothing is sold: every
// organization has the full plan for free.
type Billing struct {
	Interval             string
	EndDate              Time
	HasPaymentFailed     bool
	IsScheduledToCancel  bool
	PlusMonthly          float64
	PlusYearly           float64
	ProMonthly           float64
	ProYearly            float64
	SitePremiumMonthly   float64
	SitePremiumYearly    float64
	SiteUltimateMonthly  float64
	SiteUltimateYearly   float64
	UsageAddons          map[string]bool
	MigrationDeadline    Time
	MigrationDiscount    float64
	MigrationDiscountEnd Time
}

// Trial exists for the same reason as Billing.
type Trial struct {
	Status   string
	Count    int
	EndDate  Time
	Decision string
}

// Blocked is the reason why an operator suspended an organization.
type Blocked struct {
	Source string
	Reason string
}

// NewOrganization returns an organization with the defaults of a self-hosted
// instance: every feature, no trial, no bill.
func NewOrganization(id OrgID, title string, by UserID, now Time) Organization {
	return Organization{
		ID: id, Title: title, Type: "business", DefaultRole: Read, InviteLinks: true,
		MergeRules: MergeRules{Type: MergeNone},
		Plan:       "enterprise_2024",
		Billing: Billing{
			Interval:    "yearly",
			UsageAddons: map[string]bool{"ai_responses": false, "ai_agent_responses": false, "translation_words": false},
		},
		Trial:     Trial{Status: "notapplicable"},
		CreatedBy: by, CreatedAt: now, UpdatedAt: now,
	}
}

var hostnameRE = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$`)

// reservedHostnames are names with which an organization could impersonate the instance.
var reservedHostnames = map[string]bool{
	"www": true, "api": true, "app": true, "admin": true, "console": true, "mail": true, "smtp": true, "octavo": true,
	"static": true, "assets": true, "docs": true, "status": true, "login": true, "auth": true, "sso": true, "saml": true,
	"localhost": true, "integrations": true, "files": true, "cdn": true,
	// paths and hosts of the server
	"s": true, "v1": true, "v2": true, "healthz": true, "readyz": true, "metrics": true, "preview": true, "proxy": true,
	// names that clients look up in any domain
	"ns": true, "ns1": true, "ns2": true, "mx": true, "imap": true, "pop": true, "pop3": true, "ftp": true, "ssh": true, "vpn": true,
	"autoconfig": true, "autodiscover": true, "wpad": true, "isatap": true,
	// names that people associate with the operator
	"root": true, "postmaster": true, "hostmaster": true, "webmaster": true, "abuse": true, "security": true, "support": true,
	"account": true, "accounts": true, "billing": true, "dashboard": true, "signin": true, "signup": true, "oauth": true, "gitbook": true,
}

// ValidHostname reports whether a name may be the hostname of an organization.
func ValidHostname(s string) bool { return hostnameRE.MatchString(s) && !reservedHostnames[s] }

// Member is a user in an organization.
type Member struct {
	Org        OrgID
	User       User
	Role       Role
	Disabled   bool
	SSO        bool
	JoinedAt   Time
	LastSeenAt Time
	Spaces     int // spaces with a grant to the member or to one of the member's teams
	Teams      int
	Sites      int // as Spaces
}

// Team is a named group of members.
type Team struct {
	ID        TeamID
	Org       OrgID
	Title     string
	Members   int
	Spaces    int // spaces that the team was granted access to
	CreatedAt Time
}

// TeamMembership is a member in a team.
type TeamMembership struct {
	Member Member
	Role   TeamRole
}

// InviteLink admits everybody who opens it. They join the organization with a role, or get
// a role on one space or collection and become guests of the organization.
type InviteLink struct {
	ID         InviteID
	Org        OrgID
	Role       Role
	Space      SpaceID
	Collection CollectionID
	CreatedBy  UserID
	CreatedAt  Time
	RevokedAt  Time
}

// AgentInstructions are instructions for the writing agent of an organization. The
// document is stored unchanged.
type AgentInstructions struct {
	Document  json.RawMessage
	UpdatedAt Time `audit:"-"`
	UpdatedBy UserID
}
