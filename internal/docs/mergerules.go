package docs

import "github.com/octavo-docs/octavo/internal/expr"

// MergeRules are the conditions for merging a change request.
type MergeRules struct {
	Type  MergeRulesType `json:"type"`
	Rules []MergeRule    `json:"rules,omitempty"`
}

// MergeRulesType determines whether a space has its own rules.
type MergeRulesType string

// A space inherits rules, has its own rules, or has none. An organization cannot inherit.
const (
	MergeInherit MergeRulesType = "inherit"
	MergeOwn     MergeRulesType = "rules"
	MergeNone    MergeRulesType = "none"
)

// MergeRule is one condition. Its name determines which of the other fields it has.
type MergeRule struct {
	Rule       string   `json:"rule"`
	Users      []UserID `json:"users,omitempty"`
	Expression string   `json:"expression,omitempty"`
	Message    string   `json:"message,omitempty"`
}

// MergeRuleNames are the names of rules, grouped by the fields that they have.
var MergeRuleNames = struct{ Plain, Users, Custom []string }{
	Plain: []string{
		"require_at_least_one_review", "require_at_least_one_approved_review", "require_all_reviews_approved",
		"require_agent_review", "require_up_to_date_change_request", "require_change_request_subject",
		"require_change_request_description", "require_author_to_merge",
	},
	Users:  []string{"require_specific_reviewers", "require_one_of_specific_reviewers", "allow_bypass"},
	Custom: []string{"custom"},
}

// MergeRuleData is the shape of the data over which the expressions of custom rules are
// evaluated.
var MergeRuleData = ruleMembers{
	"space": ruleMembers{"id": ruleValue, "title": ruleValue}.shape(),
	"changeRequest": ruleMembers{
		"id": ruleValue, "number": ruleValue, "subject": ruleValue, "description": ruleValue, "status": ruleValue, "outdated": ruleValue,
		"createdBy": ruleMembers{"id": ruleValue}.shape(),
	}.shape(),
	"reviews": {Items: ruleMembers{"status": ruleValue, "reviewer": ruleMembers{"id": ruleValue}.shape()}.shape()},
	"actor":   ruleMembers{"id": ruleValue}.shape(),
	"openapi": ruleMembers{"changes": ruleValue, "breaking": ruleValue}.shape(),
}.shape()

type ruleMembers map[string]*expr.Shape

func (m ruleMembers) shape() *expr.Shape { return &expr.Shape{Members: m} }

var ruleValue = &expr.Shape{}

// NamedUsers returns the users that the rules refer to, without duplicates.
func (m MergeRules) NamedUsers() []UserID {
	var out []UserID
	seen := map[UserID]bool{}
	for _, r := range m.Rules {
		for _, u := range r.Users {
			if !seen[u] {
				seen[u] = true
				out = append(out, u)
			}
		}
	}
	return out
}
