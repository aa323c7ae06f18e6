// Package adaptive handles the claims of visitors of a site: the schema of the claims, the
// claims that conditions read, and the conditions that the schema allows.
//
// Signed claims are asserted by the backend of a site owner. Unsigned claims come from the
// address and from cookies, so a visitor can set them. They are kept separate under the name
// unsigned, and only those that the schema declares are kept.
//
// Where a change goes:
//   - what conditions know of visitors: the schema in parse.go, claims in claims.go,
//     addresses and cookies in unsigned.go
package adaptive

import (
	"bytes"
	"encoding/json"
)

// Limits of a schema.
const (
	MaxBytes       = 64 << 10
	MaxDepth       = 5   // names on the path of a value, including unsigned
	MaxProperties  = 200 // in the whole schema
	MaxValues      = 500 // of all enumerations together
	MaxName        = 64
	MaxValue       = 128 // characters of a value of an enumeration
	MaxDescription = 512
)

// Draft is the only version of JSON Schema that a schema may name.
const Draft = "http://json-schema.org/draft-07/schema#"

// unsignedName is the property of the claims that visitors set themselves.
const unsignedName = "unsigned"

// Schema declares the claims of visitors. A nil Schema declares none.
type Schema struct {
	source []byte
	root   claim
}

// MarshalJSON implements json.Marshaler. It returns the source of the schema without
// insignificant space.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.source, nil }

type kind string

const (
	boolean kind = "boolean"
	text    kind = "string"
	number  kind = "number"
	array   kind = "array"
	object  kind = "object"
)

// claim is the declaration of a value.
type claim struct {
	kind        kind
	description string
	values      []string   // of a text with an enumeration
	items       *claim     // of an array
	properties  []property // of an object, in the order of the schema
}

type property struct {
	name string
	claim
}

// property returns the property with a name, or nil.
func (c *claim) property(name string) *claim {
	for i := range c.properties {
		if c.properties[i].name == name {
			return &c.properties[i].claim
		}
	}
	return nil
}

// deterministic reports whether a claim has a finite set of values, so that a condition divides
// visitors into a known number of groups.
func (c *claim) deterministic() bool {
	switch c.kind {
	case boolean:
		return true
	case text:
		return c.values != nil
	case array:
		return c.items.deterministic()
	case object:
		for i := range c.properties {
			if !c.properties[i].deterministic() {
				return false
			}
		}
		return true
	}
	return false
}

// Parse parses a schema. The path is the place of the schema in the request. Errors name the
// place in the schema, too.
func Parse(path string, source []byte) (*Schema, error) {
	p := parser{}
	root := p.root(path, source)
	if p.err != nil {
		return nil, p.err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, source); err != nil {
		return nil, err // cannot happen, because the parser has read the source
	}
	return &Schema{source: b.Bytes(), root: root}, nil
}
