package markup

import (
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Str returns a text in the data of the node, or an empty string.
func (n *Node) Str(f TextField) string { return str(n.Data, f.name) }

// Flag returns a flag in the data of the node, or false if there is none.
func (n *Node) Flag(f FlagField) bool { return truth(n.Data, f.name) }

// FlagSet returns a flag in the data of the node. set is false if there is none.
func (n *Node) FlagSet(f FlagField) (value, set bool) {
	value, set = n.Data[f.name].(bool)
	return value, set
}

// Num returns a number in the data of the node.
func (n *Node) Num(f NumberField) (value float64, ok bool) { return num(n.Data[f.name]) }

// Ref returns a reference in the data of the node.
func (n *Node) Ref(f RefField) (ref docs.Ref, ok bool) { return refOf(n.Data[f.name]) }

// Refs returns the references of a list in the data of the node.
func (n *Node) Refs(f RefsField) []docs.Ref {
	list, _ := n.Data[f.name].([]any)
	var refs []docs.Ref
	for _, v := range list {
		if ref, ok := refOf(v); ok {
			refs = append(refs, ref)
		}
	}
	return refs
}

// Strings returns a list of texts in the data of the node.
func (n *Node) Strings(f TextsField) []string { return texts(n.Data[f.name]) }

// Length returns a length in the data of the node. An empty unit means px.
func (n *Node) Length(f LengthField) (value float64, unit string, ok bool) {
	return lengthOf(n.Data[f.name])
}

// Map returns an object in the data of the node, or nil.
func (n *Node) Map(f ObjectField) map[string]any {
	m, _ := n.Data[f.name].(map[string]any)
	return m
}

// Has reports whether the data of the node has a field.
func (n *Node) Has(f field) bool { return n.Data[f.key()] != nil }

// SetStr sets a text in the data of the node.
func (n *Node) SetStr(f TextField, s string) {
	if n.Data == nil {
		n.Data = map[string]any{}
	}
	n.Data[f.name] = s
}

// value returns the value of a field as it is, for functions that accept values of
// several kinds. set changes it.
func (n *Node) value(f field) any  { return n.Data[f.key()] }
func (n *Node) set(f field, v any) { n.Data[f.key()] = v }

// Props returns the properties of an integration block.
func (n *Node) Props() map[string]any { return n.Map(FieldProps) }

// Prop returns a string in the properties of an integration block.
func (n *Node) Prop(key string) string { return str(n.Props(), key) }

// HeadingLevel returns 1 to 6 for a heading and 0 for any other node.
func (n *Node) HeadingLevel() int {
	if n.Object != ObjectBlock {
		return 0
	}
	digit, ok := strings.CutPrefix(n.Type, "heading-")
	if !ok {
		return 0
	}
	if f, ok := n.Num(FieldLevel); ok && f >= 1 && f <= 6 {
		return int(f)
	}
	level, _ := strconv.Atoi(digit)
	return level
}

// Anchor returns the id that links use for the node, or an empty string.
func (n *Node) Anchor() string {
	if id, ok := n.Meta["id"].(string); ok {
		return id
	}
	if n.HeadingLevel() > 0 {
		return n.Str(FieldID)
	}
	return ""
}

// Slot returns the name of the slot that a fragment fills in its block.
func (n *Node) Slot() string {
	if n.Fragment != "" {
		return n.Fragment
	}
	return n.Type
}

// RawSource returns the Markdown of a block that is kept verbatim because it
// could not be parsed. ok is false for any other node.
func (n *Node) RawSource() (source string, ok bool) {
	if n.Str(FieldIntegration) != rawIntegration || n.Str(FieldBlock) != rawKind {
		return "", false
	}
	return n.Prop("source"), true
}

// Node data consists of JSON values. The following functions read such values.

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func truth(m map[string]any, key string) bool {
	b, _ := m[key].(bool)
	return b
}

func num(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

func lengthOf(v any) (value float64, unit string, ok bool) {
	if m, isMap := v.(map[string]any); isMap {
		unit, v = str(m, "unit"), m["value"]
	}
	value, ok = num(v)
	return value, unit, ok
}

func refOf(v any) (docs.Ref, bool) {
	r, ok := v.(docs.Ref)
	return r, ok
}

func texts(v any) []string {
	switch v := v.(type) {
	case []string:
		return v
	case []any:
		out := make([]string, 0, len(v))
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	case string:
		if v != "" {
			return []string{v}
		}
	}
	return nil
}
