package markup

import (
	"bytes"
	"strings"
	"testing"
)

// Blocks in table cells are divs. A div that is not a valid block does not
// invalidate the table.
func TestTagsInCells(t *testing.T) {
	for _, tt := range []struct{ name, cell, want string }{
		{"a hint", `<div data-gb-custom-block data-tag="hint" data-style='danger' data-icon="x" data-attr-my-own="1">Take <b>care</b></div>`, "hint"},
		{"tabs", `<div data-gb-custom-block data-tag="tabs"> <div data-gb-custom-block data-tag="tab" data-title="One"><p>a</p></div></div>`, "tabs"},
		{"an embed", `<div data-gb-custom-block data-tag="embed" data-url="https://example.com" data-full-width="true"></div>`, "embed"},
		{"a condition", `<div data-gb-custom-block data-tag="if" data-0="a &amp;&amp; b">x</div>`, "if"},
		{"a formula", `<div data-gb-custom-block data-tag="math" data-formula="a&#xA;b"></div>`, "math"},
		{"an unsafe embed", `<div data-gb-custom-block data-tag="embed" data-url="javascript:x"></div>`, "integration"},
		{"a part alone", `<div data-gb-custom-block data-tag="tab" data-title="One">a</div>`, "integration"},
		{"a whole with another part", `<div data-gb-custom-block data-tag="tabs"><p>a</p></div>`, "integration"},
		{"a description of an API", `<div data-gb-custom-block data-tag="api-method">a</div>`, "integration"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := []byte("<table><thead><tr><th>t</th></tr></thead><tbody><tr><td>" + tt.cell + "</td></tr><tr><td>__a__ &lt;</td></tr></tbody></table>\n")
			doc := Parse(src, Refs{})
			if len(doc.Nodes) != 1 || doc.Nodes[0].Type != "table" || doc.Nodes[0].Fragments[0].Nodes[0].Type != tt.want {
				t.Fatalf("read as\n%s", outlineOf(doc.Nodes))
			}
			checkLaws(t, src, Refs{})
		})
	}
}

// An edit inside of a hint in a cell preserves the source of the other cells.
func TestEditInsideOfTagInCell(t *testing.T) {
	src := []byte("<table><thead><tr><th>t</th></tr></thead><tbody><tr><td><div data-gb-custom-block data-tag=\"hint\" data-style='danger'>Take care</div></td></tr>" +
		"<tr><td><B>a</B> &lt;</td></tr></tbody></table>\n")
	old, doc := Parse(src, Refs{}), Parse(src, Refs{})
	eachNode(doc.Nodes, func(n *Node) {
		for i := range n.Leaves {
			n.Leaves[i].Text = strings.Replace(n.Leaves[i].Text, "care", "more care", 1)
		}
	})
	want := bytes.Replace(src, []byte("care"), []byte("more care"), 1)
	if got := Reprint(src, old, doc, Refs{}); !bytes.Equal(got, want) {
		t.Errorf("became\n%s\nwant\n%s", got, want)
	}
}
