package docs

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/expr"
)

// CheckWebURL returns an error for the field at path unless s is an http or
// https URL with a host and without credentials. It checks the parsed form, so
// that no encoding hides a scheme.
func CheckWebURL(path, s string) error {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || !isASCII(s) || strings.Contains(s, `\`) {
		return errs.Field(path, "must be an http or https URL")
	}
	return nil
}

// Check returns an error that names what is wrong with the rules. Only the rules of a space can
// have the type MergeInherit.
func (m MergeRules) Check(path string, space bool) error {
	switch m.Type {
	case MergeNone:
	case MergeInherit:
		if !space {
			return errs.Field(path+".type", "cannot be %q: an organization has nothing to inherit from", m.Type)
		}
	case MergeOwn:
		if m.Rules == nil {
			return errs.Field(path+".rules", "is required when type is %q", m.Type)
		}
	default:
		return errs.Field(path+".type", "must be one of inherit, rules, none")
	}
	if m.Type != MergeOwn && len(m.Rules) > 0 {
		return errs.Field(path+".rules", "belongs to type %q only", MergeOwn)
	}
	var wrong errs.Mistakes
	for i, r := range m.Rules {
		wrong.Add(r.check(fmt.Sprintf("%s.rules[%d]", path, i)))
	}
	return wrong.Err()
}

// maxExpression is the maximum length of a condition or a custom rule in characters.
const maxExpression = 1024

func (r MergeRule) check(path string) error {
	users := slices.Contains(MergeRuleNames.Users, r.Rule)
	custom := slices.Contains(MergeRuleNames.Custom, r.Rule)
	switch {
	case !users && !custom && !slices.Contains(MergeRuleNames.Plain, r.Rule):
		return errs.Field(path+".rule", "is not a merge rule; those are %s",
			strings.Join(slices.Concat(MergeRuleNames.Plain, MergeRuleNames.Users, MergeRuleNames.Custom), ", "))
	case users && len(r.Users) == 0:
		return errs.Field(path+".users", "is required by the rule %s", r.Rule)
	case !users && r.Users != nil:
		return errs.Field(path+".users", "does not belong to the rule %s", r.Rule)
	case custom && r.Expression == "":
		return errs.Field(path+".expression", "is required by the rule %s", r.Rule)
	case !custom && (r.Expression != "" || r.Message != ""):
		return errs.Field(path+".expression", "does not belong to the rule %s", r.Rule)
	case utf8.RuneCountInString(r.Expression) > maxExpression:
		return errs.Field(path+".expression", "is longer than %d characters", maxExpression)
	}
	if custom {
		// Report a mistake now: at the merge it would stop people who did not write the
		// rule.
		p, err := expr.Parse(r.Expression)
		if err != nil {
			return errs.Field(path+".expression", "cannot be read: %s", err)
		}
		if err := p.Check(MergeRuleData); err != nil {
			return errs.Field(path+".expression", "cannot be evaluated: %s", err)
		}
	}
	return nil
}
