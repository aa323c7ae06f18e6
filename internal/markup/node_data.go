package markup

import (
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Str returns a string in the data of the node, or an empty string.
func (n *Node) Str(key string) string { return str(n.Data, key) }

// Flag returns a boolean in the data of the node, or false if there is none.
func (n *Node) Flag(key string) bool { return truth(n.Data, key) }

// Num returns a number in the data of the node.
func (n *Node) Num(key string) (value float64, ok bool) { return num(n.Data[key]) }

// Ref returns a reference in the data of the node.
func (n *Node) Ref(key string) (ref docs.Ref, ok bool) { return refOf(n.Data[key]) }

// Refs returns the references of a list in the data of the node.
func (n *Node) Refs(key string) []docs.Ref {
	list, _ := n.Data[key].([]any)
	var refs []docs.Ref
	for _, v := range list {
		if ref, ok := refOf(v); ok {
			refs = append(refs, ref)
		}
	}
	return refs
}

// Strings returns a list of strings in the data of the node.
func (n *Node) Strings(key string) []string { return texts(n.Data[key]) }

// Length returns a length in the data of the node. An empty unit means px.
func (n *Node) Length(key string) (value float64, unit string, ok bool) { return lengthOf(n.Data[key]) }

// Props returns the properties of an integration block.
func (n *Node) Props() map[string]any {
	props, _ := n.Data["props"].(map[string]any)
	return props
}

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
	if f, ok := n.Num("level"); ok && f >= 1 && f <= 6 {
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
		return n.Str("id")
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
	if n.Str("integration") != rawIntegration || n.Str("block") != rawKind {
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
