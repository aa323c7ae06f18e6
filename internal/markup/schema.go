package markup

import (
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Schema is the table of types as data, from which editors build their own schema. It
// describes what Decode accepts, but for the limits of sizes.
type Schema struct {
	Types []SchemaType `json:"types"`
	Marks []SchemaMark `json:"marks"`
	// References has the fields of each kind of reference. The first one is required.
	References map[string][]string `json:"references"`
}

// SchemaType is a type of block or inline.
type SchemaType struct {
	Name   string `json:"name"`
	Object string `json:"object"` // block or inline
	IsVoid bool   `json:"isVoid"`
	// Holds is the kind of its nodes: block, inline (and texts), or empty.
	Holds string `json:"holds,omitempty"`
	// Only has the types of its nodes, if others are not allowed; One: exactly one node.
	Only []string `json:"only,omitempty"`
	One  bool     `json:"one,omitempty"`
	// In has the types that it is allowed in, if others are not.
	In        []string         `json:"in,omitempty"`
	Fields    []SchemaField    `json:"fields,omitempty"`
	Fragments []SchemaFragment `json:"fragments,omitempty"`
	// Cells is set if its fragments have the names that the cells of a table have.
	Cells bool `json:"cells,omitempty"`
	// Open is set if its data may have other fields, which are kept.
	Open bool `json:"open,omitempty"`
}

// SchemaFragment is a slot for blocks.
type SchemaFragment struct {
	Name     string `json:"name"`
	Required bool   `json:"required,omitempty"`
}

// SchemaMark is a type of marks.
type SchemaMark struct {
	Name   string        `json:"name"`
	Fields []SchemaField `json:"fields,omitempty"`
}

// SchemaField is a field of an object.
type SchemaField struct {
	Name     string `json:"name"`
	Required bool   `json:"required,omitempty"`
	Default  any    `json:"default,omitempty"` // what an object without the field means
	*SchemaValue
}

// SchemaValue is a type of values.
type SchemaValue struct {
	Type     string        `json:"type"`
	Values   []string      `json:"values,omitempty"`   // of a string: all that are allowed
	MaxBytes int           `json:"maxBytes,omitempty"` // of a string
	Whole    bool          `json:"whole,omitempty"`    // of a number
	Min      *float64      `json:"min,omitempty"`
	Max      *float64      `json:"max,omitempty"`
	Kinds    []string      `json:"kinds,omitempty"`  // of a reference
	Each     *SchemaValue  `json:"each,omitempty"`   // of a list or a map
	Fields   []SchemaField `json:"fields,omitempty"` // of an object
	Open     bool          `json:"open,omitempty"`   // an object that may have other fields
	Or       *SchemaValue  `json:"or,omitempty"`     // another form
}

// ExportSchema returns the table of types as data.
func ExportSchema() Schema {
	s := Schema{References: map[string][]string{}}
	for _, table := range []struct {
		object string
		types  []nodeType
	}{{ObjectBlock, blockTable}, {ObjectInline, inlineTable}} {
		for _, t := range table.types {
			s.Types = append(s.Types, t.schema(table.object))
		}
	}
	for _, mark := range markTypes {
		s.Marks = append(s.Marks, SchemaMark{mark, markFields[mark].schema()})
	}
	for _, kind := range refKinds {
		s.References[kind] = docs.RefFields(kind)
	}
	return s
}

func (t *nodeType) schema(object string) SchemaType {
	out := SchemaType{
		Name: t.name, Object: object, IsVoid: t.void, Only: t.parts, One: t.single,
		Fields: t.fields.schema(), Cells: t.cells, Open: !t.closed,
		Holds: [...]string{holdsNothing: "", holdsInlines: ObjectInline, holdsBlocks: ObjectBlock}[t.holds],
	}
	if t.partOf != "" {
		for _, parent := range blockTable {
			if slices.Contains(parent.parts, t.name) {
				out.In = append(out.In, parent.name)
			}
		}
	}
	for _, f := range t.fragments {
		out.Fragments = append(out.Fragments, SchemaFragment{f.name, f.required})
	}
	return out
}

func (fs fields) schema() (out []SchemaField) {
	for _, name := range slices.Sorted(maps.Keys(fs)) {
		f := fs[name]
		out = append(out, SchemaField{name, f.required, f.otherwise, f.schema()})
	}
	return out
}

func (v *valueType) schema() *SchemaValue {
	out := &SchemaValue{
		Type: string(v.kind), Values: v.values, MaxBytes: v.maxBytes, Whole: v.whole, Kinds: v.kinds,
		Fields: v.fields.schema(), Open: v.kind == objectKind && !v.closed,
	}
	if v.whole {
		out.Min, out.Max = &v.low, &v.high
	}
	if v.each != nil {
		out.Each = v.each.schema()
	}
	if v.or != nil {
		out.Or = v.or.schema()
	}
	return out
}
