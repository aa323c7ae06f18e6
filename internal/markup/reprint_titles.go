package markup

import (
	"maps"
	"slices"
	"strings"
)

// withEditedTitles returns doc with the titles of columns that were edited. A
// title is plain text in the definition of its column, and a block if it has
// marks or links. A document that has another block and the old text means the
// block; otherwise the text is the title, see titleBlocks.
func withEditedTitles(old, doc *Document) *Document {
	with := map[*Node]*Node{}
	var was map[string]*Node // old tables by key, on first use
	eachNode(doc.Nodes, func(n *Node) {
		if n.Type != "table" || !hasOtherTitles(n) {
			return
		}
		if was == nil {
			was = map[string]*Node{}
			eachNode(old.Nodes, func(o *Node) {
				if o.Type == "table" && o.Key != "" {
					was[o.Key] = o
				}
			})
		}
		if o := was[n.Key]; o != nil {
			if changed := withTitles(o, n); changed != nil {
				with[n] = changed
			}
		}
	})
	if len(with) == 0 {
		return doc
	}
	changed := *doc
	changed.Nodes = replaceNodes(doc.Nodes, with)
	return &changed
}

// hasOtherTitles reports whether a title of a table differs from its block.
func hasOtherTitles(n *Node) bool {
	definition := n.Map(FieldDefinition)
	for _, f := range n.Fragments {
		id, ok := strings.CutPrefix(f.Fragment, TitleFragment(""))
		if def, _ := definition[id].(map[string]any); ok && def != nil && len(f.Nodes) == 1 && PlainText(f.Nodes[0].Nodes) != str(def, "title") {
			return true
		}
	}
	return false
}

// withTitles returns a table with the titles that its blocks have, if these
// were edited and the texts were not. It returns nil if there are none.
func withTitles(old, now *Node) *Node {
	a, b := ReadTableData(old), ReadTableData(now)
	texts := map[string]string{}
	for _, c := range a.InOrder() {
		texts[c.ID] = c.Title
	}
	definition := map[string]any{}
	for _, c := range b.InOrder() {
		was, f := a.Cells[TitleFragment(c.ID)], b.Cells[TitleFragment(c.ID)]
		if text, known := texts[c.ID]; !known || text != c.Title || f == nil || len(f.Nodes) != 1 || was != nil && hashNodes(was.Nodes) == hashNodes(f.Nodes) {
			continue
		}
		def := maps.Clone(c.Def)
		def["title"] = PlainText(f.Nodes[0].Nodes)
		definition[c.ID] = def
	}
	if len(definition) == 0 {
		return nil
	}
	all := now.Map(FieldDefinition)
	all = maps.Clone(all)
	maps.Copy(all, definition)
	changed := *now
	changed.Data = maps.Clone(now.Data)
	changed.set(FieldDefinition, all)
	return &changed
}

// replaceNodes returns nodes with some of them, at any depth, replaced.
func replaceNodes(nodes []*Node, with map[*Node]*Node) []*Node {
	out := nodes
	for i, n := range nodes {
		next := with[n]
		if next == nil {
			next = n
		}
		kids, fragments := replaceNodes(next.Nodes, with), replaceNodes(next.Fragments, with)
		if !sameSlice(kids, next.Nodes) || !sameSlice(fragments, next.Fragments) {
			c := *next
			c.Nodes, c.Fragments = kids, fragments
			next = &c
		}
		if next != n {
			if sameSlice(out, nodes) {
				out = slices.Clone(nodes)
			}
			out[i] = next
		}
	}
	return out
}

func sameSlice(a, b []*Node) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
