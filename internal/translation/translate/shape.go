package translate

import (
	"fmt"
	"reflect"

	"github.com/octavo-docs/octavo/internal/markup"
)

// SameShape reports whether two blocks differ only in their words: they have the same
// blocks inside, the same inlines in any order, and the same code, references and
// settings.
func SameShape(a, b *markup.Node) bool {
	if a.Object != b.Object || a.Type != b.Type || a.Fragment != b.Fragment || !sameData(a, b) {
		return false
	}
	if skipped[a.Type] && a.Object == markup.ObjectBlock {
		return markup.Equal(alone(a), alone(b))
	}
	if isText(a.Nodes) || isText(b.Nodes) {
		return sameInlines(a.Nodes, b.Nodes) && sameShapes(a.Fragments, b.Fragments)
	}
	return sameShapes(a.Nodes, b.Nodes) && sameShapes(a.Fragments, b.Fragments)
}

func alone(n *markup.Node) *markup.Document { return &markup.Document{Nodes: []*markup.Node{n}} }

func sameShapes(a, b []*markup.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !SameShape(a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameData reports whether two nodes have the same settings, apart from words.
func sameData(a, b *markup.Node) bool {
	wordless := func(n *markup.Node) map[string]any {
		out := map[string]any{}
		for k, v := range n.Data {
			out[k] = v
		}
		for _, k := range fieldsOf[n.Type] {
			delete(out, k)
		}
		switch {
		case n.HeadingLevel() > 0:
			out["id"] = n.Anchor()
		case n.Type == "tabs-item":
			out["slug"] = n.Meta["id"]
		case n.Type == "table" && n.Object == markup.ObjectBlock:
			delete(out, "definition")
			out["columns"] = columns(n)
		}
		return out
	}
	return reflect.DeepEqual(wordless(a), wordless(b))
}

// columns returns the columns of a table without their words.
func columns(n *markup.Node) map[string]string {
	out := map[string]string{}
	definition := n.Map(markup.FieldDefinition)
	for id, c := range definition {
		column, _ := c.(map[string]any)
		options, _ := column["options"].([]any)
		out[id] = fmt.Sprint(column["type"], column["textAlignment"], len(options))
	}
	return out
}

// sameInlines reports whether two texts have the same protected pieces, in any order.
func sameInlines(a, b []*markup.Node) bool {
	p, q := protect(a), protect(b)
	if len(p.pieces) != len(q.pieces) {
		return false
	}
	taken := make([]bool, len(q.pieces))
	for _, x := range p.pieces[1:] {
		found := false
		for j := 1; j < len(q.pieces) && !found; j++ {
			if found = !taken[j] && samePiece(x, q.pieces[j]); found {
				taken[j] = true
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func samePiece(a, b piece) bool {
	if a.pair != b.pair || (a.node == nil) != (b.node == nil) {
		return false
	}
	if a.node != nil {
		return a.node.Type == b.node.Type && sameData(a.node, b.node) && sameShapes(a.node.Fragments, b.node.Fragments)
	}
	return reflect.DeepEqual(a.leaf.Marks, b.leaf.Marks) && (a.pair || a.leaf.Text == b.leaf.Text)
}
