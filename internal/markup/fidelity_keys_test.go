package markup

import (
	"encoding/json"
	"testing"

	"github.com/octavo-docs/octavo/internal/jsontext"
)

// stored parses a source with the stored keys of a document.
func stored(t *testing.T, body []byte, doc *Document) *Document {
	t.Helper()
	again := Parse(body, Refs{})
	if !SetKeys(again, Keys(doc), innerKeys(doc, hashAll(doc.Nodes))) {
		t.Fatal("the keys of a document do not fit its own source")
	}
	return again
}

// keyed returns the blocks and fragments, which can be referred to by their keys,
// in document order.
func keyed(nodes []*Node) (list []*Node) {
	eachNode(nodes, func(n *Node) {
		if n.Object == ObjectBlock || n.Object == ObjectFragment {
			list = append(list, n)
		}
	})
	return list
}

// sentBack returns a document after a round trip through a client.
func sentBack(t *testing.T, doc *Document) *Document {
	t.Helper()
	raw, err := jsontext.Marshal(struct {
		Object string  `json:"object"`
		Nodes  []*Node `json:"nodes"`
	}{"document", doc.Nodes})
	if err != nil || !json.Valid(raw) {
		t.Fatal(err)
	}
	sent, err := DecodeEdit("document", raw)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// Law: an edit of one block changes neither its own key nor the key of another
// block at any depth.
func TestAnEditLeavesKeys(t *testing.T) {
	c := newTally(t)
	number := 0
	for _, p := range pages(t) {
		old, doc := Parse(p.body, Refs{}), Parse(p.body, Refs{})
		want := keyed(old.Nodes)
		check := func(kind string, out []byte, sent *Document) {
			now := Parse(out, Refs{})
			Rekey(NewSkeleton(old), sent, now)
			got := keyed(stored(t, out, now).Nodes)
			if len(got) != len(want) {
				return // the edit changed the structure
			}
			lost := 0
			for i, n := range got {
				if n.Key != want[i].Key {
					lost++
				}
			}
			c.add(kind, lost == 0, "%s: %d of %d blocks have another key", p.name, lost, len(want))
			c.tried["keys: "+kind] += len(want) - 1
		}
		eachNode(doc.Nodes, func(n *Node) {
			if n.Object != ObjectBlock || len(n.Nodes) == 0 || n.Nodes[0].Object != ObjectText {
				return
			}
			leaves := n.Nodes[0].Leaves
			at := insideWord(leaves[0].Text)
			if number++; at == 0 || leaves[0].Raw || !sampled(p.name, number) {
				return
			}
			text := leaves[0].Text
			leaves[0].Text = text[:at] + "X" + text[at:]
			out := Reprint(p.body, old, doc, Refs{})
			sent := sentBack(t, doc)
			leaves[0].Text = text
			check("as Markdown", out, nil)
			check("as a document", out, sent)
		})
	}
	c.print("lost keys:")
}
