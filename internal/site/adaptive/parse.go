package adaptive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// parser parses a schema and records the first error. An unknown keyword is an error, because
// ignoring it would promise a check that is not made.
type parser struct {
	properties, values int
	err                error
}

func (p *parser) fail(path, format string, args ...any) {
	if p.err == nil {
		p.err = errs.Field(path, format, args...)
	}
}

// member is a key of a JSON object with its value.
type member struct {
	key   string
	value json.RawMessage
}

type members []member

func (m members) get(key string) (json.RawMessage, bool) {
	for _, it := range m {
		if it.key == key {
			return it.value, true
		}
	}
	return nil, false
}

func (p *parser) root(path string, b []byte) claim {
	switch {
	case len(b) > MaxBytes:
		p.fail(path, "is larger than %s", errs.Size(MaxBytes))
	case !json.Valid(b) || !utf8.Valid(b):
		p.fail(path, "is not valid JSON")
	}
	if p.err != nil {
		return claim{}
	}
	m := p.object(path, b)
	p.only(path, m, "$schema", "type", "properties", "additionalProperties")
	if draft, ok := m.get("$schema"); ok && p.text(path+".$schema", draft) != Draft {
		p.fail(path+".$schema", "must be %s", Draft)
	}
	p.is(path, m, object)
	root := claim{kind: object, properties: p.children(path, m, 1)}
	if u := root.property(unsignedName); u != nil && u.kind != object {
		p.fail(path+".properties."+unsignedName, "must be an object: it holds the claims that visitors set themselves")
	}
	return root
}

// claim parses a declaration. The depth is the number of names on the path to it.
func (p *parser) claim(path string, b []byte, depth int) claim {
	m := p.object(path, b)
	if p.err != nil {
		return claim{}
	}
	c := p.described(path, m)
	switch c.kind {
	case array:
		p.only(path, m, "type", "description", "items")
		items, ok := m.get("items")
		if !ok {
			p.fail(path+".items", "is required")
			return c
		}
		inner := p.object(path+".items", items)
		item := p.described(path+".items", inner)
		if item.kind == array || item.kind == object {
			p.fail(path+".items.type", "must be boolean, string or number")
		}
		p.primitive(path+".items", inner, &item)
		c.items = &item
	case object:
		p.only(path, m, "type", "description", "properties", "additionalProperties")
		c.properties = p.children(path, m, depth+1)
	default:
		p.primitive(path, m, &c)
	}
	return c
}

// described parses the keys that every declaration has.
func (p *parser) described(path string, m members) claim {
	p.known(path, m)
	b, ok := m.get("type")
	if !ok {
		p.fail(path+".type", "is required")
		return claim{}
	}
	c := claim{kind: kind(p.text(path+".type", b))}
	if !slices.Contains([]kind{boolean, text, number, array, object}, c.kind) {
		p.fail(path+".type", "must be one of boolean, string, number, array, object")
	}
	b, ok = m.get("description")
	if !ok {
		p.fail(path+".description", "is required: authors read what the claim means")
		return c
	}
	c.description = p.text(path+".description", b)
	if utf8.RuneCountInString(c.description) > MaxDescription {
		p.fail(path+".description", "must not be longer than %d characters", MaxDescription)
	}
	return c
}

func (p *parser) primitive(path string, m members, c *claim) {
	if c.kind != text {
		p.only(path, m, "type", "description")
		return
	}
	p.only(path, m, "type", "description", "enum")
	b, ok := m.get("enum")
	if !ok {
		return
	}
	if c.values = p.texts(path+".enum", b); len(c.values) == 0 {
		p.fail(path+".enum", "must have at least one value")
	}
	if p.values += len(c.values); p.values > MaxValues {
		p.fail(path+".enum", "has too many values: a schema has %d at most", MaxValues)
		return
	}
	for i, v := range c.values {
		at := fmt.Sprintf("%s.enum[%d]", path, i)
		if utf8.RuneCountInString(v) > MaxValue || !printable(v) {
			p.fail(at, "must have at most %d characters, all of them printable", MaxValue)
		}
		if slices.Contains(c.values[:i], v) {
			p.fail(at, "is there twice")
		}
	}
}

// children parses the properties of an object.
func (p *parser) children(path string, m members, depth int) []property {
	if b, ok := m.get("additionalProperties"); !ok || string(bytes.TrimSpace(b)) != "false" {
		p.fail(path+".additionalProperties", "must be false")
	}
	b, ok := m.get("properties")
	if !ok {
		p.fail(path+".properties", "is required")
		return nil
	}
	path += ".properties"
	var out []property
	for _, it := range p.object(path, b) {
		at := path + "." + docs.Clip(it.key, MaxName)
		p.properties++
		switch {
		case p.properties > MaxProperties:
			p.fail(at, "is one too many: a schema has at most %d properties", MaxProperties)
		case depth > MaxDepth:
			p.fail(at, "is nested deeper than %d levels", MaxDepth)
		case !validName(it.key):
			p.fail(at, "is not a possible name: it has at most %d printable characters, no dots, and is not length, $ref, or a name that leads to prototypes", MaxName)
		}
		if p.err != nil {
			return nil
		}
		out = append(out, property{it.key, p.claim(at, it.value, depth)})
	}
	return out
}

// validName reports whether expressions can read a property with this name. A dot separates
// names in parameters, and length is a property of lists and texts.
func validName(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= MaxName && printable(s) && !strings.Contains(s, ".") &&
		s != "length" && s != "$ref" && !prototypeName(s)
}

func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) < 0
}

// is checks that an object has the required type.
func (p *parser) is(path string, m members, want kind) {
	b, ok := m.get("type")
	if !ok || p.text(path+".type", b) != string(want) {
		p.fail(path+".type", "must be %s", want)
	}
}

// known refuses keywords that no declaration has.
func (p *parser) known(path string, m members) {
	p.only(path, m, "type", "description", "enum", "items", "properties", "additionalProperties")
}

func (p *parser) only(path string, m members, keys ...string) {
	for _, it := range m {
		switch {
		case it.key == "$ref":
			p.fail(path+".$ref", "is not possible: a schema refers to nothing")
		case !slices.Contains(keys, it.key):
			p.fail(path+"."+docs.Clip(it.key, MaxName), "is not possible here: only %s are", strings.Join(keys, ", "))
		}
	}
}

// object returns the members of a JSON object in their order.
func (p *parser) object(path string, b []byte) members {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		p.fail(path, "must be an object")
		return nil
	}
	var out members
	for d.More() && p.err == nil {
		t, _ := d.Token()
		key, _ := t.(string)
		it := member{key: key}
		if err := d.Decode(&it.value); err != nil {
			p.fail(path, "is not valid JSON")
		}
		if _, twice := out.get(key); twice {
			p.fail(path+"."+docs.Clip(key, MaxName), "is there twice")
		}
		if out = append(out, it); len(out) > MaxProperties {
			p.fail(path, "has too many members")
		}
	}
	return out
}

func (p *parser) text(path string, b []byte) string {
	var s *string
	if err := json.Unmarshal(b, &s); err != nil || s == nil {
		p.fail(path, "must be a text")
		return ""
	}
	return *s
}

func (p *parser) texts(path string, b []byte) []string {
	var list []*string
	if err := json.Unmarshal(b, &list); err != nil || slices.Contains(list, nil) {
		p.fail(path, "must be a list of texts")
		return nil
	}
	var out []string
	for _, s := range list {
		out = append(out, *s)
	}
	return out
}
