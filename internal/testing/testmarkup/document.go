package testmarkup

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Document draws a document with blocks, inlines and marks of every type, as
// the parser or a client would create it.
func Document(t *rapid.T) *markup.Document {
	g := &docGen{t: t}
	return &markup.Document{Nodes: g.blocks(1, 6, flowTypes)}
}

// docGen draws nodes. seen counts them, so that keys differ.
type docGen struct {
	t    *rapid.T
	seen int
}

const genDepth = 4

var (
	essentialTypes = []string{"paragraph", "heading-1", "heading-2", "heading-3", "list-ordered", "list-unordered", "list-tasks", "divider"}
	flowTypes      = append([]string{
		"blockquote", "hint", "code", "math", "images", "file", "drawing", "embed", "expandable", "tabs", "stepper", "columns",
		"table", "content-ref", "reusable-content", "integration", "swagger", "openapi-operation", "openapi-schemas", "openapi-webhook",
		"if", "updates", "prompt",
	}, essentialTypes...)
	drawnInlines = []string{"link", "emoji", "icon", "expression", "inline-math", "inline-image", "annotation", "mention", "button"}
)

var genWords = []string{
	"alpha", "beta", "gamma", "Ünïcode", "日本語", "a*b", "x_y_z", "<tag>", "&amp;", "&", `"quoted"`, "1.", "#", "[box]", "(paren)",
	"|", "`tick`", "~", "$5", "{% x %}", "{{y}}", "\\", "it's", "-", "+1", "👍", "end.",
}

func (g *docGen) text(label string) string {
	n := rapid.IntRange(1, 5).Draw(g.t, label)
	s := ""
	for i := range n {
		if i > 0 {
			s += " "
		}
		s += rapid.SampledFrom(genWords).Draw(g.t, "word")
	}
	return s
}

func (g *docGen) word(label string) string {
	return rapid.StringMatching(`[a-z][a-z0-9]{0,8}`).Draw(g.t, label)
}

func (g *docGen) flag(label string) bool { return rapid.Bool().Draw(g.t, label) }

func (g *docGen) pick(values ...string) string { return rapid.SampledFrom(values).Draw(g.t, "pick") }

// sometimes sets a key half of the time.
func (g *docGen) sometimes(data map[string]any, key string, value func() any) {
	if g.flag("has " + key) {
		data[key] = value()
	}
}

func (g *docGen) whole(low, high int) any {
	return float64(rapid.IntRange(low, high).Draw(g.t, "number"))
}

func (g *docGen) key() string {
	g.seen++
	if g.flag("key") {
		return fmt.Sprintf("k%d", g.seen)
	}
	return ""
}

func (g *docGen) blocks(low, high int, types []string) []*markup.Node {
	return g.blocksAt(low, high, types, 1)
}

func (g *docGen) blocksAt(low, high int, types []string, depth int) []*markup.Node {
	if depth >= genDepth {
		types, high = []string{"paragraph", "heading-2", "divider"}, min(high, 2)
	}
	n := rapid.IntRange(low, high).Draw(g.t, "blocks")
	var out []*markup.Node
	for range n {
		out = append(out, g.block(rapid.SampledFrom(types).Draw(g.t, "type"), depth))
	}
	return out
}

// parts draws one to high nodes of one type.
func (g *docGen) parts(high int, each func() *markup.Node) []*markup.Node {
	var out []*markup.Node
	for range rapid.IntRange(1, high).Draw(g.t, "parts") {
		out = append(out, each())
	}
	return out
}

func (g *docGen) node(kind string, data map[string]any, nodes []*markup.Node) *markup.Node {
	if len(data) == 0 {
		data = nil
	}
	return &markup.Node{Object: markup.ObjectBlock, Type: kind, Key: g.key(), Data: data, Nodes: nodes}
}

func (g *docGen) block(kind string, depth int) *markup.Node {
	data := map[string]any{}
	switch kind {
	case "paragraph":
		g.sometimes(data, "align", func() any { return g.pick(markup.TextAlignments...) })
		return g.node(kind, data, g.inlines(true))
	case "heading-1", "heading-2", "heading-3":
		g.sometimes(data, "id", func() any { return g.word("id") })
		g.sometimes(data, "align", func() any { return g.pick(markup.TextAlignments...) })
		return g.node(kind, data, g.inlines(false))
	case "list-ordered", "list-unordered", "list-tasks":
		if kind == "list-ordered" {
			g.sometimes(data, "start", func() any { return g.whole(1, 99) })
		}
		return g.node(kind, data, g.parts(3, func() *markup.Node {
			item := map[string]any{}
			if kind == "list-tasks" {
				item["checked"] = g.flag("checked")
			}
			first := g.block("paragraph", genDepth)
			rest := g.blocksAt(0, 2, []string{"paragraph", "list-unordered", "list-ordered", "code", "hint", "blockquote"}, depth+1)
			return g.node("list-item", item, append([]*markup.Node{first}, rest...))
		}))
	case "blockquote":
		return g.node(kind, data, g.blocksAt(1, 3, essentialTypes, depth+1))
	case "hint":
		data["style"] = g.pick(markup.HintStyles...)
		g.sometimes(data, "icon", func() any { return g.word("icon") })
		g.sometimes(data, "marker", func() any { return g.pick("!!! note", `!!! danger "a"`, `=== "a"`, "???+ tip") })
		return g.node(kind, data, g.blocksAt(1, 3, essentialTypes, depth+1))
	case "code":
		return g.code()
	case "images":
		g.sometimes(data, "align", func() any { return g.pick(markup.ColumnAlignments...) })
		g.sometimes(data, "withFrame", func() any { return true })
		return g.node(kind, data, g.parts(2, g.image))
	case "tabs":
		return g.node(kind, data, g.parts(3, func() *markup.Node {
			item := map[string]any{"title": g.text("title")}
			g.sometimes(item, "icon", func() any { return g.word("icon") })
			return g.node("tabs-item", item, g.blocksAt(1, 3, flowTypes, depth+1))
		}))
	case "stepper":
		return g.node(kind, data, g.parts(3, func() *markup.Node {
			return g.node("stepper-step", nil, g.blocksAt(1, 3, essentialTypes, depth+1))
		}))
	case "columns":
		return g.node(kind, data, g.parts(3, func() *markup.Node {
			column := map[string]any{}
			g.sometimes(column, "width", func() any { return map[string]any{"unit": "%", "value": g.whole(1, 100)} })
			g.sometimes(column, "verticalAlignment", func() any { return g.pick(markup.VerticalAlignments...) })
			return g.node("column", column, g.blocksAt(1, 3, essentialTypes, depth+1))
		}))
	case "if":
		data["expression"] = `visitor.claims.unsigned.x === "a"`
		return g.node(kind, data, g.blocksAt(1, 3, flowTypes, depth+1))
	case "updates":
		data["format"] = g.pick("numeric", "full", "short")
		return g.node(kind, data, g.parts(2, func() *markup.Node {
			update := map[string]any{"date": "2025-12-25T00:00:00.000Z"}
			g.sometimes(update, "tags", func() any { return []any{docs.Ref{Kind: docs.RefTag, Tag: g.word("tag")}} })
			return g.node("update", update, g.blocksAt(1, 3, essentialTypes, depth+1))
		}))
	case "prompt":
		data["description"] = g.text("description")
		return g.node(kind, data, []*markup.Node{g.code()})
	}
	return g.void(kind, depth)
}

func (g *docGen) void(kind string, depth int) *markup.Node {
	data := map[string]any{}
	n := g.node(kind, nil, nil)
	switch kind {
	case "divider":
		return n
	case "math":
		data["formula"] = g.pick(`x^2`, `\frac{a}{b}`, `a < b`)
	case "file", "drawing":
		data["ref"] = docs.Ref{Kind: docs.RefFile, File: g.word("file")}
		if kind == "file" && g.flag("caption") {
			n.Fragments = []*markup.Node{g.caption()}
		}
	case "embed":
		data["url"] = "https://example.com/" + g.word("path")
	case "expandable":
		g.sometimes(data, "defaultExpanded", func() any { return true })
		n.Fragments = []*markup.Node{
			{Object: markup.ObjectFragment, Fragment: "expandable-title", Type: "expandable-title", Nodes: []*markup.Node{g.block("paragraph", genDepth)}},
			{Object: markup.ObjectFragment, Fragment: "expandable-body", Type: "expandable-body", Nodes: g.blocksAt(1, 3, essentialTypes, depth+1)},
		}
	case "table":
		return g.table()
	case "content-ref":
		data["ref"] = g.ref()
	case "reusable-content":
		data["ref"] = docs.Ref{Kind: docs.RefReusable, ReusableContent: g.word("content")}
	case "integration":
		data["integration"], data["block"] = g.word("integration"), g.word("block")
		data["props"] = map[string]any{"text": g.text("prop")}
	case "swagger":
		data["ref"], data["path"], data["method"] = docs.Ref{Kind: docs.RefURL, URL: "https://example.com/api.yaml"}, "/"+g.word("path"), "get"
	case "openapi-operation":
		data["ref"], data["path"], data["method"] = docs.Ref{Kind: docs.RefOpenAPI, Spec: g.word("spec")}, "/"+g.word("path"), g.pick("get", "post")
	case "openapi-webhook":
		data["ref"], data["name"], data["method"] = docs.Ref{Kind: docs.RefOpenAPI, Spec: g.word("spec")}, g.word("name"), "post"
	case "openapi-schemas":
		data["ref"], data["schemas"], data["grouped"] = docs.Ref{Kind: docs.RefOpenAPI, Spec: g.word("spec")}, []any{g.word("schema"), g.word("schema")}, g.flag("grouped")
	}
	if len(data) > 0 {
		n.Data = data
	}
	return n
}

func (g *docGen) code() *markup.Node {
	data := map[string]any{}
	g.sometimes(data, "syntax", func() any { return g.pick("go", "js", "mermaid", "nosuch") })
	g.sometimes(data, "title", func() any { return g.text("title") })
	g.sometimes(data, "overflow", func() any { return "wrap" })
	g.sometimes(data, "lineNumbers", func() any { return true })
	return g.node("code", data, g.parts(4, func() *markup.Node {
		line := map[string]any{}
		g.sometimes(line, "highlighted", func() any { return true })
		return g.node("code-line", line, []*markup.Node{{Object: markup.ObjectText, Leaves: []markup.Leaf{{Text: g.text("code")}}}})
	}))
}

func (g *docGen) caption() *markup.Node {
	return &markup.Node{Object: markup.ObjectFragment, Fragment: "caption", Nodes: []*markup.Node{g.block("paragraph", genDepth)}}
}

func (g *docGen) imageRef() docs.Ref {
	if g.flag("file") {
		return docs.Ref{Kind: docs.RefFile, File: g.word("file")}
	}
	return docs.Ref{Kind: docs.RefURL, URL: "https://example.com/" + g.word("image") + ".png"}
}

func (g *docGen) image() *markup.Node {
	data := map[string]any{"ref": g.imageRef()}
	g.sometimes(data, "refDark", func() any { return g.imageRef() })
	g.sometimes(data, "alt", func() any { return g.text("alt") })
	g.sometimes(data, "width", func() any { return g.whole(1, 999) })
	n := g.node("image", data, nil)
	if g.flag("caption") {
		n.Fragments = []*markup.Node{g.caption()}
	}
	return n
}

func (g *docGen) ref() docs.Ref {
	switch rapid.IntRange(0, 6).Draw(g.t, "ref") {
	case 0:
		return docs.Ref{Kind: docs.RefPage, Page: g.word("page")}
	case 1:
		return docs.Ref{Kind: docs.RefPage, Page: g.word("page"), Space: g.word("space")}
	case 2:
		return docs.Ref{Kind: docs.RefAnchor, Anchor: g.word("anchor")}
	case 3:
		return docs.Ref{Kind: docs.RefAnchor, Anchor: g.word("anchor"), Page: g.word("page")}
	case 4:
		return docs.Ref{Kind: docs.RefFile, File: g.word("file")}
	case 5:
		return docs.Ref{Kind: docs.RefURL, URL: "mailto:" + g.word("name") + "@example.com"}
	}
	return docs.Ref{Kind: docs.RefURL, URL: "https://example.com/" + g.word("path")}
}

// table draws a grid or cards with columns of every type.
func (g *docGen) table() *markup.Node {
	n := g.node("table", nil, nil)
	definition, records := map[string]any{}, map[string]any{}
	var columns []any
	kinds := append([]string{"text"}, rapid.SliceOfN(rapid.SampledFrom(markup.ColumnTypes), 0, 4).Draw(g.t, "columns")...)
	for i, kind := range kinds {
		id := fmt.Sprintf("c%d", i)
		column := map[string]any{"id": id, "title": g.text("title"), "type": kind}
		switch kind {
		case "text":
			column["textAlignment"] = g.pick(markup.ColumnAlignments...)
		case "rating":
			column["max"] = float64(5)
		case "users":
			column["multiple"] = true
		case "select":
			column["multiple"] = true
			column["options"] = []any{map[string]any{"value": "o1", "label": "First option", "color": "blue"}, map[string]any{"value": "o2", "label": "Second", "color": "red"}}
		}
		definition[id] = column
		columns = append(columns, id)
	}
	for r := range rapid.IntRange(1, 3).Draw(g.t, "rows") {
		values := map[string]any{}
		for i, kind := range kinds {
			id := fmt.Sprintf("c%d", i)
			if kind == "text" {
				name := fmt.Sprintf("r%d%s", r, id)
				n.Fragments = append(n.Fragments, &markup.Node{Object: markup.ObjectFragment, Fragment: name, Nodes: []*markup.Node{g.block("paragraph", genDepth)}})
				values[id] = name
			} else if g.flag("value") {
				values[id] = g.cell(kind)
			}
		}
		records[fmt.Sprintf("r%d", r)] = map[string]any{"orderIndex": fmt.Sprintf("%04d", r), "values": values}
	}
	view := map[string]any{"type": "grid", "columns": columns, "hideHeader": g.flag("hideHeader")}
	if g.flag("cards") {
		view = map[string]any{"type": "cards", "columns": columns, "cardSize": g.pick("medium", "large")}
		definition["target"] = map[string]any{"id": "target", "title": "", "type": "content-ref"}
		view["targetDefinition"] = "target"
		for _, r := range records {
			r.(map[string]any)["values"].(map[string]any)["target"] = g.ref()
		}
	}
	n.Data = map[string]any{"view": view, "definition": definition, "records": records}
	return n
}

func (g *docGen) cell(kind string) any {
	switch kind {
	case "number":
		return float64(rapid.IntRange(-9999, 9999).Draw(g.t, "number")) / 4
	case "rating":
		return g.whole(0, 5)
	case "checkbox":
		return g.flag("checked")
	case "files", "users":
		return []any{g.word("id")}
	case "select":
		return []any{g.pick("o1", "o2")}
	case "content-ref":
		return g.ref()
	}
	if g.flag("full") {
		return map[string]any{"ref": g.imageRef(), "alt": g.text("alt"), "objectFit": g.pick(markup.ObjectFits...)}
	}
	return g.imageRef()
}

// inlines draws a line of text in which texts and inlines alternate.
func (g *docGen) inlines(rich bool) []*markup.Node {
	out := []*markup.Node{g.textNode()}
	if !rich {
		return out
	}
	for range rapid.IntRange(0, 2).Draw(g.t, "inlines") {
		out = append(out, g.inline(rapid.SampledFrom(drawnInlines).Draw(g.t, "inline")), g.textNode())
	}
	return out
}

func (g *docGen) inline(kind string) *markup.Node {
	n := &markup.Node{Object: markup.ObjectInline, Type: kind, Key: g.key()}
	switch kind {
	case "link":
		n.Data = map[string]any{"ref": g.ref()}
		n.Nodes = []*markup.Node{g.textNode()}
	case "emoji":
		n.Data = map[string]any{"code": g.pick("1f600", "2705", "1f1eb-1f1f7")}
	case "icon":
		n.Data = map[string]any{"icon": g.word("icon")}
		g.sometimes(n.Data, "color", func() any { return g.pick(markup.Colours...) })
	case "expression":
		n.Data = map[string]any{"expression": "space.vars." + g.word("var")}
	case "inline-math":
		n.Data = map[string]any{"formula": g.pick("a+b", `\pi`)}
	case "inline-image":
		n.Data = map[string]any{"ref": g.imageRef(), "size": g.pick("line", "original")}
		g.sometimes(n.Data, "alt", func() any { return g.text("alt") })
	case "annotation":
		n.Nodes = []*markup.Node{g.textNode()}
		n.Fragments = []*markup.Node{{Object: markup.ObjectFragment, Type: "annotation-body", Nodes: []*markup.Node{
			g.node("paragraph", nil, []*markup.Node{g.textNode()}),
		}}}
	case "mention":
		n.Data = map[string]any{"ref": g.ref()}
	case "button":
		n.Data = map[string]any{"label": g.text("label"), "kind": g.pick("primary", "secondary")}
		if g.flag("action") {
			n.Data["action"], n.Data["query"] = "search", g.word("query")
		} else {
			n.Data["ref"] = g.ref()
		}
		g.sometimes(n.Data, "icon", func() any { return g.word("icon") })
	}
	return n
}

func (g *docGen) textNode() *markup.Node {
	n := &markup.Node{Object: markup.ObjectText}
	for range rapid.IntRange(1, 3).Draw(g.t, "leaves") {
		leaf := markup.Leaf{Text: g.text("text")}
		for _, kind := range markup.MarkTypes() {
			if rapid.IntRange(0, 9).Draw(g.t, kind) != 0 {
				continue
			}
			mark := markup.Mark{Type: kind}
			if kind == "color" {
				mark.Data = map[string]string{"text": g.pick(markup.Colours...), "background": g.pick(markup.Colours...)}
			}
			leaf.Marks = append(leaf.Marks, mark)
		}
		n.Leaves = append(n.Leaves, leaf)
	}
	return n
}
