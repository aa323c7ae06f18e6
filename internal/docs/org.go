package docs

import (
	"encoding/json"
	"regexp"
)

// Organization owns everything: members, teams, collections and spaces.
type Organization struct {
	ID             OrgID
	Title          string
	Hostname       string // the name of its default address; unique on the instance
	Type           string
	UseCase        string
	CommunityType  string
	DefaultRole    Role // the role of people that are invited without one
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
	UpdatedAt      Time
}

// Billing is kept because the contract has it. Nothing is sold: a new
// organization has the full plan at a price of nothing.
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

// Trial is the other half of the same formality.
type Trial struct {
	Status   string
	Count    int
	EndDate  Time
	Decision string
}

// Blocked says why an operator has suspended an organization.
type Blocked struct {
	Source string
	Reason string
}

// NewOrganization returns an organization with the values that suit a
// self-hosted instance: every feature, no trial, no bill.
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

// reservedHostnames would let an organization pose as the instance itself.
var reservedHostnames = map[string]bool{
	"www": true, "api": true, "app": true, "admin": true, "console": true, "mail": true, "smtp": true, "octavo": true,
	"static": true, "assets": true, "docs": true, "status": true, "login": true, "auth": true, "sso": true, "saml": true,
	"localhost": true, "integrations": true, "files": true, "cdn": true,
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
	Spaces     int // spaces reached by a grant of the member's own or of a team
	Teams      int
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

// InviteLink admits whoever opens it: to the organization with a role, or to
// one space or collection with a level and as a guest of the organization.
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

// AgentInstructions tell an organization's writing agent how to work. The
// document is kept as it came.
type AgentInstructions struct {
	Document  json.RawMessage
	UpdatedAt Time
	UpdatedBy UserID
}
