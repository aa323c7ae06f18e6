package markup

import "github.com/octavo-docs/octavo/internal/docs"

// Reference is one use of a target outside the document's own blocks.
type Reference struct {
	Ref docs.Ref
	// Node is the key of the nearest enclosing block that has a key.
	Node string
	// Text is the visible text of the reference: the text of a link, the label
	// of a button, the alternative text of an image.
	Text string
	// Depends is set if the document is incomplete without the target: embedded
	// files and images, reusable contents, specifications. It is not set for a
	// link, which only leads to its target.
	Depends bool
}

// References returns all references of a document in reading order, except
// addresses in raw HTML.
func References(doc *Document) []Reference {
	c := &referenceCollector{}
	c.nodes(doc.Nodes, "")
	return c.found
}

type referenceCollector struct {
	found []Reference
	key   string
}

func (c *referenceCollector) add(v any, text string, depends bool) {
	if ref, ok := refOf(v); ok {
		c.found = append(c.found, Reference{ref, c.key, text, depends})
	}
}

func (c *referenceCollector) nodes(nodes []*Node, key string) {
	for _, n := range nodes {
		c.key = key
		if n.Object == ObjectBlock && n.Key != "" {
			c.key = n.Key
		}
		c.node(n)
	}
	c.key = key
}

func (c *referenceCollector) node(n *Node) {
	ref, key := n.Data["ref"], c.key
	switch n.Type {
	case "link":
		c.add(ref, Text(n.Nodes), false)
	case "mention", "content-ref":
		c.add(ref, "", false)
	case "button":
		c.add(ref, n.Str("label"), false)
	case "image", "inline-image":
		alt := n.Str("alt")
		c.add(ref, alt, true)
		c.add(n.Data["refDark"], alt, true)
	case "file", "drawing":
		c.add(ref, singleLine(Text(n.Fragments)), true)
	case "integration":
		c.nodes(n.extra().shown, key)
	case "reusable-content", "swagger", "openapi-operation", "openapi-schemas", "openapi-webhook":
		c.add(ref, "", true)
	case "update":
		for _, tag := range n.Refs("tags") {
			c.add(tag, "", false)
		}
	case "table":
		if n.Object == ObjectBlock {
			c.table(n)
			return
		}
	}
	c.nodes(n.Nodes, key)
	c.nodes(n.Fragments, key)
}

func (c *referenceCollector) table(n *Node) {
	t, key := readTable(n), c.key
	for _, r := range t.rows {
		for _, col := range t.filled(r) {
			c.key = key
			v := r.values[col.id]
			switch col.kind {
			case "text":
				c.nodes(t.cell(v), key)
			case "content-ref":
				c.add(v, t.name(r), false)
			case "image":
				if ref, alt, ok := imageOf(v); ok {
					c.add(ref, alt, true)
				}
			case "files":
				name := t.name(r)
				for _, id := range texts(v) {
					c.add(docs.Ref{Kind: docs.RefFile, File: id}, name, true)
				}
			case "users":
				name := t.name(r)
				for _, id := range texts(v) {
					c.add(docs.Ref{Kind: docs.RefUser, User: id}, name, false)
				}
			}
		}
	}
	c.key = key
}
