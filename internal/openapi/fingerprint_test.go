package openapi

import (
	"slices"
	"strings"
	"testing"
)

// The fingerprint of an operation changes if and only if something changes that the
// operation shows, also through references.
func TestFingerprint(t *testing.T) {
	all := samples(t)
	prints := func(d *Description) map[string]string {
		out := map[string]string{}
		for _, o := range slices.Concat(d.Operations, d.Webhooks) {
			out[o.Method+" "+o.Path] = o.Fingerprint()
		}
		return out
	}
	for name, c := range map[string]struct {
		old, new string
		changed  []string
	}{
		"petstore":   {"maxLength: 80", "maxLength: 90", []string{"GET /pets", "POST /pets"}},
		"swagger":    {`"id": {"type": "integer", "format": "int64"}`, `"id": {"type": "string"}`, []string{"GET /pets", "POST /pets"}},
		"files":      {`"a b": {"type": "string"}`, `"a b": {"type": "integer"}`, []string{"GET /a", "GET /b"}},
		"parameters": {"description: of the path", "description: changed", []string{"GET /things/{id}"}},
		"recursive":  {"right: {$ref", "wrong: {$ref", []string{"PUT /trees"}},
		"choices":    {"maximum: 9", "maximum: 8", []string{"POST /animals"}},
		"webhooks":   {"const: paid", "const: open", []string{"POST order.paid"}},
		"servers":    {"/relative", "/other", []string{"GET /a", "GET /b", "GET /d", "PUT /b"}},
		"hierarchy":  {"Words of the tag.", "Other words.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(all[name], c.old) != 1 {
				t.Fatalf("%q is there %d times", c.old, strings.Count(all[name], c.old))
			}
			before, after := prints(load(t, all[name])), prints(load(t, strings.Replace(all[name], c.old, c.new, 1)))
			var changed []string
			for at, was := range before {
				if after[at] != was {
					changed = append(changed, at)
				}
			}
			slices.Sort(changed)
			if !slices.Equal(changed, c.changed) {
				t.Errorf("changed are %q, not %q", changed, c.changed)
			}
		})
	}
}
