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
	key, t := c.key, nodeTypes[n.Type]
	if t != nil && t.refs != nil {
		t.refs(c, n)
	}
	if t != nil && t.cells && n.Object == ObjectBlock {
		return // the references of its cells are added
	}
	c.nodes(n.Nodes, key)
	c.nodes(n.Fragments, key)
}

func (c *referenceCollector) link(n *Node)   { c.add(n.value(FieldRef), Text(n.Nodes), false) }
func (c *referenceCollector) target(n *Node) { c.add(n.value(FieldRef), "", false) }
func (c *referenceCollector) button(n *Node) { c.add(n.value(FieldRef), n.Str(FieldLabel), false) }

func (c *referenceCollector) image(n *Node) {
	alt := n.Str(FieldAlt)
	c.add(n.value(FieldRef), alt, true)
	c.add(n.value(FieldRefDark), alt, true)
}

func (c *referenceCollector) file(n *Node) {
	c.add(n.value(FieldRef), singleLine(Text(n.Fragments)), true)
}

// source adds the reference to what a block shows.
func (c *referenceCollector) source(n *Node) { c.add(n.value(FieldRef), "", true) }

func (c *referenceCollector) integration(n *Node) { c.nodes(n.extra().shown, c.key) }

func (c *referenceCollector) update(n *Node) {
	for _, tag := range n.Refs(FieldTags) {
		c.add(tag, "", false)
	}
}

func (c *referenceCollector) table(n *Node) {
	if n.Object != ObjectBlock {
		return
	}
	t, key := ReadTableData(n), c.key
	for _, r := range t.Rows {
		for _, col := range t.filled(r) {
			c.key = key
			v := r.Values[col.ID]
			switch col.Kind {
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

// Destinations calls f for every reference of a parsed document with its destination as it
// is written in the source.
func Destinations(doc *Document, f func(ref docs.Ref, dest string)) {
	eachNode(doc.Nodes, func(n *Node) {
		for _, w := range n.extra().written {
			f(w.ref(), w.dest)
		}
	})
}
