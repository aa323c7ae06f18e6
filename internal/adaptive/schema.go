// Package adaptive is what a site knows of its visitors: the schema of their
// claims, the claims that conditions read, and which conditions the schema allows.
//
// Signed claims are what a site owner's backend asserts. Unsigned claims come from
// the address and from cookies, so a visitor can set them; they are kept apart
// under the name unsigned, and only those that the schema declares are kept.
package adaptive

import (
	"bytes"
	"encoding/json"
)

// Limits of a schema.
const (
	MaxBytes       = 64 << 10
	MaxDepth       = 5   // names from claims to a value, unsigned included
	MaxProperties  = 200 // in the whole schema
	MaxValues      = 500 // of all enumerations
	MaxName        = 64
	MaxValue       = 128 // characters of a value of an enumeration
	MaxDescription = 512
)

// Draft is the one version of JSON Schema that a schema may name.
const Draft = "http://json-schema.org/draft-07/schema#"

// unsignedName is the property of claims that visitors set themselves.
const unsignedName = "unsigned"

// Schema declares the claims of visitors. A nil Schema declares none.
type Schema struct {
	source []byte
	root   claim
}

// MarshalJSON implements json.Marshaler; it returns the schema as it was written,
// without insignificant space.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.source, nil }

type kind string

const (
	boolean kind = "boolean"
	text    kind = "string"
	number  kind = "number"
	array   kind = "array"
	object  kind = "object"
)

// claim is a declared value.
type claim struct {
	kind        kind
	description string
	values      []string   // of text with an enumeration
	items       *claim     // of an array
	properties  []property // of an object, in the order of the schema
}

type property struct {
	name string
	claim
}

// property returns the property of a name, or nil.
func (c *claim) property(name string) *claim {
	for i := range c.properties {
		if c.properties[i].name == name {
			return &c.properties[i].claim
		}
	}
	return nil
}

// deterministic reports whether a claim has a known number of values, so that a
// condition on it divides visitors into known groups.
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

// Parse reads a schema. path is where it is in the request; errors name the place
// in it.
func Parse(path string, source []byte) (*Schema, error) {
	p := parser{}
	root := p.root(path, source)
	if p.err != nil {
		return nil, p.err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, source); err != nil {
		return nil, err // the parser has read it
	}
	return &Schema{source: b.Bytes(), root: root}, nil
}
