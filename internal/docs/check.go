package docs

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
)

// CheckWebURL refuses addresses that a browser would not simply open: only
// http and https, with a host, without credentials. The check is of the
// parsed form, so that no encoding hides a scheme.
func CheckWebURL(path, s string) error {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || !isASCII(s) {
		return errs.Field(path, "must be an http or https URL")
	}
	return nil
}

// Check tells what is wrong with merge rules. Only a space can inherit.
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
	for i, r := range m.Rules {
		if err := r.check(fmt.Sprintf("%s.rules[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// maxExpression is the length of a condition or a custom rule.
const maxExpression = 1024

func (r MergeRule) check(path string) error {
	users := slices.Contains(MergeRuleNames.Users, r.Rule)
	custom := slices.Contains(MergeRuleNames.Custom, r.Rule)
	switch {
	case !users && !custom && !slices.Contains(MergeRuleNames.Plain, r.Rule):
		return errs.Field(path+".rule", "is not a merge rule")
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
	return nil
}

// maxDocumentDepth bounds how deep blocks can be nested.
const maxDocumentDepth = 100

// CheckDocument tells what is wrong with the outer form of a rich text
// document: an object of kind document with data and a list of nested nodes.
func CheckDocument(path string, raw json.RawMessage) error {
	var d struct {
		Object string            `json:"object"`
		Data   map[string]any    `json:"data"`
		Nodes  []json.RawMessage `json:"nodes"`
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return errs.Field(path, "is not a document")
	}
	switch {
	case d.Object != "document":
		return errs.Field(path+".object", "must be \"document\"")
	case d.Data == nil:
		return errs.Field(path+".data", "must be an object")
	case d.Nodes == nil:
		return errs.Field(path+".nodes", "must be a list")
	}
	for i, n := range d.Nodes {
		if err := checkNode(fmt.Sprintf("%s.nodes[%d]", path, i), n, 1); err != nil {
			return err
		}
	}
	return nil
}

func checkNode(path string, raw json.RawMessage, depth int) error {
	var n struct {
		Object string            `json:"object"`
		Type   string            `json:"type"`
		Nodes  []json.RawMessage `json:"nodes"`
		Leaves []json.RawMessage `json:"leaves"`
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return errs.Field(path, "is not a node")
	}
	switch {
	case depth > maxDocumentDepth:
		return errs.Field(path, "is nested deeper than %d levels", maxDocumentDepth)
	case n.Object != "block" && n.Object != "inline" && n.Object != "text":
		return errs.Field(path+".object", "must be block, inline or text")
	case depth == 1 && n.Object != "block":
		return errs.Field(path+".object", "must be block at the top of a document")
	case n.Object != "text" && n.Type == "":
		return errs.Field(path+".type", "is required")
	case n.Object == "text" && n.Leaves == nil:
		return errs.Field(path+".leaves", "is required")
	}
	for i, child := range n.Nodes {
		if err := checkNode(fmt.Sprintf("%s.nodes[%d]", path, i), child, depth+1); err != nil {
			return err
		}
	}
	return nil
}
