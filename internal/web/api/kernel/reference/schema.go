package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// schema is the part of a JSON schema that is shown.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 types
	Format, Description  string
	Enum                 []any
	OneOf                []schema
	Items                *schema
	Properties           map[string]schema
	Required             []string
	MinLength, MaxLength *int
	MinItems, MaxItems   *int
	Minimum, Maximum     *float64
	Default              any
}

// types is a type or a list of types.
type types []string

// UnmarshalJSON accepts both forms.
func (t *types) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// name returns the name of the component that a schema refers to.
func (s schema) name() string { return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:] }

// words describes the values that a schema allows.
func (s schema) words() string {
	out := []string{s.typeName()}
	span := func(least, most *int, unit string) {
		switch {
		case least != nil && most != nil:
			out = append(out, fmt.Sprintf("%d to %d %s", *least, *most, unit))
		case most != nil:
			out = append(out, fmt.Sprintf("at most %d %s", *most, unit))
		case least != nil:
			out = append(out, fmt.Sprintf("at least %d %s", *least, unit))
		}
	}
	span(s.MinLength, s.MaxLength, "characters")
	span(s.MinItems, s.MaxItems, "items")
	if s.Minimum != nil && s.Maximum != nil {
		out = append(out, fmt.Sprintf("%g to %g", *s.Minimum, *s.Maximum))
	}
	if s.Default != nil {
		out = append(out, fmt.Sprintf("default %v", s.Default))
	}
	if len(s.Type) > 1 && slices.Contains(s.Type, "null") {
		out = append(out, "or null")
	}
	return strings.Join(out, ", ")
}

func (s schema) typeName() string {
	var names []string
	switch {
	case s.Ref != "":
		return s.name()
	case len(s.Enum) > 0:
		for _, v := range s.Enum {
			names = append(names, fmt.Sprint(v))
		}
		return strings.Join(names, " | ")
	case len(s.OneOf) > 0:
		for _, one := range s.OneOf {
			names = append(names, one.typeName())
		}
		return strings.Join(names, " or ")
	case s.Items != nil:
		return "list of " + s.Items.typeName()
	case s.Format != "":
		return s.Format
	case len(s.Type) > 0:
		return s.Type[0]
	}
	return "any"
}
