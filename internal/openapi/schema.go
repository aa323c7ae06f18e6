package openapi

import (
	"fmt"
	"path"
	"strings"
)

// Schema is a schema at a place in the description. View returns one level at a time, so
// a schema that contains itself needs no special treatment.
type Schema struct {
	d    *Description
	p    fileNode
	name string
}

// SchemaID identifies a schema. Code that expands nested schemas compares ids to detect a
// schema that contains itself.
type SchemaID struct{ n *node }

func (d *Description) schema(p fileNode) Schema {
	if p.n == nil {
		return Schema{}
	}
	s := Schema{d: d, p: p, name: d.names[p.n]}
	target, ref := d.src.follow(p)
	if ref != "" && target.n != nil {
		s.name = d.nameOf(target.n, ref)
	}
	return s
}

// nameOf returns the name of a schema that is the target of a reference.
func (d *Description) nameOf(n *node, ref string) string {
	if name := d.names[n]; name != "" {
		return name
	}
	address, fragment, _ := strings.Cut(ref, "#")
	if i := strings.LastIndexByte(fragment, '/'); i >= 0 && i+1 < len(fragment) {
		return strings.ReplaceAll(strings.ReplaceAll(fragment[i+1:], "~1", "/"), "~0", "~")
	}
	base := path.Base(address)
	return strings.TrimSuffix(base, path.Ext(base))
}

// IsZero reports whether there is no schema.
func (s Schema) IsZero() bool { return s.p.n == nil }

// Name returns the name of the schema, or "" if it has none.
func (s Schema) Name() string { return s.name }

// Listed reports whether the schema is one of Description.Schemas.
func (s Schema) Listed() bool {
	if s.name == "" {
		return false
	}
	_, ok := s.d.byName[s.name]
	return ok
}

// ID returns the id of the schema, or of its target if the schema is a
// reference.
func (s Schema) ID() SchemaID {
	if s.IsZero() {
		return SchemaID{}
	}
	p, _ := s.d.src.follow(s.p)
	return SchemaID{p.n}
}

// View is one level of a schema, merged with its allOf parts.
type View struct {
	Name       string
	Title      string
	Text       string // Markdown
	Types      []string
	Format     string
	Nullable   bool
	Deprecated bool
	ReadOnly   bool
	WriteOnly  bool
	// Enum are the allowed values, as JSON without the quotes of strings.
	Enum []Value
	// MoreEnum is the number of values that Enum omits.
	MoreEnum int
	Default  string
	Const    string
	Example  string
	// Constraints are the rules for values, such as "max length" with the value 10.
	Constraints []Constraint
	Properties  []Property
	// Items is the schema of the elements of an array. Additional is the schema of
	// properties with any name.
	Items      Schema
	Additional Schema
	// Options are the alternatives of oneOf, or, if AnyOf is set, of anyOf.
	Options []Option
	AnyOf   bool
	// Discriminator is the name of the property that selects the option, or "".
	Discriminator string

	example, fallback *node
	required          map[string]bool
	have              map[string]int
	cut               bool // the schema has more than the view shows
}

// Value is one of the values of an enumeration.
type Value struct{ Text, Description string }

// Constraint is a rule for values.
type Constraint struct{ Name, Value string }

// Property is a property of an object.
type Property struct {
	Name     string
	Pattern  bool // the name is a pattern
	Required bool
	Schema   Schema
}

// Option is one alternative of oneOf or anyOf.
type Option struct {
	Label  string
	Value  string // value of the discriminator, or ""
	Schema Schema
}

// View returns the first level of a schema.
func (s Schema) View() *View { return s.view(true) }

// view returns the first level of a schema. labels controls whether options get labels,
// because a label needs a view itself.
func (s Schema) view(labels bool) *View {
	v := &View{Name: s.name, required: map[string]bool{}, have: map[string]int{}}
	if s.IsZero() {
		return v
	}
	b := &viewer{d: s.d, v: v, seen: map[*node]bool{}, left: maxViewed, labels: labels}
	b.add(s.p, true)
	for i := range v.Properties {
		v.Properties[i].Required = v.required[v.Properties[i].Name]
	}
	v.value()
	return v
}

// value sets Example and Default.
func (v *View) value() {
	if v.example != nil {
		v.Example = v.example.short()
	}
	if v.fallback != nil {
		v.Default = v.fallback.short()
	}
}

// viewer merges the parts of a schema into a view.
type viewer struct {
	d    *Description
	v    *View
	seen map[*node]bool
	left int // keys and values that may still be read
	// labels controls whether options get labels.
	labels bool
}

// some returns how many of n keys or values may still be read, and counts them as read.
func (b *viewer) some(n int) int {
	b.v.cut = b.v.cut || n > b.left
	n = min(n, b.left)
	b.left -= n
	return n
}

// add merges a schema and the targets of its references. Fields that are set keep their
// value, so outer parts take precedence.
func (b *viewer) add(p fileNode, top bool) {
	for range maxReferences {
		if p.n == nil || p.n.kind != object || b.seen[p.n] {
			return
		}
		if len(b.seen) >= maxParts {
			b.v.cut = true
			return
		}
		b.seen[p.n] = true
		b.own(p, top)
		ref := p.n.get("$ref")
		if ref == nil || ref.kind != text {
			return
		}
		f, n, err := b.d.src.find(p.f, ref.text)
		if err != nil {
			return
		}
		p = fileNode{f, n}
	}
}

// own merges the keywords of a schema, and its allOf parts.
func (b *viewer) own(p fileNode, top bool) {
	v, n := b.v, p.n
	set := func(to *string, s string) {
		if *to == "" {
			*to = s
		}
	}
	set(&v.Title, n.str("title"))
	set(&v.Text, n.str("description"))
	set(&v.Format, n.str("format"))
	v.types(n)
	v.Deprecated = v.Deprecated || n.is("deprecated")
	v.ReadOnly = v.ReadOnly || n.is("readOnly")
	v.WriteOnly = v.WriteOnly || n.is("writeOnly")
	v.enumeration(n)
	v.constraints(n)
	if v.example == nil {
		v.example = given(n)
	}
	if v.fallback == nil {
		v.fallback = n.get("default")
	}
	required := n.get("required").items()
	for _, name := range required[:b.some(len(required))] {
		v.required[name.text] = true
	}
	b.properties(p)
	if items := p.get("items"); items.n != nil && v.Items.IsZero() {
		v.Items = b.d.schema(items)
	}
	for _, part := range n.get("allOf").items() {
		b.add(fileNode{p.f, part}, false)
	}
	b.options(p, top)
}

func (v *View) types(n *node) {
	t := n.get("type")
	names := t.texts()
	if t != nil && t.kind == text {
		names = []string{t.text}
	}
	for _, name := range names {
		if name == "null" {
			v.Nullable = true
			continue
		}
		known := false
		for _, have := range v.Types {
			known = known || have == name
		}
		if !known {
			v.Types = append(v.Types, name)
		}
	}
	v.Nullable = v.Nullable || n.is("nullable") || n.is("x-nullable")
}

func (v *View) enumeration(n *node) {
	if c := n.get("const"); c != nil && v.Const == "" {
		v.Const = c.short()
	}
	values := n.get("enum").items()
	if len(values) == 0 || v.Enum != nil {
		return
	}
	about := n.get("x-enumDescriptions")
	if about == nil {
		about = n.get("x-enum-descriptions")
	}
	for i, value := range values {
		if value.kind == null {
			v.Nullable = true
			continue
		}
		if len(v.Enum) >= maxValues {
			v.MoreEnum, v.cut = len(values)-i, true
			break
		}
		one := Value{Text: value.short()}
		if about != nil && about.kind == object {
			one.Description = about.str(one.Text)
		} else if list := about.items(); i < len(list) {
			one.Description = list[i].text
		}
		v.Enum = append(v.Enum, one)
	}
}

// constraintKeys are the constraints that are shown, in this order, with their displayed
// names.
var constraintKeys = []struct{ key, name string }{
	{"minimum", "min"}, {"maximum", "max"}, {"exclusiveMinimum", "greater than"}, {"exclusiveMaximum", "less than"}, {"multipleOf", "multiple of"},
	{"minLength", "min length"}, {"maxLength", "max length"}, {"pattern", "pattern"}, {"minItems", "min items"}, {"maxItems", "max items"},
	{"minProperties", "min properties"}, {"maxProperties", "max properties"}, {"contentEncoding", "encoding"}, {"contentMediaType", "media type"},
}

func (v *View) constraints(n *node) {
	for _, c := range constraintKeys {
		value := n.get(c.key)
		if value == nil || value.kind != number && value.kind != text {
			continue
		}
		name := c.name
		// In OpenAPI 3.0 exclusiveMinimum and exclusiveMaximum are flags of minimum and
		// maximum.
		if c.key == "minimum" && n.is("exclusiveMinimum") {
			name = "greater than"
		}
		if c.key == "maximum" && n.is("exclusiveMaximum") {
			name = "less than"
		}
		v.constrain(Constraint{name, value.short()})
	}
	if n.is("uniqueItems") {
		v.constrain(Constraint{"unique items", ""})
	}
}

func (v *View) constrain(c Constraint) {
	for _, have := range v.Constraints {
		if have == c {
			return
		}
	}
	v.Constraints = append(v.Constraints, c)
}

func (b *viewer) properties(p fileNode) {
	v := b.v
	for _, key := range []string{"properties", "patternProperties"} {
		all := p.get(key)
		if all.n == nil || all.n.kind != object {
			continue
		}
		for i, name := range all.n.keys[:b.some(len(all.n.keys))] {
			n := all.n.kids[i]
			v.cut = v.cut || len(v.Properties) >= maxProperties
			if internal(n) || len(v.Properties) >= maxProperties {
				continue
			}
			prop := Property{Name: name, Pattern: key == "patternProperties", Schema: b.d.schema(fileNode{all.f, n})}
			if _, ok := v.have[name]; ok {
				continue // an outer part takes precedence
			}
			v.have[name] = len(v.Properties)
			v.Properties = append(v.Properties, prop)
		}
	}
	if more := p.get("additionalProperties"); more.n != nil && more.n.kind == object && v.Additional.IsZero() {
		v.Additional = b.d.schema(more)
	} else if p.n.is("additionalProperties") && v.Additional.IsZero() {
		v.Additional = Schema{b.d, fileNode{p.f, &node{kind: object}}, ""}
	}
}

// options merges oneOf and anyOf. A choice between one schema and null is merged like the
// schema itself.
func (b *viewer) options(p fileNode, top bool) {
	v, n := b.v, p.n
	discriminator := n.get("discriminator")
	mapping := discriminator.get("mapping")
	for _, key := range []string{"oneOf", "anyOf"} {
		var parts []fileNode
		choices := n.get(key).items()
		for _, part := range choices[:b.some(len(choices))] {
			if part.str("type") == "null" && part.kind == object {
				v.Nullable = true
				continue
			}
			parts = append(parts, fileNode{p.f, part})
		}
		if len(parts) == 1 {
			b.add(parts[0], top)
			continue
		}
		if len(parts) == 0 || v.Options != nil {
			continue
		}
		v.AnyOf = key == "anyOf"
		v.Discriminator = discriminator.str("propertyName")
		values := b.mappedValues(mapping)
		v.cut = v.cut || len(parts) > maxParts
		for _, part := range parts[:min(len(parts), maxParts)] {
			v.Options = append(v.Options, b.option(part, values, len(v.Options)+1))
		}
	}
	if v.Options != nil || !top || mapping == nil || mapping.kind != object {
		return
	}
	v.Discriminator = discriminator.str("propertyName")
	v.cut = v.cut || len(mapping.keys) > maxParts
	for i, value := range mapping.keys[:min(len(mapping.keys), maxParts)] {
		ref := &node{kind: object, keys: []string{"$ref"}, kids: []*node{{kind: text, text: asReference(mapping.kids[i].text, b.d)}}}
		if s := b.d.schema(fileNode{p.f, ref}); s.name != "" {
			v.Options = append(v.Options, Option{Label: s.name, Value: value, Schema: s})
		}
	}
}

// asReference returns the reference of a value of a mapping. The value can be a reference
// or only the name of a schema.
func asReference(value string, d *Description) string {
	if _, ok := d.byName[value]; ok {
		if d.format == swagger2 {
			return "#/definitions/" + value
		}
		return "#/components/schemas/" + value
	}
	return value
}

// mappedValues returns the values of a discriminator by the references of their schemas.
func (b *viewer) mappedValues(mapping *node) map[string]string {
	if mapping == nil || mapping.kind != object {
		return nil
	}
	out := map[string]string{}
	for i, kid := range mapping.kids[:b.some(len(mapping.kids))] {
		ref := asReference(kid.text, b.d)
		if _, ok := out[ref]; !ok {
			out[ref] = mapping.keys[i]
		}
	}
	return out
}

func (b *viewer) option(p fileNode, values map[string]string, number int) Option {
	o := Option{Schema: b.d.schema(p)}
	if o.Schema.name != "" {
		o.Value = values[p.n.str("$ref")]
	}
	if !b.labels {
		return o
	}
	if o.Label = o.Schema.name; o.Label == "" {
		if o.Label = p.n.str("title"); o.Label == "" {
			if o.Label = o.Schema.Label(); o.Label == "any" {
				o.Label = fmt.Sprintf("option %d", number)
			}
		}
	}
	return o
}

// Label returns the type of a schema in a few words, such as "array of Pet".
func (s Schema) Label() string { return s.label(0) }

func (s Schema) label(depth int) string {
	const deepest = 4
	if s.IsZero() || depth > deepest {
		return "any"
	}
	return s.view(false).label(depth)
}

// Label returns the type of the view in a few words.
func (v *View) Label() string { return v.label(0) }

func (v *View) label(depth int) string {
	var names []string
	for _, t := range v.Types {
		switch {
		case t == "array":
			names = append(names, "array of "+v.Items.inner(depth+1))
		case t == "object" && !v.Additional.IsZero() && len(v.Properties) == 0:
			names = append(names, "map of "+v.Additional.inner(depth+1))
		case v.Format != "" && t != "object":
			names = append(names, t+" ("+v.Format+")")
		default:
			names = append(names, t)
		}
	}
	switch {
	case len(names) > 0:
	case len(v.Options) > 0 && v.AnyOf:
		names = []string{"any of"}
	case len(v.Options) > 0:
		names = []string{"one of"}
	case len(v.Properties) > 0 || !v.Additional.IsZero():
		names = []string{"object"}
	case !v.Items.IsZero():
		names = []string{"array of " + v.Items.inner(depth+1)}
	case len(v.Enum) > 0 || v.Const != "":
		names = []string{"enum"}
	default:
		names = []string{"any"}
	}
	label := strings.Join(names, " or ")
	if v.Nullable {
		label += " or null"
	}
	return label
}

// inner returns the name of a schema, or its label if it has no name.
func (s Schema) inner(depth int) string {
	if s.name != "" {
		return s.name
	}
	return s.label(depth)
}
