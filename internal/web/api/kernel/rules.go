package kernel

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// rules completes the schemas of an input with what holds for all of them, so that no
// operation has to declare it.
type rules struct {
	operation string
	schemas   huma.Registry
	seen      map[*huma.Schema]bool
}

// blank is the pattern of texts that must have a character other than a space.
const (
	blank        = `\S`
	blankMessage = "not blank"
)

// body completes the schema of a body: a text with a minimum length must not consist of
// spaces, and null is allowed for the fields of t with the tag null:"ok".
func (r *rules) body(t reflect.Type, s *huma.Schema) {
	r.nulls(t, s)
	r.texts(s)
}

func (r *rules) texts(s *huma.Schema) {
	s = Resolved(r.schemas, s)
	if r.seen[s] {
		return
	}
	r.seen[s] = true
	if s.Type == huma.TypeString && s.MinLength != nil && *s.MinLength > 0 && s.Pattern == "" && len(s.Enum) == 0 {
		s.Pattern, s.PatternDescription = blank, blankMessage
		s.PrecomputeMessages()
	}
	r.described(s)
	for _, p := range s.Properties {
		r.texts(p)
	}
	for _, o := range s.OneOf {
		r.texts(o)
	}
	if s.Items != nil {
		r.texts(s.Items)
	}
	if more, is := s.AdditionalProperties.(*huma.Schema); is {
		r.texts(more)
	}
}

// described panics if a pattern is not described: messages must not contain patterns,
// which most people cannot read.
func (r *rules) described(s *huma.Schema) {
	if s.Pattern != "" && s.PatternDescription == "" {
		panic(fmt.Sprintf("operation %s: the pattern %s has no patternDescription", r.operation, s.Pattern))
	}
}

// nulls allows null for the fields of a struct with the tag null:"ok". For fields that
// are not objects, the tag nullable:"true" does it.
func (r *rules) nulls(t reflect.Type, s *huma.Schema) {
	if t.Kind() != reflect.Struct {
		return
	}
	properties := Resolved(r.schemas, s).Properties
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if p := properties[name]; p != nil && f.Tag.Get("null") == "ok" {
			c := *Resolved(r.schemas, p)
			c.Nullable, c.Description = true, p.Description
			properties[name] = &c
		}
	}
}
