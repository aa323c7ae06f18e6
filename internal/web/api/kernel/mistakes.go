package kernel

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

// mistakes finds what huma's validation accepts or does not explain in a body: null where
// it has no meaning, and fields that are not known. huma takes null for an absent field,
// but in a patch they differ.
type mistakes struct {
	schemas huma.Registry
	path    *huma.PathBuffer
	found   []error
}

// mistakesIn returns at most maxDetails mistakes in a body, ordered by place.
func mistakesIn(schemas huma.Registry, s *huma.Schema, path *huma.PathBuffer, parsed any) []error {
	m := mistakes{schemas: schemas, path: path}
	m.value(s, parsed)
	slices.SortStableFunc(m.found, func(a, b error) int { return cmp.Compare(locationOf(a), locationOf(b)) })
	return m.found
}

func locationOf(err error) string {
	var d *huma.ErrorDetail
	if errors.As(err, &d) {
		return d.Location
	}
	return ""
}

func (m *mistakes) add(name, format string, args ...any) {
	at := m.path.String() + "." + name // Pop of the path would stop at a dot in the name
	m.found = append(m.found, &huma.ErrorDetail{Location: at, Message: fmt.Sprintf(format, args...)})
}

func (m *mistakes) value(s *huma.Schema, v any) {
	s = Resolved(m.schemas, s)
	if len(s.OneOf) == 0 {
		m.inside(s, v)
		return
	}
	s = alternative(m.schemas, s, v)
	if s == nil {
		return
	}
	before := len(m.found)
	m.inside(s, v)
	var more huma.ValidateResult // of the body, huma says only that no alternative fits
	huma.Validate(m.schemas, s, m.path, huma.ModeWriteToServer, v, &more)
	m.found = append(m.found, withoutVague(more.Errors[:min(len(more.Errors), maxDetails)], m.found[before:])...)
}

func (m *mistakes) inside(s *huma.Schema, v any) {
	switch v := v.(type) {
	case string:
		m.text(s, v)
	case []any:
		if s.Items == nil {
			return
		}
		for i := 0; i < len(v) && len(m.found) < maxDetails; i++ {
			m.path.PushIndex(i)
			m.value(s.Items, v[i])
			m.path.Pop()
		}
	case map[string]any:
		m.object(s, v)
	}
}

// text finds what makes a text unusable for its format. Services refuse it, too, but only in
// a body without other mistakes.
func (m *mistakes) text(s *huma.Schema, v string) {
	if s.Format == "" || v == "" {
		return
	}
	check := formats[s.Format]
	if check == nil {
		return
	}
	var e *errs.Error
	if errors.As(check("", v), &e) {
		m.found = append(m.found, &huma.ErrorDetail{Location: m.path.String(), Message: e.Details[0].Message})
	}
}

// formats has the checks of texts by the formats of their schemas.
var formats = map[string]func(path, text string) error{
	"uri": docs.CheckWebURL, "emoji": docs.CheckEmoji, "condition": docs.CheckCondition,
}

func (m *mistakes) object(s *huma.Schema, fields map[string]any) {
	closed := s.AdditionalProperties == false
	if len(s.Properties) == 0 && !closed { // any object
		return
	}
	for name, v := range fields {
		p, known := s.Properties[name]
		switch {
		case len(m.found) >= maxDetails:
			return
		case !known && closed:
			m.add(name, "%s", unknownName(name, propertiesOf(s), "field"))
		case !known:
		case v == nil && !nullable(m.schemas, p):
			m.add(name, "must not be null; leave it out instead")
		case v != nil:
			m.path.Push(name)
			m.value(p, v)
			m.path.Pop()
		}
	}
}

// nullable reports whether null has a meaning for a schema.
func nullable(schemas huma.Registry, s *huma.Schema) bool {
	s = Resolved(schemas, s)
	return s.Nullable || s.Type == "" && len(s.OneOf) == 0 && len(s.Enum) == 0 ||
		slices.Contains(s.Enum, nil) || slices.ContainsFunc(s.OneOf, func(o *huma.Schema) bool { return nullable(schemas, o) })
}

func propertiesOf(s *huma.Schema) []string {
	out := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// unknownName returns the message for a name that is not known: the nearest of the known
// ones, or else all of them. what they are is a word such as field.
func unknownName(name string, known []string, what string) string {
	if near := names.Nearest(name, known); near != "" {
		return "is not known here; did you mean " + near + "?"
	}
	if len(known) == 0 {
		return "is not known here; there are no " + what + "s"
	}
	return "is not known here; known are " + strings.Join(known, ", ")
}

// alternative returns the only schema of several that accepts values of the type that v
// has, or nil if there is not exactly one. Errors can then name places in the value.
func alternative(schemas huma.Registry, s *huma.Schema, v any) *huma.Schema {
	kind := ""
	switch v.(type) {
	case string:
		kind = huma.TypeString
	case []any:
		kind = huma.TypeArray
	case map[string]any:
		kind = huma.TypeObject
	}
	var out *huma.Schema
	for _, o := range s.OneOf {
		if o = Resolved(schemas, o); o.Type != kind {
			continue
		}
		if out != nil {
			return nil
		}
		out = o
	}
	return out
}

// withoutVague drops errors of huma's validation that are explained by the mistakes found
// in the same body.
func withoutVague(found, mistakes []error) []error {
	return slices.DeleteFunc(found, func(err error) bool {
		var d *huma.ErrorDetail
		if !errors.As(err, &d) {
			return false
		}
		switch d.Message {
		case validation.MsgUnexpectedProperty:
			return len(mistakes) > 0
		case validation.MsgExpectedMatchExactlyOneSchema:
			return slices.ContainsFunc(mistakes, func(m error) bool {
				inside, is := strings.CutPrefix(locationOf(m), d.Location)
				return is && (inside == "" || inside[0] == '.' || inside[0] == '[')
			})
		}
		return false
	})
}
