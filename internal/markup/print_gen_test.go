package markup

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
)

// normalGen draws documents in the form that Parse returns. Parsing the printed
// source must return exactly the same nodes.
type normalGen struct {
	t    *rapid.T
	note bool // inside of a footnote
	full bool // most attributes are set
}

// harsh are characters and sequences that have a meaning in some syntax.
var harsh = []string{
	"*", "**", "_", "__", "~", "~~", "`", "``", "```", "[", "]", "(", ")", "![", "<", ">", "<b>", "</b>", "<div>", "<!--", "&", "&amp;", "&#32;", "\\", "\\\\", "#", "##", "-", "---", "+", "=", "===", "1.", "2)", "|", "||", "$", "$$",
	":", ":dog:", ":nosuch:", "@", "a@b.co", "http://a.bc/d", "www.a.bc", "{%", "!!! note", "??? tip", "=== \"a\"", "{% hint %}", "%}", "{{", "}}", "!", "\"", "'", "^", "[^1]", "[^1]: x", "[x]: y", "[ ]", "* ", "> ", "é", "漢字", "🐶", "\u00a0", "“", "…", "，", "。", "「", "）",
	"a", "b", "word", "snake_case", "2*3", "x", " ", " ", " ", "  ", ".", ",", "\t",
}

func (g *normalGen) text(breaks bool) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(harsh), 1, 6).Draw(g.t, "text")
	if breaks && rapid.IntRange(0, 4).Draw(g.t, "break") == 0 {
		parts = slices.Insert(parts, rapid.IntRange(0, len(parts)).Draw(g.t, "at"), "\n")
	}
	return strings.Join(parts, "")
}

func (g *normalGen) line() string {
	return strings.TrimSpace("w" + strings.ReplaceAll(g.text(false), "\t", " ") + "w")
}

func (g *normalGen) chance(n int) bool {
	if g.full {
		return rapid.IntRange(0, 3).Draw(g.t, "chance") > 0
	}
	return rapid.IntRange(1, n).Draw(g.t, "chance") == 1
}

func (g *normalGen) pick(s ...string) string { return rapid.SampledFrom(s).Draw(g.t, "pick") }

func (g *normalGen) marks() []Mark {
	var marks []Mark
	for _, typ := range rapid.SliceOfNDistinct(rapid.SampledFrom(markOrder), 0, 3, rapid.ID[string]).Draw(g.t, "marks") {
		m := Mark{Type: typ}
		if typ == "color" {
			m.Data = map[string]string{"text": g.pick(Colours...), "background": g.pick(Colours...)}
		}
		marks = addMark(marks, m)
	}
	return marks
}

// inlines draws texts and inlines, joined as a builder does.
func (g *normalGen) inlines(rich, breaks bool) []*Node {
	var b InlineBuilder
	for range rapid.IntRange(1, 4).Draw(g.t, "inlines") {
		if !rich || g.chance(2) {
			b.Text(g.text(breaks), g.marks())
			continue
		}
		b.Inline(g.inline())
	}
	nodes := b.Done()
	// A note is attached to the word before it, so the word is inside the note.
	for i, n := range nodes {
		if n.Type == "annotation" && i > 0 && nodes[i-1].Object != ObjectText && PlainText(n.Nodes) == "" {
			n.Nodes = []*Node{textNode(Leaf{Text: "note"})}
		}
	}
	return nodes
}

func (g *normalGen) ref() docs.Ref {
	return rapid.SampledFrom([]docs.Ref{
		{Kind: docs.RefPage, Page: "p1"}, {Kind: docs.RefPage, Page: "p2", Space: "s1"}, {Kind: docs.RefAnchor, Anchor: "a1"}, {Kind: docs.RefAnchor, Anchor: "a1", Page: "p1"},
		{Kind: docs.RefFile, File: "f1"}, {Kind: docs.RefSpace, Space: "s1"}, {Kind: docs.RefUser, User: "u1"}, {Kind: docs.RefURL, URL: "https://example.com/a_b*c?d=e&f=(g)"},
		{Kind: docs.RefURL, URL: "mailto:a@b.co"}, {Kind: docs.RefURL, URL: "x y.md"}, {Kind: docs.RefURL, URL: ""}, {Kind: docs.RefURL, URL: "a&amp;b|c\\d\"e"}, {Kind: docs.RefCollection, Collection: "c1"},
	}).Draw(g.t, "ref")
}

func (g *normalGen) image() docs.Ref {
	return rapid.SampledFrom([]docs.Ref{{Kind: docs.RefFile, File: "f1"}, {Kind: docs.RefURL, URL: "https://x.y/a(b)|c.png"}, {Kind: docs.RefURL, URL: "../a b.png"}}).Draw(g.t, "image")
}

func (g *normalGen) inline() *Node {
	n := inlineNode(g.pick("link", "emoji", "icon", "expression", "inline-math", "inline-image", "annotation", "mention", "button"), map[string]any{})
	switch n.Type {
	case "link":
		n.Data["ref"] = g.ref()
		if g.chance(3) {
			n.Data["title"] = g.line()
		}
		var b InlineBuilder
		b.Text(g.text(true), g.marks())
		if g.chance(3) {
			b.Inline(inlineNode("inline-image", map[string]any{"ref": g.image(), "size": "original"}))
		}
		n.Nodes = b.Done()
	case "emoji":
		n.Data["code"] = g.pick("1f436", "2705", "1f1eb-1f1f7", "nosuch")
	case "icon":
		n.Data["icon"] = g.pick("bolt", "circle-info")
		if g.chance(2) {
			n.Data["color"] = g.pick(Colours...)
		}
	case "expression":
		n.Data["expression"] = g.pick("space.vars.a_b", `a["b"]  || c && d < 1`, "`${x}`", "a|b")
	case "inline-math":
		n.Data["formula"] = g.pick("", "a_b^c", `\frac{1}{2}`, "a|b", "x$", "a$$b", "*x*", "<b>")
	case "inline-image":
		n.Data["ref"], n.Data["size"] = g.image(), g.pick("line", "original")
		if g.chance(2) {
			n.Data["alt"] = g.line()
		}
		if g.chance(3) {
			n.Data["refDark"] = g.image()
		}
		if g.chance(3) {
			n.Data["caption"] = g.line()
		}
	case "annotation":
		if g.note {
			return inlineNode("emoji", map[string]any{"code": "1f436"})
		}
		g.note = true
		n.Data = nil
		n.Nodes = []*Node{textNode(Leaf{Text: g.pick("word", "two words", "a*b"), Marks: g.marks()})}
		n.Fragments = []*Node{fragmentNode("", "annotation-body", g.blocks(1, 2, 3))}
		g.note = false
	case "mention":
		n.Data["ref"] = g.ref()
	case "button":
		n.Data["label"], n.Data["kind"] = g.line(), g.pick("primary", "secondary")
		if g.chance(2) {
			n.Data["ref"] = g.ref()
		} else if g.chance(2) {
			n.Data["action"], n.Data["query"] = g.pick("search", "ask"), g.line()
		} else {
			n.Data["action"], n.Data["slug"] = "select", "a-b"
		}
		if g.chance(2) {
			n.Data["icon"] = "rocket"
		}
		g.maybe(n.Data, "size", "small", "large")
	}
	return n
}

func (g *normalGen) paragraph() *Node {
	n := paragraphNode(g.inlines(true, true))
	if g.chance(6) {
		n.Data = map[string]any{"align": g.pick(TextAlignments...)}
	}
	return n
}

const normalDepth = 4

// drawnTypes are the types of blocks that g.block draws.
var drawnTypes = []string{
	"paragraph", "heading", "divider", "code", "list", "blockquote", "images", "drawing",
	"hint", "table", "math", "tabs", "stepper", "columns", "expandable", "if", "updates", "prompt", "embed", "file",
	"content-ref", "reusable-content", "integration", "swagger", "openapi-operation", "openapi-schemas", "openapi-webhook", "raw",
}

// blockPlaces put a block into a container where it is allowed.
var blockPlaces = map[string]func(n *Node) *Node{
	"the top": func(n *Node) *Node { return n },
	"a hint":  func(n *Node) *Node { return blockNode("hint", map[string]any{"style": "info"}, n) },
	"a quote": func(n *Node) *Node { return blockNode("blockquote", nil, n) },
	"an item": func(n *Node) *Node { return blockNode("list-unordered", nil, blockNode("list-item", nil, n)) },
	"a tab": func(n *Node) *Node {
		return blockNode("tabs", map[string]any{}, blockNode("tabs-item", map[string]any{"title": "t"}, n))
	},
	"a column": func(n *Node) *Node { return blockNode("columns", map[string]any{}, blockNode("column", nil, n)) },
	"a body": func(n *Node) *Node {
		out := blockNode("expandable", map[string]any{})
		out.Fragments = []*Node{
			fragmentNode("expandable-title", "expandable-title", []*Node{plainParagraph("t")}), fragmentNode("expandable-body", "expandable-body", []*Node{n}),
		}
		return out
	},
	"a note": func(n *Node) *Node {
		note := inlineNode("annotation", nil)
		note.Data, note.Nodes = nil, []*Node{textNode(Leaf{Text: "word"})}
		note.Fragments = []*Node{fragmentNode("", "annotation-body", []*Node{n})}
		return paragraphNode([]*Node{note})
	},
	"a step": func(n *Node) *Node {
		return blockNode("stepper", nil, blockNode("stepper-step", map[string]any{"icon": "bolt"}, n))
	},
	"an update": func(n *Node) *Node {
		return blockNode("updates", map[string]any{"format": "full"}, blockNode("update", map[string]any{"date": "2025-12-25T00:00:00.000Z"}, n))
	},
	"a condition": func(n *Node) *Node { return blockNode("if", map[string]any{"expression": "x && y"}, n) },
	"a caption": func(n *Node) *Node {
		return captioned(blockNode("file", map[string]any{"ref": docs.Ref{Kind: docs.RefURL, URL: "a.zip"}}), []*Node{n})
	},
	"the caption of an image": func(n *Node) *Node {
		image := captioned(blockNode("image", map[string]any{"ref": docs.Ref{Kind: docs.RefURL, URL: "a.png"}}), []*Node{n})
		return blockNode("images", map[string]any{}, image)
	},
	"a cell": func(n *Node) *Node {
		t := newTable(&arena{})
		id, _ := t.column("text")
		t.title(id, []*Node{textNode(Leaf{Text: "t"})})
		row, values := t.row()
		t.cell(row, values, id, []*Node{n, plainParagraph("x")})
		return t.done()
	},
}

func (g *normalGen) blocks(low, high, depth int) []*Node {
	types := append([]string{"paragraph", "paragraph", "list"}, drawnTypes...)
	if depth >= normalDepth {
		types = []string{"paragraph", "paragraph", "heading", "divider", "code"}
	}
	var nodes []*Node
	for range rapid.IntRange(low, high).Draw(g.t, "blocks") {
		nodes = append(nodes, g.block(g.pick(types...), depth))
	}
	return nodes
}

func (g *normalGen) block(typ string, depth int) *Node {
	inner := func() []*Node { return Filled(g.blocks(0, 2, depth+1)) }
	data := map[string]any{}
	set := func(key string, values ...string) { g.maybe(data, key, values...) }
	flag := func(key string) {
		if g.chance(2) {
			data[key] = true
		}
	}
	switch typ {
	case "paragraph":
		return g.paragraph()
	case "heading":
		n := headingNode(rapid.IntRange(1, 6).Draw(g.t, "level"), "", g.inlines(true, true))
		if rapid.IntRange(0, 9).Draw(g.t, "class") == 0 {
			n.Data = setString(n.Data, "class", "big \"x\"")
		}
		if g.chance(3) {
			n.Data["id"] = g.pick("a-b", "x.y", "é", "Capital")
		}
		if g.chance(6) {
			n.Data["align"] = g.pick(TextAlignments...)
		}
		return n
	case "divider":
		return blockNode("divider", nil)
	case "blockquote":
		return blockNode("blockquote", nil, inner()...)
	case "list":
		return g.list(inner)
	case "code":
		return g.code()
	case "math":
		return blockNode("math", map[string]any{"formula": g.pick("a", "a\n\n  b", `\begin{x}`, "", "> a\n* b")})
	case "hint":
		data["style"] = g.pick(HintStyles...)
		set("icon", "x")
		set("foo", unknown...)
		set(fieldBox.name, "!!! note", `!!! warning "a *b*"`, `=== "a"`, "??? tip", "!!! x y", " !!! note", "!!! note\nb", "*")
		return blockNode("hint", data, inner()...)
	case "tabs":
		flag("fullWidth")
		n := blockNode("tabs", data)
		for range rapid.IntRange(1, 2).Draw(g.t, "tabs") {
			item := map[string]any{"title": g.line()}
			g.maybe(item, "icon", "bolt")
			g.maybe(item, "slug", "a-b")
			g.maybe(item, "foo", unknown...)
			n.Nodes = append(n.Nodes, blockNode("tabs-item", item, inner()...))
		}
		return n
	case "stepper":
		step := map[string]any{}
		g.maybe(step, "icon", "bolt")
		g.maybe(step, "foo", unknown...)
		return blockNode("stepper", nil, blockNode("stepper-step", step, inner()...), blockNode("stepper-step", nil, inner()...))
	case "columns":
		flag("fullWidth")
		column := map[string]any{"verticalAlignment": g.pick(VerticalAlignments...), "width": map[string]any{"unit": "%", "value": 33.5}}
		return blockNode("columns", data, blockNode("column", column, inner()...), blockNode("column", nil, inner()...))
	case "expandable":
		flag("defaultExpanded")
		n := blockNode("expandable", data)
		n.Fragments = []*Node{
			fragmentNode("expandable-title", "expandable-title", []*Node{paragraphNode(g.inlines(true, true))}),
			fragmentNode("expandable-body", "expandable-body", inner()),
		}
		return n
	case "if":
		return blockNode("if", map[string]any{"expression": g.pick(`a === "b"`, "x && y", `'%}' != z`)}, inner()...)
	case "updates":
		update := map[string]any{"date": g.pick("2025-12-25T00:00:00.000Z", "2025-12-25T10:00:00.000Z", "2025-12-25T23:59:59.999Z")}
		if g.chance(2) {
			update["foo"] = g.pick(unknown...)
			update["tags"] = []any{docs.Ref{Kind: docs.RefTag, Tag: "new"}}
		}
		return blockNode("updates", map[string]any{"format": g.pick("full", "short", "numeric")}, blockNode("update", update, inner()...))
	case "prompt":
		data["description"], data["openInAIProviders"] = g.line(), true
		set("icon", "bolt")
		set("defaultExpanded", "hidden", "partial", "full")
		return blockNode("prompt", data, g.code())
	case "images":
		return g.images(data)
	case "table":
		return g.table(depth)
	}
	return g.void(typ, data)
}

// unknown are values of attributes that no block defines.
var unknown = []string{"a", `b "c"`, "%}", "<d>", `e\`}

// maybe draws whether a node has an attribute, and its value.
func (g *normalGen) maybe(data map[string]any, key string, values ...string) {
	if g.chance(2) {
		data[key] = g.pick(values...)
	}
}

func (g *normalGen) list(inner func() []*Node) *Node {
	n := blockNode(g.pick("list-unordered", "list-ordered", "list-tasks"), nil)
	if n.Type == "list-ordered" {
		n.Data = map[string]any{}
		if g.chance(2) {
			n.Data["start"] = float64(rapid.SampledFrom([]int{0, 2, 7, 99}).Draw(g.t, "start"))
		}
	}
	for range rapid.IntRange(1, 3).Draw(g.t, "items") {
		item := blockNode("list-item", nil, inner()...)
		if n.Type == "list-tasks" {
			item.Data = map[string]any{"checked": g.chance(2)}
		}
		n.Nodes = append(n.Nodes, item)
	}
	return n
}

func (g *normalGen) code() *Node {
	lines := []string{"", "a", "  indented", "```", "~~~", "{% endcode %}", "<b>&amp;</b>", "> q", "* l", "\ttab", "$$", "</code></pre>", "[^1]: x", "trailing  "}
	n := blockNode("code", map[string]any{})
	if g.chance(2) {
		n.Data["syntax"] = g.pick("js", "c++", "objective-c&amp;")
	}
	if g.chance(3) {
		n.Data["title"] = g.line()
	}
	if g.chance(3) {
		n.Data["overflow"], n.Data["lineNumbers"] = g.pick("wrap", "scroll"), g.chance(2)
	}
	if g.chance(3) {
		n.Data["fullWidth"] = g.chance(2)
	}
	if g.chance(3) {
		n.Data["foo"] = g.pick(unknown...)
	}
	if g.chance(3) {
		n.Data["expandable"], n.Data["collapsedLineCount"] = g.chance(2), 3.0
	}
	marked := g.chance(4)
	for range rapid.IntRange(1, 4).Draw(g.t, "lines") {
		text := g.pick(lines...)
		l := blockNode("code-line", nil, textNode(Leaf{Text: text}))
		if marked && g.chance(2) {
			l.Data = map[string]any{"highlighted": true}
		}
		n.Nodes = append(n.Nodes, l)
	}
	return n
}

func (g *normalGen) images(data map[string]any) *Node {
	n := blockNode("images", data)
	if g.chance(3) {
		data["align"] = g.pick(ColumnAlignments...)
	}
	if g.chance(3) {
		data["fullWidth"] = true
	}
	if g.chance(3) {
		data["withFrame"] = true
	}
	for range rapid.IntRange(1, 2).Draw(g.t, "images") {
		image := blockNode("image", map[string]any{"ref": g.image()})
		if g.chance(2) {
			image.Data["alt"] = g.line()
			image.Data["width"] = 563.0
			if g.chance(2) {
				image.Data["width"], image.Data["height"] = map[string]any{"unit": "%", "value": 50.0}, 120.0
			}
		}
		if g.chance(2) {
			image.Data["refDark"] = g.image()
		}
		if g.chance(2) {
			captioned(image, g.caption())
		}
		n.Nodes = append(n.Nodes, image)
	}
	return n
}

// caption draws a caption, usually one paragraph.
func (g *normalGen) caption() []*Node {
	if rapid.IntRange(0, 3).Draw(g.t, "long caption") > 0 {
		return []*Node{paragraphNode(g.inlines(true, true))}
	}
	return g.blocks(1, 2, normalDepth)
}

func (g *normalGen) void(typ string, data map[string]any) *Node {
	flag := func(key string) {
		if g.chance(2) {
			data[key] = g.chance(2)
		}
	}
	captions := func(n *Node) *Node {
		if g.chance(2) {
			captioned(n, g.caption())
		}
		return n
	}
	switch typ {
	case "embed":
		data["url"] = "https://example.com/?a=b&c=d"
		g.maybe(data, "foo", unknown...)
		flag("fullWidth")
		n := blockNode(typ, data)
		return captions(n)
	case "file":
		data["ref"] = g.image()
		g.maybe(data, "foo", unknown...)
		return captions(blockNode(typ, data))
	case "drawing":
		data["ref"] = g.image()
		return captions(blockNode(typ, data))
	case "content-ref":
		data["ref"] = g.ref()
		g.maybe(data, "foo", unknown...)
	case "reusable-content":
		data["ref"] = docs.Ref{Kind: docs.RefReusable, ReusableContent: "r1"}
	case "integration":
		data["integration"], data["block"], data["props"] = "name", "block", map[string]any{"content": g.pick("a", "a\n\n  b", `"q" \ \\`, "%}", "\\"), "b": "c"}
		flag("fullWidth")
		g.maybe(data, "url", "https://x.y/z")
	case "swagger":
		data["ref"], data["path"], data["method"] = docs.Ref{Kind: docs.RefURL, URL: "https://x/y.json"}, "/a", "get"
		flag("expanded")
		g.maybe(data, "foo", unknown...)
		flag("fullWidth")
	case "openapi-operation":
		data["ref"], data["path"], data["method"] = docs.Ref{Kind: docs.RefOpenAPI, Spec: "s"}, "/a/{b}", "get"
	case "openapi-webhook":
		data["ref"], data["name"], data["method"] = docs.Ref{Kind: docs.RefOpenAPI, Spec: "s"}, "n", "post"
	case "openapi-schemas":
		data["ref"], data["schemas"], data["grouped"] = docs.Ref{Kind: docs.RefOpenAPI, Spec: "s"}, []any{"A", "B"}, g.chance(2)
		g.maybe(data, "title", "T", `a "b"`)
		g.maybe(data, "foo", unknown...)
	case "raw":
		return rawNode(g.pick("{% highlight a=\"b\" %}\n*x*\n{% endhighlight %}", "{% unknown a=\"b\" %}", "{{< note \"t\" >}}", "{{% /note %}} {{< x >}}", ":::tip Title", ":::", "<iframe src=\"x\"></iframe>", "<!-- c -->", "{% endnothing %}", "<video>\n<source>\n</video>", "{% other %}"))
	}
	return blockNode(typ, data)
}

func (g *normalGen) table(depth int) *Node {
	t := newTable(&arena{})
	plain := g.chance(2)
	kinds := []string{"text", "text"}
	if !plain {
		kinds = append(kinds, rapid.SliceOfN(rapid.SampledFrom(ColumnTypes), 0, 4).Draw(g.t, "columns")...)
	}
	for _, k := range kinds {
		id, def := t.column(k)
		t.title(id, g.inlines(g.chance(4), g.chance(4)))
		switch k {
		case "text":
			def["textAlignment"] = g.pick(ColumnAlignments...)
			if !plain {
				g.maybe(def, "verticalAlignment", VerticalAlignments...)
			}
		case "users":
			def["multiple"] = g.chance(2)
		case "rating":
			def["max"] = rapid.SampledFrom([]float64{5, 3, 10}).Draw(g.t, "max")
		case "select":
			def["multiple"] = g.chance(2)
			def["options"] = []any{map[string]any{"value": "o1", "label": "One <1>", "color": "blue"}}
		}
	}
	for range rapid.IntRange(0, 3).Draw(g.t, "rows") {
		row, values := t.row()
		for i, k := range kinds {
			id := t.columns[i]
			switch {
			case k == "text" && plain:
				t.cell(row, values, id, []*Node{paragraphNode(g.inlines(true, true))})
			case k == "text":
				t.cell(row, values, id, g.blocks(0, 2, max(depth+1, normalDepth-1)))
			case g.chance(3):
			default:
				values[id] = g.cell(k)
			}
		}
	}
	if !plain {
		for _, key := range []string{"stickyHeader", "stickyFirstColumn"} {
			if g.chance(3) {
				t.view[key] = true
			}
		}
		if g.chance(3) {
			t.node.Data["fullWidth"] = true
		}
		if g.chance(3) {
			t.node.Data["search"] = g.chance(2)
		}
		if g.chance(4) {
			t.view["hideHeader"] = true
		}
		if g.chance(2) {
			t.view["columnWidths"] = map[string]any{"c1": 120.0}
			if g.chance(2) {
				t.view["useNewSizing"] = true
			}
		}
		if g.chance(3) {
			t.view["columns"] = []any{"c2"}
		}
		if len(t.records) > 1 && g.chance(3) && t.view["columns"] == nil {
			for _, r := range []string{"r1", "r2"} {
				t.records[r].(map[string]any)["values"].(map[string]any)["c2"] = r + "c2"
			}
			t.node.Data["cellMerges"] = []any{map[string]any{"anchor": map[string]any{"record": "r1", "column": "c1"}, "rowSpan": 2.0, "colSpan": 1.0}}
			for _, f := range t.node.Fragments {
				if f.Fragment == "r2c1" {
					f.Nodes = Filled(nil)
				}
			}
		}
	}
	if !plain && g.chance(3) {
		g.cards(t)
	}
	n := t.done()
	// The parser creates the fragments of a table in the order of rows and
	// columns, followed by the values that are not in a row.
	slices.SortStableFunc(n.Fragments, func(a, b *Node) int { return fragmentRank(a.Fragment) - fragmentRank(b.Fragment) })
	return n
}

// cards turns a table into one of cards.
func (g *normalGen) cards(t *tableBuilder) {
	columns := t.view["columns"]
	clear(t.view)
	t.view["type"], t.view["cardSize"] = "cards", g.pick("medium", "large")
	if columns != nil {
		t.view["columns"] = columns
	}
	for _, key := range []string{"wrap", "hideColumnTitle"} {
		if g.chance(3) {
			t.view[key] = g.chance(2)
		}
	}
	// A column has at most one of these roles.
	keys := []string{"targetDefinition", "coverDefinition", "coverDefinitionDark"}
	for i, id := range rapid.Permutation(t.columns).Draw(g.t, "of cards") {
		if i < len(keys) && g.chance(2) {
			t.view[keys[i]] = id
		}
	}
}

func fragmentRank(name string) int {
	var r, c int
	if k, _ := fmt.Sscanf(name, "title-c%d", &c); k == 1 {
		return c
	}
	_, _ = fmt.Sscanf(name, "r%dc%d", &r, &c)
	if r == 2 && c == 1 {
		return r*1000 + c
	}
	return r*1000 + c
}

func (g *normalGen) cell(kind string) any {
	switch kind {
	case "number", "rating":
		return 3.5
	case "checkbox":
		return true
	case "select":
		return []any{"o1"}
	case "files":
		return []any{"f1", "https://x.y/z.png"}
	case "users":
		return []any{"u1"}
	case "content-ref":
		return g.ref()
	}
	if g.chance(2) {
		return map[string]any{"ref": g.image(), "alt": g.line(), "objectFit": "cover"}
	}
	return g.image()
}

func genNormal(t *rapid.T) *Document {
	g := &normalGen{t: t}
	return &Document{Nodes: g.blocks(0, 4, 0)}
}
