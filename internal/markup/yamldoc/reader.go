package yamldoc

import (
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	nullTag      = "!!null"
	stringTag    = "!!str"
	boolTag      = "!!bool"
	intTag       = "!!int"
	floatTag     = "!!float"
	timestampTag = "!!timestamp"
)

// Reader reads the values of a document. A value of the wrong type is reported
// and treated as absent.
type Reader struct {
	// Report is called for every problem, with its line in the document.
	Report func(line int, format string, args ...any)
}

// Problem reports a problem with a node.
func (r Reader) Problem(n *yaml.Node, format string, args ...any) { r.Report(n.Line, format, args...) }

// Each calls fn for every key of a mapping and its value, in their order. A
// repeated key is reported and skipped. what is the name of the mapping in
// messages.
func (r Reader) Each(n *yaml.Node, what string, fn func(key, value *yaml.Node)) {
	if IsNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.Problem(n, "%s must be a list of keys with values", what)
		return
	}
	seen := map[string]bool{}
	for k, v := range Pairs(n) {
		switch {
		case k.Kind != yaml.ScalarNode:
			r.Problem(k, "a key must be a text")
		case seen[k.Value]:
			r.Problem(k, "%s is set twice; the first value counts", k.Value)
		default:
			seen[k.Value] = true
			fn(k, v)
		}
	}
}

// Text returns a scalar as written in the source, without surrounding white
// space: a title can be 404, and a date needs no quotes.
func (r Reader) Text(what string, n *yaml.Node) string {
	if IsNull(n) {
		return ""
	}
	if !IsText(n) {
		r.Problem(n, "%s must be a text", what)
		return ""
	}
	return strings.TrimSpace(n.Value)
}

// OneOf is like Text, but the value must be one of the given values.
func (r Reader) OneOf(what string, n *yaml.Node, values []string) string {
	s := r.Text(what, n)
	if s != "" && !slices.Contains(values, s) {
		r.Problem(n, "%s must be one of %s", what, strings.Join(values, ", "))
		return ""
	}
	return s
}

// Bool returns a boolean, or nil if it is absent or not valid.
func (r Reader) Bool(what string, n *yaml.Node) *bool {
	if IsNull(n) {
		return nil
	}
	b, ok := Bool(n)
	if !ok {
		r.Problem(n, "%s must be true or false", what)
		return nil
	}
	return &b
}

// Number returns a number, or 0 if it is absent or not valid.
func (r Reader) Number(what string, n *yaml.Node) float64 {
	return r.NumberIn(what, n, -math.MaxFloat64, math.MaxFloat64)
}

// NumberIn is like Number, but the value must be from low to high.
func (r Reader) NumberIn(what string, n *yaml.Node, low, high float64) float64 {
	if IsNull(n) {
		return 0
	}
	v, ok := Number(n)
	switch {
	case ok && v >= low && v <= high:
		return v
	case low == -math.MaxFloat64:
		r.Problem(n, "%s must be a number", what)
	default:
		r.Problem(n, "%s must be a number from %v to %v", what, low, high)
	}
	return 0
}

// IsNull reports whether a value is null, which is treated as absent.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == nullTag }

// IsText reports whether a value can be read as a text: a string, or the source
// text of a number, a boolean or a date.
func IsText(n *yaml.Node) bool {
	switch n.Tag {
	case stringTag, intTag, floatTag, boolTag, timestampTag:
		return n.Kind == yaml.ScalarNode
	}
	return false
}

// Bool returns the boolean value of a node.
func Bool(n *yaml.Node) (value, ok bool) {
	ok = n.Kind == yaml.ScalarNode && n.Tag == boolTag && n.Decode(&value) == nil
	return value, ok
}

// MaxExact is the largest number up to which float64 represents all whole
// numbers.
const MaxExact = 1 << 53

// Number returns the numeric value of a node. ok is false for a number that JSON
// cannot represent exactly.
func Number(n *yaml.Node) (value float64, ok bool) {
	if n.Kind != yaml.ScalarNode || n.Tag != intTag && n.Tag != floatTag {
		return 0, false
	}
	if n.Tag == intTag {
		var i int64
		err := n.Decode(&i)
		return float64(i), err == nil && -MaxExact <= i && i <= MaxExact
	}
	err := n.Decode(&value)
	whole := strings.Trim(n.Value, "+-_0123456789") == "" // an integer beyond 64 bits
	return value, err == nil && !whole && !math.IsNaN(value) && !math.IsInf(value, 0)
}
