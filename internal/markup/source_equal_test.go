package markup

import (
	"slices"
	"testing"
)

// Of equal blocks whose bytes differ, an edit keeps the bytes of the one that it means:
// here a space at the end of a line, which Markdown does not show.
func TestEqualBlocksKeepTheirOwnBytes(t *testing.T) {
	src := "**Solution**: \n- one\n\n## Next\n\n**Solution**:\n```sql\nx\n```\n\n**Solution**: \n- two\n"
	old := Parse([]byte(src), Refs{})
	at := slices.IndexFunc(old.Nodes, func(n *Node) bool { return n.Type == "code" }) - 1
	split := func(n *Node, text string) *Node {
		return blockNode("paragraph", nil, &Node{Object: ObjectText, Leaves: []Leaf{{Text: text, Marks: n.Nodes[0].Leaves[0].Marks}}})
	}
	for name, c := range map[string]struct {
		nodes []*Node
		want  string
	}{
		"duplicate": {slices.Insert(slices.Clone(old.Nodes), at+1, withoutKeys(old.Nodes[at])), "**Solution**:\n\n**Solution**:\n```sql"},
		"split": {
			slices.Concat(old.Nodes[:at], []*Node{split(old.Nodes[at], "So"), {
				Object: ObjectBlock, Type: "paragraph", Nodes: []*Node{{Object: ObjectText, Leaves: []Leaf{{Text: "lution", Marks: old.Nodes[at].Nodes[0].Leaves[0].Marks}, {Text: ":"}}}},
			}}, old.Nodes[at+1:]), "**So**\n\n**lution**:\n```sql",
		},
	} {
		want := src[:len("**Solution**: \n- one\n\n## Next\n\n")] + c.want + src[len("**Solution**: \n- one\n\n## Next\n\n**Solution**:\n```sql"):]
		got := string(Reprint([]byte(src), old, &Document{Nodes: c.nodes}, Refs{}))
		if got != want {
			t.Errorf("%s:\n%q, want\n%q", name, got, want)
		}
	}
}

// A join keeps the lines between the text that came and what follows it.
func TestJoinedTextsKeepWhatFollows(t *testing.T) {
	src := "2) one\n   two\n\n   three\\\n   four.\n   *   a\n   *   b\n\n3) x\n"
	old, doc := Parse([]byte(src), Refs{}), Parse([]byte(src), Refs{})
	item := doc.Nodes[0].Nodes[0]
	first, second := item.Nodes[0], item.Nodes[1]
	first.Nodes = slices.Concat(first.Nodes, []*Node{{Object: ObjectText, Leaves: []Leaf{{Text: " "}}}}, second.Nodes)
	item.Nodes = slices.Delete(item.Nodes, 1, 2)
	if got, want := string(Reprint([]byte(src), old, doc, Refs{})), "2) one\n   two three\\\n   four.\n   *   a\n   *   b\n\n3) x\n"; got != want {
		t.Errorf("%q, want\n%q", got, want)
	}
}

// An item that becomes the first one of a numbered list has the number that the list starts
// at; all lines keep their indentation.
func TestItemsMoveToTheBeginning(t *testing.T) {
	for src, want := range map[string]string{
		" 3. a\n    k\n 4. b\n\nx\n":                     " 3. b\n 4. a\n    k\n\nx\n",
		">  3. a\n>     k\n>\n>     ***\n>  4. b\n\nx\n": ">  3. b\n>  4. a\n>     k\n>\n>     ***\n\nx\n",
		" 9. a\n 10. b\n     k\n":                        "",
	} {
		old, doc := Parse([]byte(src), Refs{}), Parse([]byte(src), Refs{})
		list := doc.Nodes[0]
		if !isList(list) {
			list = list.Nodes[0]
		}
		slices.Reverse(list.Nodes)
		got := Reprint([]byte(src), old, doc, Refs{})
		if err := sameDocs(Parse(got, Refs{}).Nodes, doc.Nodes); err != nil || want != "" && string(got) != want {
			t.Errorf("%q became %q, want %q: %v", src, got, want, err)
		}
	}
}

// A text of an item that becomes a list leaves the lines below it where they are.
func TestItemThatBecomesAListKeepsWhatFollows(t *testing.T) {
	for src, want := range map[string]string{
		"- a\n\n    b\n\nx\n":  "-   * a\n\n    b\n\nx\n",
		"> - a\n>\n>     b\n":  "> -   * a\n>\n>     b\n",
		"- a\n\n  b\n":         "- * a\n\n  b\n",
		"-    a\n\n       b\n": "",
		"- a\n\n\tb\n":         "",
	} {
		old, doc := Parse([]byte(src), Refs{}), Parse([]byte(src), Refs{})
		list := doc.Nodes[0]
		if !isList(list) {
			list = list.Nodes[0]
		}
		item := list.Nodes[0]
		item.Nodes[0] = blockNode("list-unordered", nil, blockNode("list-item", nil, item.Nodes[0]))
		got := Reprint([]byte(src), old, doc, Refs{})
		if err := sameDocs(Parse(got, Refs{}).Nodes, doc.Nodes); err != nil || want != "" && string(got) != want {
			t.Errorf("%q became %q, want %q: %v", src, got, want, err)
		}
	}
}
