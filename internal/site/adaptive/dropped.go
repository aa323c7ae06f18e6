package adaptive

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Limits of the descriptions that Dropped returns.
const (
	maxShownValues = 10
	maxShownValue  = 100 // bytes
)

// claimsPath is the prefix of the claims of a visitor in conditions.
const claimsPath = "visitor.claims."

// Dropped returns the claims that Claims omits because they do not match the schema, or because
// they are unsigned and not declared. It maps the path of a claim in conditions to a description
// of the value and the reason. At most 100 claims are returned.
func (s *Schema) Dropped(signed, unsigned map[string]any) map[string]string {
	out := dropped{}
	if s == nil {
		s = &Schema{}
	}
	out.members(claimsPath, &s.root, signed, false)
	declared := s.root.property(unsignedName)
	if declared == nil {
		declared = &claim{kind: object}
	}
	out.members(claimsPath+unsignedName+".", declared, unsigned, true)
	return out
}

type dropped map[string]string

// members checks the properties of an object. If declared is set, properties must be declared.
func (d dropped) members(path string, c *claim, m map[string]any, declared bool) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		v, p := m[name], c.property(name)
		inner, nested := v.(map[string]any)
		switch {
		case len(d) >= maxItems:
			return
		case name == unsignedName && !declared:
		case p == nil:
			if declared {
				d[path+name] = shown(v) + ", which the schema does not declare"
			}
		case p.kind == object && nested:
			d.members(path+name+".", p, inner, declared)
		default:
			if _, ok := p.accept(v); !ok {
				d[path+name] = shown(v) + p.mismatch()
			}
		}
	}
}

// mismatch describes the values that the declaration allows.
func (c *claim) mismatch() string {
	if c.kind != text || c.values == nil {
		return fmt.Sprintf(", and the schema declares it as %s", c.kind)
	}
	values := make([]string, 0, maxShownValues)
	for _, v := range c.values {
		if len(values) == maxShownValues {
			values = append(values, "…")
			break
		}
		values = append(values, shown(v))
	}
	return ", which is not one of the values that the schema lists: " + strings.Join(values, ", ")
}

// shown returns a value as JSON, shortened.
func shown(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "not readable"
	}
	return docs.ClipBytes(string(text), maxShownValue)
}
