package markup

import (
	"maps"
	"testing"
)

// A link that is edited keeps the form in which it is written.
func TestALinkKeepsItsForm(t *testing.T) {
	for _, c := range []struct{ name, src, text, url, want string }{
		{"angle brackets", "See <https://a.example/x>, please.\n", "https://a.example/y", "https://a.example/y", "See <https://a.example/y>, please.\n"},
		{"bare", "See https://a.example/x, please.\n", "https://a.example/xyz", "https://a.example/xyz", "See https://a.example/xyz, please.\n"},
		{"www", "See www.a.example.\n", "www.b.example", "http://www.b.example", "See www.b.example.\n"},
		{"mail", "Ask me@a.example.\n", "you@a.example", "mailto:you@a.example", "Ask you@a.example.\n"},
		{"mail in angle brackets", "Ask <me@a.example>.\n", "you@a.example", "mailto:you@a.example", "Ask <you@a.example>.\n"},
		{"bare in marks", "*See __https://a.example/x__*\n", "https://a.example/y", "https://a.example/y", "*See __https://a.example/y__*\n"},
		{"bare that ends with a dot", "See https://a.example/x\n", "https://a.example/y.", "https://a.example/y.", "See <https://a.example/y.>\n"},
		{"bare with another text", "See https://a.example/x\n", "this", "", "See [this](https://a.example/x)\n"},
		{"bare with another address", "See https://a.example/x\n", "", "https://b.example", "See [https://a.example/x](https://b.example)\n"},
		{"in a cell", "|a|b|\n|:-|-|\n|<https://a.example/x>|  *c*|\n", "https://a.example/y", "https://a.example/y", "|a|b|\n|:-|-|\n|<https://a.example/y>|  *c*|\n"},
		{"in a quote", ">  See\n> https://a.example/x\n", "https://a.example/y", "https://a.example/y", ">  See\n> https://a.example/y\n"},
		{"title", "[a](<b.md> 'T')\n", "", "c.md", "[a](<c.md> 'T')\n"},
		{"marks in the text", "[a __b__ &amp;](b.md \"T\")\n", "", "c.md", "[a __b__ &amp;](c.md \"T\")\n"},
		{"code in the text", "[`]` b](b.md)\n", "", "c (1.md", "[`]` b](<c (1.md>)\n"},
		{"label", "A [sunflower] here.\n\n[Sunflower]: https://s.example 'T'\n", "", "https://t.example", "A [sunflower] here.\n\n[Sunflower]: https://t.example 'T'\n"},
		{"label with another text", "A [sunflower][] here.\n\n[Sunflower]: <https://s.example>\n", "tulip", "", "A [tulip][sunflower] here.\n\n[Sunflower]: <https://s.example>\n"},
		{"label and text", "A [**x**][s] here.\n\n[s]:\n  <https://s.example>\n  (T)\n", "tulip", "https://t.example", "A [tulip][s] here.\n\n[s]:\n  <https://t.example>\n  (T)\n"},
		{"label of two links", "A [s] and [t][s].\n\n[s]: https://s.example\n", "", "https://t.example", "A [s](https://t.example) and [t][s].\n\n[s]: https://s.example\n"},
		{"label in a list", "* A [s]\r\n\r\n  [s]: https://s.example\r\n", "", "https://t.example", "* A [s]\r\n\r\n  [s]: https://t.example\r\n"},
	} {
		body := []byte(c.src)
		old, doc := Parse(body, Refs{}), Parse(body, Refs{})
		doc.Spans = nil
		edited := false
		eachNode(doc.Nodes, func(n *Node) {
			if n.Type != "link" || edited {
				return
			}
			edited = true
			if c.text != "" {
				n.Nodes = []*Node{textNode(Leaf{Text: c.text, Marks: n.Nodes[0].Leaves[0].Marks})}
				if c.name == "label and text" {
					n.Nodes[0].Leaves[0].Marks = nil
				}
			}
			if c.url != "" {
				n.Data = maps.Clone(n.Data)
				ref, _ := dataRef(n.Data["ref"])
				ref.URL = c.url
				n.Data["ref"] = ref
			}
		})
		if got := string(Reprint(body, old, doc, Refs{})); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
