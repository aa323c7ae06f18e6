package docs

// MergeRules say what must hold before a change request may be merged.
type MergeRules struct {
	Type  MergeRulesType `json:"type"`
	Rules []MergeRule    `json:"rules,omitempty"`
}

// MergeRulesType reports whether a space has rules of its own.
type MergeRulesType string

// A space inherits, has rules, or has none; an organization cannot inherit.
const (
	MergeInherit MergeRulesType = "inherit"
	MergeOwn     MergeRulesType = "rules"
	MergeNone    MergeRulesType = "none"
)

// MergeRule is one condition. Which of the other fields belong to it depends
// on the rule.
type MergeRule struct {
	Rule       string   `json:"rule"`
	Users      []UserID `json:"users,omitempty"`
	Expression string   `json:"expression,omitempty"`
	Message    string   `json:"message,omitempty"`
}

// MergeRuleNames are the rules by what they need besides their name.
var MergeRuleNames = struct{ Plain, Users, Custom []string }{
	Plain: []string{
		"require_at_least_one_review", "require_at_least_one_approved_review", "require_all_reviews_approved",
		"require_agent_review", "require_up_to_date_change_request", "require_change_request_subject",
		"require_change_request_description", "require_author_to_merge",
	},
	Users:  []string{"require_specific_reviewers", "require_one_of_specific_reviewers", "allow_bypass"},
	Custom: []string{"custom"},
}

// NamedUsers returns every user that some rule names, each once.
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
