package markup

import (
	"maps"

	"github.com/octavo-docs/octavo/internal/docs"
)

// ReplaceURLs returns the document with the addresses replaced in links,
// buttons and content references for which to returns true. It does not modify
// doc.
func ReplaceURLs(doc *Document, to func(url string) (string, bool)) *Document {
	var r rewriter
	r = func(n *Node) ([]*Node, bool) {
		if n.Type != "link" && n.Type != "button" && n.Type != "content-ref" {
			return nil, false
		}
		ref, ok := n.Ref(FieldRef)
		if !ok || ref.Kind != docs.RefURL {
			return nil, false
		}
		url, ok := to(ref.URL)
		if !ok {
			return nil, false
		}
		ref.URL = url
		c := *n
		c.Data = maps.Clone(n.Data)
		c.set(FieldRef, ref)
		c.Nodes, _ = r.list(n.Nodes)
		c.Fragments, _ = r.list(n.Fragments)
		return []*Node{&c}, true
	}
	nodes, changed := r.list(doc.Nodes)
	if !changed {
		return doc
	}
	out := *doc
	out.Nodes = nodes
	return &out
}
