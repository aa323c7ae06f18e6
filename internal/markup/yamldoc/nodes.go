package yamldoc

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Pairs iterates over the keys of a mapping and their values in their order. A
// nil mapping is empty.
func Pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// Value returns the first value of a key in a mapping, or nil.
func Value(n *yaml.Node, key string) *yaml.Node {
	_, v := pair(n, key)
	return v
}

// LineOf returns the line of the value at a path such as links[2].title, or of
// its nearest ancestor if there is no such value.
func LineOf(n *yaml.Node, path string) int {
	line := n.Line
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		i, err := strconv.Atoi(part)
		switch {
		case n.Kind == yaml.SequenceNode && err == nil && 0 <= i && i < len(n.Content):
			n = n.Content[i]
			line = n.Line
		case n.Kind == yaml.MappingNode:
			key, value := pair(n, part)
			if key == nil {
				return line
			}
			line, n = key.Line, value
		default:
			return line
		}
	}
	return line
}

func pair(n *yaml.Node, key string) (k, v *yaml.Node) {
	for k, v := range Pairs(n) {
		if k.Value == key {
			return k, v
		}
	}
	return nil, nil
}

// Set changes or adds a key of a mapping, or deletes it if value is nil. It also
// deletes repetitions of the key: only the first one is used.
func Set(n *yaml.Node, key string, value *yaml.Node) {
	var content []*yaml.Node
	done := false
	for k, v := range Pairs(n) {
		switch {
		case k.Value != key:
			content = append(content, k, v)
		case !done && value != nil:
			content = append(content, k, value)
			done = true
		}
	}
	if !done && value != nil {
		content = append(content, String(key, 0), value)
	}
	n.Content = content
}

// CloneMapping returns a copy of a mapping for Set, with the same style and
// comments. For nil or another kind of node it returns an empty mapping.
func CloneMapping(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if n != nil && n.Kind == yaml.MappingNode {
		*c = *n
		c.Content = slices.Clone(n.Content)
	}
	return c
}

// WithComment sets the line comment of n to the comment of the value that it
// replaces, which may be nil, and returns n.
func WithComment(n, replaced *yaml.Node) *yaml.Node {
	if replaced != nil && replaced.Kind == yaml.ScalarNode {
		n.LineComment = replaced.LineComment
	}
	return n
}

// String returns a node for a text. A text with characters that are invisible or
// break the line is quoted and escaped, whatever the style.
func String(s string, style yaml.Style) *yaml.Node {
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff {
			style = yaml.DoubleQuotedStyle
		}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: stringTag, Value: s, Style: style}
}

// FromBool returns a node for a boolean.
func FromBool(b bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: boolTag, Value: strconv.FormatBool(b)}
}

// FromNumber returns a node that Number reads as v. Whole numbers beyond MaxExact
// have an exponent, because Number refuses integers that large.
func FromNumber(v float64) *yaml.Node {
	format := byte('g')
	if v == math.Trunc(v) && math.Abs(v) <= MaxExact {
		format = 'f'
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(v, format, -1, 64)}
	n.Tag = n.ShortTag()
	return n
}
