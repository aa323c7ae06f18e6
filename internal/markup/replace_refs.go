package markup

import (
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
)

// ReplaceRefs returns the document with the references replaced for which to
// returns true, and reports whether there were any. It does not modify doc.
func ReplaceRefs(doc *Document, to func(docs.Ref) (docs.Ref, bool)) (*Document, bool) {
	var r rewriter
	r = func(n *Node) ([]*Node, bool) {
		data, changed := redirected(n.Data, to)
		if !changed {
			return nil, false
		}
		c := *n
		c.Data, _ = data.(map[string]any)
		c.Nodes, _ = r.list(n.Nodes)
		c.Fragments, _ = r.list(n.Fragments)
		return []*Node{&c}, true
	}
	nodes, changed := r.list(doc.Nodes)
	if !changed {
		return doc, false
	}
	out := *doc
	out.Nodes = nodes
	return &out, true
}

// redirected returns a data value with the references in it replaced.
func redirected(v any, to func(docs.Ref) (docs.Ref, bool)) (out any, changed bool) {
	switch v := v.(type) {
	case docs.Ref:
		return to(v)
	case map[string]any:
		var copied map[string]any
		for key, value := range v {
			if other, ok := redirected(value, to); ok {
				if copied == nil {
					copied = maps.Clone(v)
				}
				copied[key] = other
			}
		}
		return copied, copied != nil
	case []any:
		var copied []any
		for i, value := range v {
			if other, ok := redirected(value, to); ok {
				if copied == nil {
					copied = slices.Clone(v)
				}
				copied[i] = other
			}
		}
		return copied, copied != nil
	}
	return nil, false
}
