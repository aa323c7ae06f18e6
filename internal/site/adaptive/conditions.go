package adaptive

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// TemplateCondition is a condition that an author can choose.
type TemplateCondition struct {
	Description string `json:"description"`
	Condition   string `json:"condition"`
}

// TemplateConditions returns a condition for each boolean and for each value of an enumeration,
// in the order of the schema.
func (s *Schema) TemplateConditions() []TemplateCondition {
	out := []TemplateCondition{}
	if s != nil {
		s.root.conditions("visitor.claims", func(c TemplateCondition) { out = append(out, c) })
	}
	return out
}

func (c *claim) conditions(path string, add func(TemplateCondition)) {
	switch c.kind {
	case boolean:
		add(TemplateCondition{c.description, path + " === true"})
	case text:
		for _, v := range c.values {
			add(TemplateCondition{c.description + ": " + v, path + " === " + quote(v)})
		}
	case array:
		for _, v := range c.items.values {
			add(TemplateCondition{c.description + ": " + v, path + ".includes(" + quote(v) + ")"})
		}
	case object:
		for i := range c.properties {
			p := &c.properties[i]
			p.conditions(path+accessor(p.name), add)
		}
	}
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// accessor returns the syntax that reads a property.
func accessor(name string) string {
	if identifier.MatchString(name) {
		return "." + name
	}
	return "[" + quote(name) + "]"
}

func quote(s string) string { return string(jsontext.AppendString(nil, s)) }

// CheckCondition returns an error unless a condition reads only claims that are declared and
// have a finite set of values. Free text and numbers are for inline expressions. With these in
// conditions, every visitor might see a different site. The path is the place of the condition
// in the request.
func (s *Schema) CheckCondition(path, condition string) error {
	if strings.TrimSpace(condition) == "" {
		return nil
	}
	p, err := expr.Parse(condition)
	if err != nil {
		return errs.Field(path, "is not valid: %v", err)
	}
	for _, input := range p.Inputs() {
		if err := s.checkInput(input); err != nil {
			return errs.Field(path, "%v", err)
		}
	}
	return nil
}

// checkInput checks an input of a condition, such as visitor.claims.plan.
func (s *Schema) checkInput(input string) error {
	names := strings.Split(input, ".")
	if names[0] != "visitor" {
		if names[0] == "space" || names[0] == "page" {
			return nil
		}
		return fmt.Errorf("reads %s; only visitor, space and page are known", strconv.Quote(names[0]))
	}
	if len(names) == 1 || names[1] != "claims" {
		return fmt.Errorf("reads %s; a visitor has only claims", input)
	}
	if s == nil {
		return fmt.Errorf("reads %s, but the site has no schema of claims", input)
	}
	c := &s.root
	for _, name := range names[2:] {
		if c.kind != object {
			break // the rest of the path is a property of the value
		}
		if c = c.property(name); c == nil {
			return fmt.Errorf("reads %s, which the schema of claims does not declare", input)
		}
	}
	if !c.deterministic() {
		return fmt.Errorf("reads %s, which has any number of values; a condition reads only booleans and texts with an enumeration", input)
	}
	return nil
}
