package markup

import (
	"errors"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
)

// A Type describes a type of block or inline, for people who write documents.
type Type struct {
	Name   string
	Inline bool
	PartOf string   // the only parent that is allowed, such as "a list"; empty: any
	Holds  string   // the kind of its nodes; empty: it has none
	Fields []Field  // of its data
	Parts  []string // names of its fragments
	Open   bool     // the data may have other fields
}

// A Field describes one field of the data of a type.
type Field struct {
	Name, Takes string
	Required    bool
}

// Types returns the types that Decode accepts, blocks first, sorted by name.
func Types() []Type {
	var out []Type
	add := func(types map[string]*nodeType, inline bool) {
		for _, row := range sortedPairs(types) {
			t := typeOf(row)
			t.Inline = inline
			out = append(out, t)
		}
	}
	add(blockTypes, false)
	add(inlineTypes, true)
	return out
}

// MarkTypes returns the types of marks.
func MarkTypes() []string { return slices.Clone(markTypes) }

func typeOf(s *nodeType) Type {
	t := Type{Name: s.name, PartOf: s.partOf, Open: !s.closed}
	switch {
	case len(s.parts) > 0 && s.single:
		t.Holds = "one " + s.parts[0]
	case len(s.parts) > 0:
		t.Holds = strings.Join(s.parts, ", ")
	case s.holds == holdsBlocks:
		t.Holds = "blocks"
	case s.holds == holdsInlines:
		t.Holds = "texts and inlines"
	}
	for name, f := range sortedPairs(s.fields) {
		t.Fields = append(t.Fields, Field{name, f.accepts(), f.required})
	}
	for _, f := range s.fragments {
		t.Parts = append(t.Parts, f.name)
	}
	if s.cells {
		t.Parts = append(t.Parts, "one for each cell of text")
	}
	return t
}

// accepts returns a description of the values of the type. It is taken
// from the error for an invalid value, so that there is one text for both.
func (r *valueType) accepts() string {
	if inner := r.rejection([]any{nil}); inner != r.rejection(nil) {
		return "list; each " + inner
	}
	if kinds := r.rejection(map[string]any{}); strings.HasPrefix(kinds, "one of ") && kinds != r.rejection(nil) {
		return "reference of kind " + strings.TrimPrefix(kinds, "one of ")
	}
	return r.rejection(nil)
}

// rejection returns the reason for which a value is rejected, without the
// surrounding words.
func (r *valueType) rejection(v any) string {
	_, err := r.read(&decoder{}, v)
	var e *errs.Error
	if !errors.As(err, &e) {
		return ""
	}
	text := e.Message
	if len(e.Details) > 0 {
		text = e.Details[0].Message
	}
	_, text, _ = strings.Cut(text, "must be ")
	for _, article := range []string{"a ", "an "} {
		text = strings.TrimPrefix(text, article)
	}
	return text
}
