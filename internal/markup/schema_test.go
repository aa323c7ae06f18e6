package markup

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/golden"
)

const schemaFile = "testdata/blocks.json"

func TestSchema(t *testing.T) {
	b, err := json.MarshalIndent(ExportSchema(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, schemaFile, append(b, '\n'))
}

// A document in the form of clients conforms to the schema as it is exported.
func TestDocumentsConformToTheSchema(t *testing.T) {
	c := conformance{types: map[string]SchemaType{}}
	b, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &c.schema); err != nil {
		t.Fatal(err)
	}
	for _, typ := range c.schema.Types {
		c.types[typ.Object+" "+typ.Name] = typ
	}
	source, err := os.ReadFile("testdata/everything.md")
	if err != nil {
		t.Fatal(err)
	}
	b, err = json.Marshal(Parse(source, Refs{}))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	c.nodes("nodes", doc["nodes"], SchemaType{Holds: ObjectBlock})
	for _, e := range c.errors {
		t.Error(e)
	}
	if c.count < 100 {
		t.Errorf("only %d nodes were checked", c.count)
	}
	c.errors = nil
	odd := map[string]any{"object": "block", "type": "hint", "isVoid": false, "data": map[string]any{"style": "odd"}, "nodes": []any{}}
	c.nodes("nodes", []any{odd}, SchemaType{Holds: ObjectBlock})
	if len(c.errors) != 1 {
		t.Errorf("a hint with a style that is none has the errors %v", c.errors)
	}
}

// conformance checks nodes by the exported data only.
type conformance struct {
	schema Schema
	types  map[string]SchemaType
	count  int
	errors []string
}

func (c *conformance) fail(at, format string, args ...any) {
	c.errors = append(c.errors, at+": "+fmt.Sprintf(format, args...))
}

func (c *conformance) nodes(at string, v any, in SchemaType) {
	list, _ := v.([]any)
	if in.One && len(list) != 1 {
		c.fail(at, "%d nodes, not one", len(list))
	}
	for i, v := range list {
		at := fmt.Sprintf("%s[%d]", at, i)
		n := v.(map[string]any)
		object, _ := n["object"].(string)
		if object == ObjectText && in.Holds == ObjectInline {
			continue
		}
		typ, known := c.types[object+" "+fmt.Sprint(n["type"])]
		switch {
		case !known || object != in.Holds:
			c.fail(at, "%s %v in a %s of %ss", object, n["type"], in.Name, in.Holds)
			continue
		case in.Only != nil && !slices.Contains(in.Only, typ.Name) || typ.In != nil && !slices.Contains(typ.In, in.Name):
			c.fail(at, "%s in %s", typ.Name, in.Name)
		case n["isVoid"] != typ.IsVoid || typ.IsVoid && n["nodes"] != nil:
			c.fail(at, "void: %v", n["isVoid"])
		}
		c.count++
		c.object(at+".data", n["data"], typ.Fields, typ.Open)
		c.nodes(at+".nodes", n["nodes"], typ)
		fragments, _ := n["fragments"].([]any)
		for _, v := range fragments {
			f := v.(map[string]any)
			named := func(s SchemaFragment) bool { return s.Name == f["fragment"] || s.Name == f["type"] }
			if !typ.Cells && !slices.ContainsFunc(typ.Fragments, named) {
				c.fail(at, "fragment %v", f["fragment"])
			}
			c.nodes(at+".fragments", f["nodes"], SchemaType{Holds: ObjectBlock})
		}
	}
}

func (c *conformance) object(at string, v any, fields []SchemaField, open bool) {
	m, ok := v.(map[string]any)
	if !ok {
		c.fail(at, "%v is no object", v)
	}
	rest := len(m)
	for _, f := range fields {
		v, has := m[f.Name]
		switch {
		case !has && f.Required:
			c.fail(at, "lacks %s", f.Name)
		case has:
			rest--
			c.value(at+"."+f.Name, v, f.SchemaValue)
		}
	}
	if rest > 0 && !open {
		c.fail(at, "has fields that are not known: %v", m)
	}
}

func (c *conformance) value(at string, v any, s *SchemaValue) {
	if s.Or != nil { // either form
		other := conformance{schema: c.schema}
		if other.value(at, v, s.Or); len(other.errors) == 0 {
			return
		}
	}
	text, isText := v.(string)
	number, isNumber := v.(float64)
	m, isObject := v.(map[string]any)
	list, isList := v.([]any)
	_, isFlag := v.(bool)
	ok := true
	switch s.Type {
	case "string", "anchor", "date", "address":
		ok = isText && (s.Values == nil || slices.Contains(s.Values, text)) && (s.MaxBytes == 0 || len(text) <= s.MaxBytes)
	case "boolean":
		ok = isFlag
	case "number":
		ok = isNumber && (!s.Whole || number == math.Trunc(number) && number >= *s.Min && number <= *s.Max)
	case "length":
		ok = isNumber || isObject && m["unit"] != nil && m["value"] != nil
	case "reference":
		kind, _ := m["kind"].(string)
		ok = isObject && slices.Contains(s.Kinds, kind)
		for name := range m {
			ok = ok && (name == "kind" || slices.Contains(c.schema.References[kind], name))
		}
	case "list":
		ok = isList
		for _, v := range list {
			c.value(at, v, s.Each)
		}
	case "map":
		ok = isObject
		for key, v := range m {
			if s.Each != nil {
				c.value(at+"."+key, v, s.Each)
			}
		}
	case "object":
		c.object(at, v, s.Fields, s.Open)
	default:
		ok = false
	}
	if !ok {
		c.fail(at, "%v is no %s", v, s.Type)
	}
}

// Each field holds the kind of values that its accessor reads.
func TestFieldsHoldWhatTheirAccessorsRead(t *testing.T) {
	reads := map[valueKind]valueKind{anchorKind: textKind, dateKind: textKind, addressKind: textKind, mapKind: objectKind}
	for name, typ := range sortedPairs(nodeTypes) {
		for key, f := range sortedPairs(typ.fields) {
			kind := f.kind
			if as, ok := reads[kind]; ok {
				kind = as
			}
			if key == "action" && name == "button" {
				continue // an object for clients, flat in a node
			}
			if kind != f.holds() {
				t.Errorf("%s.%s is declared as %s and holds %s", name, key, f.holds(), kind)
			}
		}
	}
}
