package openapi

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// Example is an example value of a body.
type Example struct {
	Name      string // "" for an only example and for a generated one
	Summary   string
	Text      string // Markdown
	Generated bool
	value     *node
}

// Direction is the direction in which a value is sent. It matters because properties can
// be read-only or write-only.
type Direction uint8

// The directions.
const (
	InRequest Direction = iota
	InResponse
)

// given returns the example that is written in a schema, a parameter or a media type, or
// nil.
func given(n *node) *node {
	if e := n.get("example"); e != nil {
		return e
	}
	if e := n.get("x-example"); e != nil {
		return e
	}
	if all := n.get("examples").items(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// givenExamples returns the examples that are written in a media type.
func (d *Description) givenExamples(p fileNode) []Example {
	if e := p.n.get("example"); e != nil {
		return []Example{{value: e}}
	}
	all := p.get("examples")
	if all.n == nil || all.n.kind != object {
		return nil
	}
	var out []Example
	for i, name := range all.n.keys {
		e, _ := d.src.follow(fileNode{all.f, all.n.kids[i]})
		if v := e.n.get("value"); v != nil {
			out = append(out, Example{Name: name, Summary: e.n.str("summary"), Text: e.n.str("description"), value: v})
		}
	}
	return out
}

// Examples returns the examples that are written in the media type. If there are none, it
// generates one from the schema; the result is deterministic.
func (m Media) Examples(d Direction) []Example {
	if len(m.examples) > 0 {
		return m.examples
	}
	if m.Schema.IsZero() || !m.isJSON() && !m.isForm() {
		return nil
	}
	if v := m.Schema.example(d); v != nil {
		return []Example{{Generated: true, value: v}}
	}
	return nil
}

func (m Media) isJSON() bool {
	return strings.Contains(m.Type, "json") || m.Type == "*/*"
}

func (m Media) isForm() bool {
	return strings.HasPrefix(m.Type, "application/x-www-form-urlencoded") || strings.HasPrefix(m.Type, "multipart/form-data")
}

// JSON returns the value as indented JSON.
func (e Example) JSON() string { return e.value.indented() }

// Body returns the value as it is sent with the given media type: JSON, or the plain text
// of a string if the media type is not JSON. It is truncated to maxExample bytes.
func (e Example) Body(mediaType string) string {
	s := ""
	if e.value.kind == text && !strings.Contains(mediaType, "json") {
		s = e.value.text
	} else {
		s = e.value.indented()
	}
	if len(s) > maxExample {
		s = strings.ToValidUTF8(s[:maxExample], "") + "\n…"
	}
	return s
}

// example generates a value for a schema, or returns nil.
func (s Schema) example(d Direction) *node {
	m := &exampleMaker{direction: d, left: maxExampleNodes, above: map[SchemaID]bool{}}
	return m.value(s, 0)
}

// exampleMaker generates examples.
type exampleMaker struct {
	direction Direction
	left      int
	looked    int               // properties visited
	above     map[SchemaID]bool // ancestors of the current schema
}

// value returns an example. It returns nil for a schema that contains itself, for one
// that is nested too deep, and when the limit of nodes is reached.
func (m *exampleMaker) value(s Schema, depth int) *node {
	id := s.ID()
	if s.IsZero() {
		return &node{kind: object}
	}
	if m.above[id] || depth > maxExampleDepth || m.left <= 0 {
		return nil
	}
	m.left--
	m.above[id] = true
	defer delete(m.above, id)
	v := s.View()
	if v.example != nil {
		return v.example
	}
	if v.fallback != nil && v.fallback.kind != null {
		return v.fallback
	}
	if n := firstOf(v); n != nil {
		return n
	}
	if len(v.Properties) == 0 {
		for _, o := range v.Options {
			if n := m.value(o.Schema, depth+1); n != nil {
				return n
			}
		}
	}
	return m.generate(v, depth)
}

// firstOf returns the first value of enum or the value of const, or nil.
func firstOf(v *View) *node {
	if v.Const == "" && len(v.Enum) == 0 {
		return nil
	}
	value := v.Const
	if len(v.Enum) > 0 {
		value = v.Enum[0].Text
	}
	k := text
	for _, t := range v.Types {
		switch t {
		case "integer", "number":
			k = number
		case "boolean":
			k = boolean
		}
	}
	return &node{kind: k, text: value}
}

func (m *exampleMaker) generate(v *View, depth int) *node {
	kind := ""
	if len(v.Types) > 0 {
		kind = v.Types[0]
	}
	switch {
	case kind == "object" || kind == "" && (len(v.Properties) > 0 || !v.Additional.IsZero()):
		return m.object(v, depth)
	case kind == "array" || kind == "" && !v.Items.IsZero():
		n := &node{kind: list}
		if one := m.value(v.Items, depth+1); one != nil {
			n.kids = []*node{one}
		}
		return n
	case kind == "integer" || kind == "number":
		return &node{kind: number, text: v.numberExample(kind)}
	case kind == "boolean":
		return &node{kind: boolean, text: "true"}
	case kind == "string" || kind == "file":
		return &node{kind: text, text: v.textExample()}
	}
	return &node{kind: object}
}

func (m *exampleMaker) object(v *View, depth int) *node {
	n := &node{kind: object}
	add := func(name string, s Schema) {
		if one := m.value(s, depth+1); one != nil {
			n.keys, n.kids = append(n.keys, name), append(n.kids, one)
		}
	}
	for _, p := range v.Properties {
		if m.left <= 0 || m.looked >= 10*maxExampleNodes {
			break
		}
		m.looked++
		if p.Pattern || m.above[p.Schema.ID()] {
			continue
		}
		flags := p.Schema.View()
		if flags.ReadOnly && m.direction == InRequest || flags.WriteOnly && m.direction == InResponse || flags.Deprecated && !p.Required {
			continue
		}
		add(p.Name, p.Schema)
	}
	if len(v.Properties) > 0 {
		for _, o := range v.Options[:min(len(v.Options), 1)] {
			if one := m.value(o.Schema, depth+1); one != nil && one.kind == object {
				for i, k := range one.keys {
					if n.get(k) == nil {
						n.keys, n.kids = append(n.keys, k), append(n.kids, one.kids[i])
					}
				}
			}
		}
	}
	if len(n.keys) == 0 && !v.Additional.IsZero() {
		add("key", v.Additional)
	}
	return n
}

func (v *View) numberExample(kind string) string {
	for _, name := range []string{"min", "max"} {
		for _, c := range v.Constraints {
			if c.Name == name {
				return c.Value
			}
		}
	}
	if kind == "number" {
		return "1.5"
	}
	return "1"
}

// formats are example strings by format.
var formats = map[string]string{
	"date-time": "2026-01-15T09:30:00Z", "date": "2026-01-15", "time": "09:30:00Z", "duration": "PT1H", "email": "user@example.com",
	"uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6", "uri": "https://example.com", "url": "https://example.com", "uri-reference": "/path",
	"hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "aGVsbG8=", "binary": "<binary>", "password": "********",
}

func (v *View) textExample() string {
	if s := formats[v.Format]; s != "" {
		return s
	}
	return "text"
}

// short returns a value on one line: a scalar without quotes, other values as JSON.
func (n *node) short() string {
	if n.kind == list || n.kind == object {
		s := string(n.appendJSON(nil, "", "", maxExample))
		return docs.ClipBytes(s, 500)
	}
	if n.kind == null {
		return "null"
	}
	return docs.ClipBytes(n.text, 500)
}

func (n *node) indented() string { return string(n.appendJSON(nil, "\n", "  ", 2*maxExample)) }

// appendJSON appends a value as JSON. newline is the line break with the current
// indentation; if it is empty, everything is on one line. Values after most bytes are
// omitted.
func (n *node) appendJSON(b []byte, newline, step string, most int) []byte {
	switch n.kind {
	case null:
		return append(b, "null"...)
	case boolean, number:
		return append(b, n.text...)
	case text:
		return jsontext.AppendString(b, n.text)
	}
	open, end := byte('['), byte(']')
	if n.kind == object {
		open, end = '{', '}'
	}
	b = append(b, open)
	inner := newline
	if newline != "" {
		inner += step
	}
	for i, kid := range n.kids {
		if len(b) > most {
			break
		}
		if i > 0 {
			b = append(b, ',')
			if newline == "" {
				b = append(b, ' ')
			}
		}
		b = append(b, inner...)
		if n.kind == object {
			b = append(jsontext.AppendString(b, n.keys[i]), ':', ' ')
		}
		b = kid.appendJSON(b, inner, step, most)
	}
	if len(n.kids) > 0 {
		b = append(b, newline...)
	}
	return append(b, end)
}
