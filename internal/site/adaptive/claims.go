package adaptive

import (
	"maps"
	"math"
	"slices"
	"strconv"
)

// Limits of the claims of one visitor. Claims that exceed them are dropped.
const (
	maxClaims     = 1000    // values, including nested ones
	maxClaimBytes = 8 << 10 // of texts; they must fit into a content token, which has at most 16 KB
	maxClaimDepth = 8
	maxFreeText   = 1024
	maxItems      = 100
)

// Claims returns the value of visitor.claims in conditions: the signed claims, and under the
// name unsigned the unsigned claims that the schema declares. A declared claim with another
// type or value is dropped, signed or not: the text "false" must not be accepted in place of a
// boolean. Names that lead to prototypes in JavaScript are dropped too. The result shares no
// memory with the arguments.
func (s *Schema) Claims(signed, unsigned map[string]any) map[string]any {
	b := budget{values: maxClaims, bytes: maxClaimBytes}
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(signed)) {
		if name == unsignedName || prototypeName(name) {
			continue
		}
		if v, ok := b.plain(signed[name], 1); ok && b.spend(name) {
			out[name] = v
		}
	}
	declared := map[string]any{}
	if s != nil {
		s.root.dropMismatched(out)
		if c := s.root.property(unsignedName); c != nil {
			declared = c.members(unsigned)
		}
	}
	out[unsignedName] = declared
	return out
}

// dropMismatched removes signed claims that do not match their declaration. Undeclared claims
// are kept, because the owner of the site vouches for them.
func (c *claim) dropMismatched(m map[string]any) {
	for i := range c.properties {
		p := &c.properties[i]
		v, there := m[p.name]
		inner, nested := v.(map[string]any)
		if !there {
			continue
		}
		if p.kind == object && nested {
			p.dropMismatched(inner)
		} else if v, ok := p.accept(v); ok {
			m[p.name] = v
		} else {
			delete(m, p.name)
		}
	}
}

// prototypeName reports whether a name leads to a prototype in JavaScript, in which some
// clients evaluate conditions.
func prototypeName(s string) bool {
	return s == "__proto__" || s == "constructor" || s == "prototype"
}

// budget limits the number and the size of claims.
type budget struct{ values, bytes int }

func (b *budget) spend(s string) bool {
	if b.values < 1 || b.bytes < len(s) {
		return false
	}
	b.values--
	b.bytes -= len(s)
	return true
}

// plain copies a JSON value, without parts that exceed the budget.
func (b *budget) plain(v any, depth int) (any, bool) {
	if depth > maxClaimDepth {
		return nil, false
	}
	switch v := v.(type) {
	case nil, bool:
		return v, b.spend("")
	case float64:
		return v, b.spend("") && !math.IsNaN(v) && !math.IsInf(v, 0)
	case string:
		return v, b.spend(v)
	case []any:
		out := []any{}
		for _, item := range v {
			if item, ok := b.plain(item, depth+1); ok {
				out = append(out, item)
			}
		}
		return out, b.spend("")
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if prototypeName(name) {
				continue
			}
			if item, ok := b.plain(v[name], depth+1); ok && b.spend(name) {
				out[name] = item
			}
		}
		return out, b.spend("")
	}
	return nil, false
}

// accept returns a value if it matches the declaration.
func (c *claim) accept(v any) (any, bool) {
	switch c.kind {
	case boolean:
		b, ok := v.(bool)
		return b, ok
	case number:
		n, ok := v.(float64)
		return n, ok && !math.IsNaN(n) && !math.IsInf(n, 0)
	case text:
		s, ok := textOf(v)
		if c.values != nil {
			return s, ok && slices.Contains(c.values, s)
		}
		return s, ok && len(s) <= maxFreeText
	case array:
		return c.list(v)
	case object:
		m, ok := v.(map[string]any)
		return c.members(m), ok
	}
	return nil, false
}

// textOf returns a value as text. Numbers and booleans are converted, because in an address the
// text 7 and the number 7 look the same.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// list accepts a list only if all items match.
func (c *claim) list(v any) (any, bool) {
	items, ok := v.([]any)
	if !ok || len(items) > maxItems {
		return nil, false
	}
	out := make([]any, len(items))
	for i := range items {
		if out[i], ok = c.items.accept(items[i]); !ok {
			return nil, false
		}
	}
	return out, true
}

// members returns the declared properties of an object.
func (c *claim) members(m map[string]any) map[string]any {
	out := map[string]any{}
	for i := range c.properties {
		p := &c.properties[i]
		if v, there := m[p.name]; there {
			if v, ok := p.accept(v); ok {
				out[p.name] = v
			}
		}
	}
	return out
}
