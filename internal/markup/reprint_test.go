package markup

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
)

func plainParagraph(s string) *Node {
	return paragraphNode([]*Node{textNode(Leaf{Text: s})})
}

const apiMethod = `{% api-method method="get" host="https://x.y"  path="/cakes" %}
{% api-method-summary %}
Get cakes
{% endapi-method-summary %}
{% api-method-spec %}
{% api-method-request %}
{% api-method-parameter name="id" required=true %}
The __id__
{% endapi-method-parameter %}
{% endapi-method-request %}
{% api-method-response %}
{% api-method-response-example httpCode=200 %}
~~~
{}
~~~
{% endapi-method-response-example %}
{% endapi-method-response %}
{% endapi-method-spec %}
{% endapi-method %}
`

// change draws another document with mostly the same blocks.
func change(t *rapid.T, nodes []*Node) []*Node {
	nodes = slices.Clone(nodes)
	for range rapid.IntRange(1, 3).Draw(t, "changes") {
		fresh := rapid.SampledFrom([]*Node{
			plainParagraph("new text"), plainParagraph("other"), blockNode("divider", nil), headingNode(2, "", []*Node{textNode(Leaf{Text: "New"})}),
			blockNode("list-unordered", nil, blockNode("list-item", nil, plainParagraph("item"))), new(arena).code(nil, "code"), rawNode("<!-- x -->"),
		}).Draw(t, "block")
		at := rapid.IntRange(0, len(nodes)).Draw(t, "at")
		switch {
		case rapid.Bool().Draw(t, "insert") || at == len(nodes):
			nodes = slices.Insert(nodes, at, fresh)
		case rapid.Bool().Draw(t, "replace"):
			nodes[at] = fresh
		case rapid.Bool().Draw(t, "delete"):
			nodes = slices.Delete(nodes, at, at+1)
		default:
			to := rapid.IntRange(0, len(nodes)-1).Draw(t, "to")
			n := nodes[at]
			nodes = slices.Insert(slices.Delete(nodes, at, at+1), to, n)
		}
	}
	return nodes
}

// For any source and change, parsing the result returns the changed document.
func TestReprintGivesTheChangedDocument(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var src []byte
		if rapid.Bool().Draw(rt, "garbage") {
			src = drawPieces(rt)
		} else {
			src = Print(genNormal(rt), hardRefs)
		}
		old := Parse(src, hardRefs)
		doc := &Document{Nodes: change(rt, old.Nodes)}
		out := Reprint(src, old, doc, hardRefs)
		want := Parse(Print(doc, hardRefs), hardRefs)
		if err := sameDocs(want.Nodes, Parse(out, hardRefs).Nodes); err != nil {
			rt.Fatalf("%q\nbecame\n%q\nwhich is another document: %v", src, out, err)
		}
	})
}

// The same holds for an edit of one text anywhere in a block, of which only a
// part is printed again.
func TestReprintGivesTheEditedDocument(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var src []byte
		if rapid.Bool().Draw(rt, "garbage") {
			src = drawPieces(rt)
		} else {
			src = Print(genNormal(rt), hardRefs)
		}
		old, doc := Parse(src, hardRefs), Parse(src, hardRefs)
		var texts []*Leaf
		eachNode(doc.Nodes, func(n *Node) {
			for i := range n.Leaves {
				if !n.Leaves[i].Raw {
					texts = append(texts, &n.Leaves[i])
				}
			}
		})
		if len(texts) == 0 {
			return
		}
		leaf := texts[rapid.IntRange(0, len(texts)-1).Draw(rt, "text")]
		word := rapid.SampledFrom([]string{"new", " new ", "*", "_", "|", "- x", "1. x", "[a](b)", "\\", "&amp;", "{% hint %}", "  ", "--"}).Draw(rt, "word")
		switch rapid.IntRange(0, 2).Draw(rt, "edit") {
		case 0:
			leaf.Text += word
		case 1:
			leaf.Text = word + leaf.Text
		default:
			leaf.Text = word
		}
		out := Reprint(src, old, doc, hardRefs)
		want := Parse(Print(withEditedTitles(old, doc), hardRefs), hardRefs)
		if err := sameDocs(want.Nodes, Parse(out, hardRefs).Nodes); err != nil {
			rt.Fatalf("%q\nbecame\n%q\nwhich is another document: %v", src, out, err)
		}
	})
}

// An edit of one block of a clean source changes no other byte and no other
// key.
func TestReprintLeavesOtherBytesAndKeysAlone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src := Print(genNormal(rt), hardRefs)
		old := Parse(src, hardRefs)
		if len(old.Nodes) == 0 || bytes.Contains(src, []byte("[^")) || bytes.Contains(src, []byte(noteHref)) {
			return
		}
		i := rapid.IntRange(0, len(old.Nodes)-1).Draw(rt, "block")
		doc := &Document{Nodes: slices.Clone(old.Nodes)}
		doc.Nodes[i] = plainParagraph("changed")
		doc.Nodes[i].Key = old.Nodes[i].Key
		s := old.Spans[i]
		want := string(src[:s.Start]) + "changed" + string(src[s.End:])
		out := Reprint(src, old, doc, hardRefs)
		if string(out) != want {
			rt.Fatalf("wanted\n%s\ngot\n%s", want, out)
		}
		got := Parse(out, hardRefs)
		Rekey(NewSkeleton(old), nil, got)
		checkKeys(rapidTB{t, rt}, got)
		for j, n := range got.Nodes {
			if j != i && n.Key != old.Nodes[j].Key {
				rt.Fatalf("block %d lost its key %s and has %s", j, old.Nodes[j].Key, n.Key)
			}
		}
	})
}

// edit replaces the first text that equals old.
func edit(nodes []*Node, old, text string) {
	done := false
	eachNode(nodes, func(n *Node) {
		for i := range n.Leaves {
			if !done && n.Leaves[i].Text == old {
				n.Leaves[i].Text, done = text, true
			}
		}
	})
	if !done {
		panic("there is no text " + old)
	}
}

func TestReprint(t *testing.T) {
	for _, c := range []struct {
		name, src string
		edit      func(nodes []*Node) []*Node
		want      string
	}{
		{"nothing", "# A  \nb   c\n\n\n- d\n- e\n", func(n []*Node) []*Node { return n }, "# A  \nb   c\n\n\n- d\n- e\n"},
		{"replace", "- a\n-   b\n\n\n__c__\n\n+ d\n", func(n []*Node) []*Node { n[1] = plainParagraph("new"); return n }, "- a\n-   b\n\n\nnew\n\n+ d\n"},
		{"replace below a heading", "# A\nb\n\nc\n", func(n []*Node) []*Node { n[1] = plainParagraph("new"); return n }, "# A\nnew\n\nc\n"},
		{"replace what held two apart", "a\n***\nb\n", func(n []*Node) []*Node { n[1] = plainParagraph("new"); return n }, "a\n\nnew\n\nb\n"},
		{"insert", "a\n\n\n\nb\n", func(n []*Node) []*Node { return slices.Insert(n, 1, plainParagraph("new")) }, "a\n\nnew\n\n\n\nb\n"},
		{"insert first", "\n\na\n", func(n []*Node) []*Node { return slices.Insert(n, 0, plainParagraph("new")) }, "\n\nnew\n\na\n"},
		{"insert last", "a", func(n []*Node) []*Node { return append(n, plainParagraph("new")) }, "a\n\nnew\n"},
		{"insert into nothing", "", func(n []*Node) []*Node { return append(n, plainParagraph("new")) }, "new\n"},
		{"delete", "a\n\nb\n\n\nc\n", func(n []*Node) []*Node { return slices.Delete(n, 1, 2) }, "a\n\nc\n"},
		{"delete all", "a\n\nb\n", func(n []*Node) []*Node { return nil }, ""},
		{"move", "__a__\n\n- b\n\nc\n", func(n []*Node) []*Node { return []*Node{n[2], n[0], n[1]} }, "c\n\n__a__\n\n- b\n"},
		{"twice the same", "a\n\n- x\n\na\n", func(n []*Node) []*Node { n[0] = plainParagraph("b"); return n }, "b\n\n- x\n\na\n"},
		{"lists stay apart", "- a\n\nb\n\n- c\n", func(n []*Node) []*Node { return slices.Delete(n, 1, 2) }, "- a\n\n* c\n"},
		{"code without an end", "a\n\n```\nb\n", func(n []*Node) []*Node { return append(n, plainParagraph("c")) }, "a\n\n```\nb\n```\n\nc\n"},
		{"definitions stay", "[a]\n\n[a]: http://x.y\n\nb\n", func(n []*Node) []*Node { n[1] = plainParagraph("c"); return n }, "[a]\n\n[a]: http://x.y\n\nc\n"},
		{"a definition is used", "x [a]\n\n[a]: http://x.y\n", func(n []*Node) []*Node { n[0].Nodes[0].Leaves[0].Text = "y "; return n }, "y [a]\n\n[a]: http://x.y\n"},
		{"a definition is inlined", "x [a]\n\n[a]: http://x.y\n", func(n []*Node) []*Node { return append(n[:0], plainParagraph("z"), n[0]) }, "z\n\nx [a]\n\n[a]: http://x.y\n"},
		{"a heading with a class", "<h2 class=\"x  y\" id=a>One <b>two</b></h2>\n\ntext\n", func(n []*Node) []*Node { edit(n, "One ", "Three "); return n }, "<h2 class=\"x  y\" id=a>Three <b>two</b></h2>\n\ntext\n"},
		{"an item", "- a\n-   b *i*\n\n+ other\n", func(n []*Node) []*Node { edit(n, "b ", "B "); return n }, "- a\n-   B *i*\n\n+ other\n"},
		{"a new item", "- a __x__\n- b\n", func(n []*Node) []*Node {
			n[0].Nodes = append(n[0].Nodes, blockNode("list-item", nil, plainParagraph("c")))
			return n
		}, "- a __x__\n- b\n- c\n"},
		{"an item goes", "- a __x__\n- b\n- c\n", func(n []*Node) []*Node { n[0].Nodes = slices.Delete(n[0].Nodes, 1, 2); return n }, "- a __x__\n- c\n"},
		{"a cell", "|a|b|\n|-|-:|\n|*c*|d|\n|e|f|\n", func(n []*Node) []*Node { edit(n, "d", "much longer"); return n }, "|a|b|\n|-|-:|\n|*c*|much longer|\n|e|f|\n"},
		{"a soft break", "one *two*\nthree four\nfive\n", func(n []*Node) []*Node { edit(n, " three four five", " three 4 five"); return n }, "one *two*\nthree 4\nfive\n"},
		{"in a tag", "{% hint style=\"info\" %}\n- a\n- b\n\n\n__c__\n{% endhint %}\n", func(n []*Node) []*Node { edit(n, "b", "B"); return n }, "{% hint style=\"info\" %}\n- a\n- B\n\n\n__c__\n{% endhint %}\n"},
		{"in a tag of Windows", "{% hint style=\"info\" %}\r\n- a\r\n- b\r\n{% endhint %}\r\n", func(n []*Node) []*Node { edit(n, "b", "B"); return n }, "{% hint style=\"info\" %}\r\n- a\r\n- B\r\n{% endhint %}\r\n"},
		{"another style of it", "{% hint style=\"info\" %}\n- a\n{% endhint %}\n", func(n []*Node) []*Node { n[0].Data["style"] = "danger"; return n }, "{% hint style=\"danger\" %}\n- a\n{% endhint %}\n"},
		{"a mark", "a *b* __c__ d\n", func(n []*Node) []*Node { edit(n, "c", "C"); return n }, "a *b* __C__ d\n"},
		{"marks inside of links", "* Check the [**PLANS**](u)!\n* Get the [**swag**](v)\n* &lt;b&gt;\n", func(n []*Node) []*Node { edit(n, "PLANS", "PLANXS"); return n }, "* Check the [**PLANXS**](u)!\n* Get the [**swag**](v)\n* &lt;b&gt;\n"},
		{"before code in a link", "a [`x`](u)\n", func(n []*Node) []*Node { edit(n, "a ", "a word "); return n }, "a word [`x`](u)\n"},
		{"a cell beside escapes", "| a | b |\n| :--- | --- |\n| one | nil \\(no\\) |\n", func(n []*Node) []*Node { edit(n, "one", "once"); return n }, "| a | b |\n| :--- | --- |\n| once | nil \\(no\\) |\n"},
		{"a cell with escapes", "| a | b |\n| :--- | --- |\n| one | nil \\(no\\) |\n", func(n []*Node) []*Node { edit(n, "nil (no)", "nil (not)"); return n }, "| a | b |\n| :--- | --- |\n| one | nil \\(not\\) |\n"},
		{"a title", "|a|*b*|\n|:-|-|\n|c\\_|d|\n", func(n []*Node) []*Node {
			n[0].Data["definition"].(map[string]any)["c1"].(map[string]any)["title"] = "A (new)"
			return n
		}, "|A (new)|*b*|\n|:-|-|\n|c\\_|d|\n"},
		{"a title with marks", "|a|*b*|\n|:-|-|\n|c\\_|d|\n", func(n []*Node) []*Node {
			n[0].Fragments[0].Nodes[0] = paragraphNode([]*Node{textNode(Leaf{Text: "Input Metric", Marks: []Mark{{Type: "italic"}}})})
			return n
		}, "|a|*Input Metric*|\n|:-|-|\n|c\\_|d|\n"},
		{"an empty cell", "|a|b|\n|-|-|\n|c||\n|x\\_|y|\n", func(n []*Node) []*Node {
			n[0].Fragments[1].Nodes[0] = plainParagraph("new")
			return n
		}, "|a|b|\n|-|-|\n|c|new|\n|x\\_|y|\n"},
		{"an item beside escapes", "* A \\(x\\)\n* B \\(y\\)\n", func(n []*Node) []*Node { edit(n, "A (x)", "A z (x)"); return n }, "* A z \\(x\\)\n* B \\(y\\)\n"},
		{"an item with escapes goes", "1. A \\(x\\)\n2. B \\(y\\)\n3. C\n", func(n []*Node) []*Node { n[0].Nodes = n[0].Nodes[1:]; return n }, "1. B \\(y\\)\n3. C\n"},
		{"an item moves", "* A \\(x\\)\n* B \\(y\\)\n* __C__\n", func(n []*Node) []*Node {
			i := n[0].Nodes
			n[0].Nodes = []*Node{i[2], i[0], i[1]}
			return n
		}, "* __C__\n* A \\(x\\)\n* B \\(y\\)\n"},
		{"a broken link beside it", "* A [x](/broken/pages/ID#s)\n* B\n", func(n []*Node) []*Node { edit(n, "B", "C"); return n }, "* A [x](/broken/pages/ID#s)\n* C\n"},
		{"a broken link is printed", "A [x](/broken/pages/ID#s) B\n", func(n []*Node) []*Node {
			n[0].Nodes[1].extras = nil
			return append(n[:0], blockNode("blockquote", nil, n[0]))
		}, "> A [x](/broken/pages/ID#s) B\n"},
		{"tabs with their old names", "{% code-tabs %}\n{% code-tabs-item title=\"a.js\" %}\n```js\nx\n```\n{% endcode-tabs-item %}\n{% endcode-tabs %}\n", func(n []*Node) []*Node { edit(n, "x", "y"); return n }, "{% code-tabs %}\n{% code-tabs-item title=\"a.js\" %}\n```js\ny\n```\n{% endcode-tabs-item %}\n{% endcode-tabs %}\n"},
		{"an operation of an API", apiMethod, func(n []*Node) []*Node {
			edit(n, "Get cakes", "Get a cake")
			edit(n, "The ", "An ")
			edit(n, "{}", "[]")
			edit(n, "id", "key")
			return n
		}, strings.NewReplacer("name=\"id\"", "name=\"key\"", "Get cakes", "Get a cake", "The __id__", "An __id__", "{}", "[]").Replace(apiMethod)},
		{"in a box", "!!! Note \"T\"\n\n\ta __b__\n\n\t-   c\n-   d\n", func(n []*Node) []*Node { edit(n, "c", "e"); return n }, "!!! Note \"T\"\n\n\ta __b__\n\n\t-   e\n-   d\n"},
		{"a block in a box", "??? note\n    a\n\n    __b__\n", func(n []*Node) []*Node { n[0].Nodes = n[0].Nodes[1:]; return n }, "??? note\n    __b__\n"},
		{"a new block in a box", "=== \"a\"\n    __b__\n\nc\n", func(n []*Node) []*Node { n[0].Nodes = append(n[0].Nodes, plainParagraph("d")); return n }, "=== \"a\"\n    __b__\n\n    d\n\nc\n"},
		{"a box around a block", "__a__\n\n!!! note\n    b\n", func(n []*Node) []*Node { n[1].Nodes = append(n[1].Nodes, n[0]); return n[1:] }, "!!! note\n    b\n\n    __a__\n"},
		{"beside a box", "a\n\n!!!  note  inline\n    __b__\n\n\n", func(n []*Node) []*Node { edit(n, "a", "c"); return n }, "c\n\n!!!  note  inline\n    __b__\n\n\n"},
		{"the style of a box", "!!! note\n    __b__\n", func(n []*Node) []*Node { n[0].Data["style"] = "danger"; return n }, "{% hint style=\"danger\" marker=\"!!! note\" %}\n__b__\n{% endhint %}\n"},
		{"a literal text", "{% raw %}\n{% x %} __b__\n\n*  c\n{% endraw %}\n", func(n []*Node) []*Node { edit(n, "b", "d"); return n }, "{% raw %}\n{% x %} __d__\n\n*  c\n{% endraw %}\n"},
		{"a literal text in a line", "__a__ {% raw %}{{ x }}{% endraw %} b\n", func(n []*Node) []*Node { edit(n, " {{ x }} b", " {{ y }} b"); return n }, "__a__ {% raw %}{{ y }}{% endraw %} b\n"},
		{"an item without a list", "<li class=x>a</li>\n<li>b</li>\n", func(n []*Node) []*Node { edit(n, "a", "c"); return n }, "<li class=x>c</li>\n<li>b</li>\n"},
		{"a list with attributes", "<ul class=x>\n <li id=y>a</li></ul>\n", func(n []*Node) []*Node { edit(n, "a", "c"); return n }, "<ul class=x>\n <li id=y>c</li></ul>\n"},
		{"a list between bars", "| A |\n|--|\n| __a__ <ul><li>b</li><li>c</li></ul> |\n", func(n []*Node) []*Node { edit(n, "c", "d"); return n }, "| A |\n|--|\n| __a__ <ul><li>b</li><li>d</li></ul> |\n"},
		{"a hint of HTML", "<div data-gb-custom-block data-tag=\"hint\" data-style='danger'>\n\n__a__ b\n\n</div>\n", func(n []*Node) []*Node {
			if n[0].Type != "hint" || n[0].Str(FieldStyle) != "danger" {
				return nil
			}
			edit(n, " b", " c")
			return n
		}, "<div data-gb-custom-block data-tag=\"hint\" data-style='danger'>\n\n__a__ c\n\n</div>\n"},
		{"a text that is centred", "<div align=\"center\">a <b>b</b></div>\n", func(n []*Node) []*Node { edit(n, "b", "c"); return n }, "<div align=\"center\">a <b>c</b></div>\n"},
		{"a block in a tag", "{% hint style=\"info\" %}\nA \\(x\\)\n\n+ B\n{% endhint %}\n", func(n []*Node) []*Node {
			n[0].Nodes = slices.Insert(n[0].Nodes, 1, plainParagraph("new"))
			return n
		}, "{% hint style=\"info\" %}\nA \\(x\\)\n\nnew\n\n+ B\n{% endhint %}\n"},
		{"the style of a tag in a tag", "{% tabs %}\n{% tab title=\"A\" %}\nx \\(y\\)\n{% endtab %}\n{% tab title=\"B\" %}\n__z__ \\(y\\)\n{% endtab %}\n{% endtabs %}\n", func(n []*Node) []*Node {
			n[0].Nodes[1].Data["title"] = "C"
			return n
		}, "{% tabs %}\n{% tab title=\"A\" %}\nx \\(y\\)\n{% endtab %}\n{% tab title=\"C\" %}\n__z__ \\(y\\)\n{% endtab %}\n{% endtabs %}\n"},
		{"lines of code in a file of Windows", "a\r\n\r\n```\nb\nc\n```\r\n", func(n []*Node) []*Node {
			n[1].Nodes = append(n[1].Nodes, blockNode("code-line", nil, textNode(Leaf{Text: "d"})))
			return n
		}, "a\r\n\r\n```\nb\nc\nd\n```\r\n"},
		{"no line break at the end", "a\n\nb \\(c\\)", func(n []*Node) []*Node { edit(n, "b (c)", "b d (c)"); return n }, "a\n\nb d \\(c\\)"},
		{"a mark comes", "a \\(b\\) c\n", func(n []*Node) []*Node { n[0].Nodes[0].Leaves[0].Marks = []Mark{{Type: "bold"}}; return n }, "**a \\(b\\) c**\n"},
		{"a mark goes", "a __\\(b\\)__ *c*\n", func(n []*Node) []*Node { n[0].Nodes[0].Leaves[1].Marks = nil; return n }, "a \\(b\\) *c*\n"},
		{"windows lines", "a\r\n\r\nb\r\n", func(n []*Node) []*Node { n[0] = new(arena).code(nil, "c"); return n }, "```\r\nc\r\n```\r\n\r\nb\r\n"},
		{"footnotes keep their labels", "a[^note]\n\nb\n\n[^note]: N\n", func(n []*Node) []*Node { n[0].Nodes = append(n[0].Nodes, textNode(Leaf{Text: "!"})); return n }, "a[^note]\\!\n\nb\n\n[^note]: N\n"},
		{"footnotes go with their text", "a[^note]\n\nb\n\n[^note]: N\n\n[^other]: O\n", func(n []*Node) []*Node { return n[1:] }, "b\n\n[^other]: O\n"},
		{"a layout is one piece", "<div data-full-width=\"true\">\n\n```\na\n```\n\n```\nb\n```\n\n</div>\n\nc\n", func(n []*Node) []*Node { n[2] = plainParagraph("d"); return n },
			"<div data-full-width=\"true\">\n\n```\na\n```\n\n```\nb\n```\n\n</div>\n\nd\n"},
		{"a layout is printed as a whole", "<div data-full-width=\"true\">\n\n```\na\n```\n\n```\nb\n```\n\n</div>\n", func(n []*Node) []*Node { return n[:1] },
			"{% code fullWidth=\"true\" %}\n```\na\n```\n{% endcode %}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := Parse([]byte(c.src), Refs{})
			doc := Parse([]byte(c.src), Refs{})
			doc.Nodes = c.edit(doc.Nodes)
			if got := string(Reprint([]byte(c.src), old, doc, Refs{})); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A block that is split, joined or lifted keeps the bytes of its parts.
func TestReprintOfParts(t *testing.T) {
	split := func(word string) func(n []*Node) []*Node {
		return func(nodes []*Node) []*Node {
			at := &nodes
			if isList(nodes[0]) {
				at = &nodes[0].Nodes[0].Nodes
			}
			p := (*at)[0]
			for k, text := range p.Nodes {
				for j, l := range text.Leaves {
					if i := strings.Index(l.Text, word); i > 0 {
						left, right := splitAt(p, k, j, i)
						*at = slices.Replace(*at, 0, 1, left, right)
						return nodes
					}
				}
			}
			panic("there is no text " + word)
		}
	}
	join := func(n []*Node) []*Node {
		n[0].Nodes = oneText(n[0].Nodes, n[1].Nodes)
		return slices.Delete(n, 1, 2)
	}
	lift := func(n []*Node) []*Node { return slices.Concat(n[0].Nodes, n[1:]) }
	for _, c := range []struct {
		name, src string
		edit      func(nodes []*Node) []*Node
		want      string
	}{
		{"code in bold", "__No `fsckObjects`.__ With files\nleft out\n", split("ck"), "__No `fs`__\n\n__`ckObjects`.__ With files\nleft out\n"},
		{"code in bold in italic", "*a __b `cdef` g__ h*  i\n", split("ef"), "*a __b `cd`__*\n\n*__`ef` g__ h*  i\n"},
		{"code at the beginning of a mark", "- *`Cache-Control` with* x:\n  y\n", split("he-"), "- *`Cac`*\n\n  *`he-Control` with* x:\n  y\n"},
		{"spaces after it", "- a  b  \n- c\n", split("  b"), "- a\n\n  b  \n- c\n"},
		{"spaces after a text", "a  b  \n\nc\n", split("  b"), "a\n\nb  \n\nc\n"},
		{"spaces after the first", "a \n\n__bc__  \n\nd\n", join, "a __bc__  \n\nd\n"},
		{"an emoji of an element", "a <span data-gb-custom-inline data-tag=\"emoji\" data-code=\"2705\">x</span>\n\n__b__ :dog:\n", join, "a <span data-gb-custom-inline data-tag=\"emoji\" data-code=\"2705\">x</span> __b__ :dog:\n"},
		{"a formula and an icon", "a $$x$$\n\n<i class=\"fa-x\" ></i> b\n", join, "a $$x$$ <i class=\"fa-x\" ></i> b\n"},
		{"a list below a text", "{% hint style=\"info\" %}\n__a__\n- b\n{% endhint %}\n\nc\n", lift, "__a__\n- b\n\nc\n"},
		{"the line of a tag", "{% hint style='info' %}\n1.  a\n    - b\n{% endhint %}\n", func(n []*Node) []*Node {
			slices.Reverse(n[0].Nodes[0].Nodes[0].Nodes)
			return n
		}, "{% hint style='info' %}\n1.  - b\n\n    a\n{% endhint %}\n"},
		{"the tag of a mark at the beginning", "<b>alpha</b> b  \n\nc\n", split("pha"), "<b>al</b>\n\n<b>pha</b> b  \n\nc\n"},
		{"code after the tag of a mark", "<b>a</b> `` b ` ``\n\n_c_ __d__ *e*\n", join, "<b>a</b> `` b ` `` _c_ __d__ *e*\n"},
		{"an address at the beginning", "<https://a.b> `` c ` ``\n\n*d* [r]\n\n[r]: /x\n", join, "<https://a.b> `` c ` `` *d* [r]\n\n[r]: /x\n"},
		{"the space after a list", "- a\n- b\n- c\n\n\n1. d\n", func(n []*Node) []*Node {
			first, rest := *n[0], *n[0]
			first.Nodes, rest.Nodes, rest.Key = n[0].Nodes[:1], n[0].Nodes[2:], ""
			return []*Node{&first, n[0].Nodes[1].Nodes[0], &rest, n[1]}
		}, "- a\n\nb\n\n- c\n\n\n1. d\n"},
		{"the space and the numbers of items", "> 3. [x] a\n>\n> 4. [x] b\n>\n> 3.  c\n", func(n []*Node) []*Node {
			list := n[0].Nodes[0]
			list.Nodes[0], list.Nodes[1] = list.Nodes[1], list.Nodes[0]
			return n
		}, "> 3. [x] b\n>\n> 4. [x] a\n>\n> 3.  c\n"},
		{"a literal text", "a\n\n{% raw %}\n{% x %} b\n{% endraw %}\n", func(n []*Node) []*Node { n[1].Type, n[1].Data = "heading-2", map[string]any{}; return n }, "a\n\n## {% raw %}{% x %} b{% endraw %}\n"},
	} {
		doc := Parse([]byte(c.src), Refs{})
		doc.Spans, doc.Nodes = nil, c.edit(doc.Nodes)
		if got := string(Reprint([]byte(c.src), Parse([]byte(c.src), Refs{}), doc, Refs{})); got != c.want {
			t.Errorf("%s: %q became\n%q instead of\n%q", c.name, c.src, got, c.want)
		}
	}
}

// What is between the last two blocks, and after the last one, stays.
func TestReprintAtTheEnd(t *testing.T) {
	for _, gap := range []string{"\n\n", "\n\n\n", "\n \n", "\r\n\r\n", "\n"} {
		for _, last := range []string{"b", "- b", "```\nb\n```", "> b", "| a |\n|---|\n| b |", "***", "<!-- b -->", "{% hint %}\nb\n{% endhint %}"} {
			for _, end := range []string{"", "\n", "\n\n", "\n\n\n", "\r\n", " \n", "\n \n", "\n\n[r]: /x\n"} {
				src := "# a" + gap + last + end
				old := Parse([]byte(src), Refs{})
				if len(old.Nodes) != 2 {
					t.Fatalf("%q has %d blocks", src, len(old.Nodes))
				}
				fresh, between := plainParagraph("new"), gap
				if gap == "\n" && last == "b" {
					between = "\n\n" // two texts
				}
				for want, nodes := range map[string][]*Node{
					"# a" + gap + "new" + end:            {old.Nodes[0], fresh},
					"# a" + gap + last + "\n\nnew" + end: {old.Nodes[0], old.Nodes[1], fresh},
					"new" + between + last + end:         {fresh, old.Nodes[1]},
				} {
					lines := func(s string) string { // a page that had no last line end may get one
						s = strings.ReplaceAll(s, "\r\n", "\n")
						if !strings.HasPrefix(end, "\n") {
							s = strings.ReplaceAll(strings.TrimRight(s, " \n"), " \n\nnew", "\n\nnew")
						}
						return s
					}
					if got := string(Reprint([]byte(src), old, &Document{Nodes: nodes}, Refs{})); lines(got) != lines(want) {
						t.Errorf("%q became %q instead of %q", src, got, want)
					}
				}
			}
		}
	}
}

func TestReprintOfNewFootnotes(t *testing.T) {
	src := "a[^1]\n\n[^1]: N\n"
	old := Parse([]byte(src), Refs{})
	doc := Parse([]byte(src), Refs{})
	doc.Nodes = append(doc.Nodes, Parse([]byte("b[^1]\n\n[^1]: M\n"), Refs{}).Nodes...)
	want := "a[^1]\n\nb[^2]\n\n[^1]: N\n\n[^2]: M\n"
	if got := string(Reprint([]byte(src), old, doc, Refs{})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// moved returns references whose targets all have new destinations.
func moved(dests map[string]string) Refs {
	return Refs{
		Resolve: func(dest string, use Use) (docs.Ref, bool) {
			if dests[dest] == "" {
				return docs.Ref{}, false
			}
			kind := docs.Ref{Kind: docs.RefPage, Page: dest}
			switch use {
			case UseInclude:
				kind = docs.Ref{Kind: docs.RefReusable, ReusableContent: dest}
			case UseImage, UseFile:
				kind = docs.Ref{Kind: docs.RefFile, File: dest}
			}
			return kind, true
		},
		Locate: func(ref docs.Ref, use Use) (string, bool) {
			dest, ok := dests[ref.Target()]
			return dest, ok
		},
	}
}

func TestRelocate(t *testing.T) {
	refs := moved(map[string]string{"a.md": "new/a (1).md", "i.png": "../x y.png", "inc.md": "../inc.md", "same.md": "same.md", "a b.md": "c.md"})
	for _, c := range []struct{ name, src, want string }{
		{"link", "x  [a](a.md)\ny\n", "x  [a](<new/a (1).md>)\ny\n"},
		{"title", "[a](a.md 'T') `c`\n", "[a](<new/a (1).md> 'T') `c`\n"},
		{"pointy", "[a](<a b.md>)\n", "[a](<c.md>)\n"},
		{"twice", "[a](a.md) [b](a.md)\n", "[a](<new/a (1).md>) [b](<new/a (1).md>)\n"},
		{"same", "__[a](same.md)__\n", "__[a](same.md)__\n"},
		{"mention", "[a.md](a.md \"mention\")\n", "[a (1).md](<new/a (1).md> \"mention\")\n"},
		{"content reference", "{% content-ref url=\"a.md\" %}\n[a.md](a.md)\n{% endcontent-ref %}\n", "{% content-ref url=\"new/a (1).md\" %}\n[a (1).md](<new/a (1).md>)\n{% endcontent-ref %}\n"},
		{"include", "{% include \"inc.md\" %}\n", "{% include \"../inc.md\" %}\n"},
		{"figure", "<figure><img src=\"i.png\" alt=\"a.md\"></figure>\n", "<figure><img src=\"../x y.png\" alt=\"a.md\"></figure>\n"},
		{"image", "![x](i.png)\n", "![x](<../x y.png>)\n"},
		{"button", "<a href=\"a.md\" class=\"button primary\">a.md</a>\n", "<a href=\"new/a (1).md\" class=\"button primary\">a.md</a>\n"},
		{"card", "<table data-view=\"cards\"><thead><tr><th data-type=\"content-ref\">T</th></tr></thead><tbody><tr><td><a href=\"a.md\">a</a></td></tr></tbody></table>\n",
			"<table data-view=\"cards\"><thead><tr><th data-type=\"content-ref\">T</th></tr></thead><tbody><tr><td><a href=\"new/a (1).md\">a</a></td></tr></tbody></table>\n"},
		{"not in code", "- `[a](a.md)` and [a](a.md)\n", "* `[a](a.md)` and [a](<new/a (1).md>)\n"},
		{"other blocks", "__x__\n\n-   [a](a.md)\n\n`[a](a.md)`\n", "__x__\n\n-   [a](<new/a (1).md>)\n\n`[a](a.md)`\n"},
		{"definition", "[a][r]\n\n[r]: a.md\n", "[a](<new/a (1).md>)\n\n[r]: a.md\n"},
		{"unknown", "[a](b.md)\n", "[a](b.md)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := []byte(c.src)
			if got := string(Relocate(src, Parse(src, refs), refs)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestRelocateReadsAsTheSameDocument(t *testing.T) {
	// The destinations of a random document change. Parsed with the new
	// destinations, the document is equal.
	dests := map[string]string{}
	for _, d := range []string{"b.md", "x.md", "b", "b.png", "a.png", "p.md", "b c", "a", "x"} {
		dests[d] = "new/" + d
	}
	from := moved(dests)
	back := Refs{Resolve: func(dest string, use Use) (docs.Ref, bool) {
		return from.Resolve(strings.TrimPrefix(dest, "new/"), use)
	}, Locate: from.Locate}
	rapid.Check(t, func(rt *rapid.T) {
		src := drawPieces(rt)
		doc := Parse(src, from)
		out := Relocate(src, doc, from)
		if err := sameDocs(doc.Nodes, Parse(out, back).Nodes); err != nil {
			rt.Fatalf("%q\nrelocated as\n%q\nis another document: %v", src, out, err)
		}
	})
}

// A page that ends with an empty block can be merged.
func TestWithSourceOfAnEmptyLastBlock(t *testing.T) {
	src := []byte("a\n\n<p align=\"center\"></p>\n")
	if doc := WithSource(src, Parse(src, Refs{})); len(doc.Nodes) != 2 || doc.Nodes[0].extra().source != "a" {
		t.Errorf("read as\n%s", outlineOf(doc.Nodes))
	}
}
