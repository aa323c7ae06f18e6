package markup

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// html returns the nodes of an HTML block. HTML that contains an unsupported
// form is kept verbatim as a whole.
func (c *converter) html(source string, where places) []*Node {
	raw := []*Node{rawNode(source)}
	if strings.Count(source, "<") > grammar.MaxElements {
		return raw
	}
	root, ok := syntax.ReadHTML(strings.TrimSpace(source))
	if !ok {
		return raw
	}
	h := &htmlReader{c: c, source: strings.TrimSpace(source), strict: true, where: where.trimmed(source)}
	nodes := h.blocks(root.Kids)
	if h.failed || len(nodes) == 0 {
		return raw
	}
	return nodes
}

// element returns the nodes of an element, with the items inside it.
func (c *converter) element(n *grammar.ElementBlock, i *item) []*Node {
	source := string(n.Lines().Value(c.Source))
	if !n.Open {
		if n.Close || !n.Closed {
			return []*Node{rawNode(source)}
		}
		return c.html(source, c.placesOf(n.Lines()))
	}
	if !i.closed {
		return []*Node{rawNode(source)}
	}
	where := c.placesOf(n.Lines()).trimmed(source)
	source = strings.TrimSpace(source)
	end := syntax.HTMLTagEnd([]byte(source[1:])) + 1
	e, _ := syntax.ReadElement(source[:end])
	limit := c.limit
	defer func() { c.limit = limit }()
	if last := i.lastNode(); last != i.node {
		c.limit = lineStart(c.Source, c.blockStart(last))
	}
	if n.Name == "details" {
		title, body := c.summary(strings.TrimSpace(source[end:]), where.after(end).trimmed(source[end:]), i.kids)
		return []*Node{detailsNode(e, title, body)}
	}
	if grammar.IsHintElement(e) {
		hint := &tagContent{tagType: tagsByName["hint"], as: syntax.Attributes{{Name: "style", Value: e.Attr("data-style")}, {Name: "icon", Value: e.Attr("data-icon")}}, kids: c.convert(i.kids)}
		return []*Node{hintNode(c, hint)}
	}
	if nodes := layout(e, c.convert(i.kids)); len(nodes) > 0 {
		return nodes
	}
	return []*Node{rawNode(c.sourceOf(i))}
}

// summary returns the title and the body of an expandable. The title is on the
// line of the opening tag, or is the first item after it.
func (c *converter) summary(line string, where places, kids []*item) (title, body []*Node) {
	source := line
	if line == "" && len(kids) > 0 {
		k := kids[0].node
		e, ok := k.(*grammar.ElementBlock)
		if _, isHTML := k.(*ast.HTMLBlock); isHTML || ok && e.Name == "summary" {
			source = string(k.Lines().Value(c.Source))
			where = c.placesOf(k.Lines()).trimmed(source)
		}
	}
	head, rest, ok := strings.Cut(strings.TrimSpace(source), "</summary>")
	root, wellFormed := syntax.ReadHTML(head + "</summary>")
	if ok && wellFormed && len(root.Kids) == 1 && root.Kids[0].Name == "summary" {
		h := &htmlReader{c: c, source: head + "</summary>", where: where}
		title = h.inlines(root.Kids[0].Kids)
		if h.failed {
			title = []*Node{textNode(Leaf{Text: singleLine(root.Kids[0].Plain())})}
		}
		if line == "" {
			kids = kids[1:]
		}
	} else {
		rest = line
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		body = c.textBeside(rest, nil)
	}
	return title, append(body, c.convert(kids)...)
}

// layout applies the attributes of a div to the blocks inside it. It returns
// nil if one of the blocks does not support an attribute.
func layout(e *syntax.Element, nodes []*Node) []*Node {
	for _, n := range nodes {
		for _, a := range e.Attrs {
			switch {
			case a.Key == "data-full-width" && a.Val == "false":
			case a.Key == "data-full-width" && slices.Contains(wideTypes, n.Type):
				n.Data = orEmpty(n.Data)
				n.set(FieldFullWidth, true)
			case a.Key == "data-with-frame" && a.Val == "false":
			case a.Key == "data-with-frame" && n.Type == "images":
				n.set(FieldWithFrame, true)
			case a.Key == "align" && n.Type == "images" && slices.Contains(ColumnAlignments, a.Val):
				n.set(FieldAlign, a.Val)
			case a.Key == "align" && isTextBlock(n) && textAlign[a.Val] != "":
				n.Data = setString(n.Data, "align", textAlign[a.Val])
			default:
				return nil
			}
		}
	}
	return nodes
}

var wideTypes = []string{"code", "images", "embed", "tabs", "columns", "table", "integration", "swagger"}

// textAlign maps the alignments in HTML to those of text, which depend on the
// direction of the text.
var textAlign = map[string]string{"left": "start", "center": "center", "right": "end", "start": "start", "end": "end"}

func isTextBlock(n *Node) bool {
	return n.Type == "paragraph" || strings.HasPrefix(n.Type, "heading-")
}

func detailsNode(e *syntax.Element, title []*Node, body []*Node) *Node {
	n := blockNode("expandable", nil)
	if e.Has("open") {
		n.Data = map[string]any{"defaultExpanded": true}
	}
	n.Fragments = []*Node{
		fragmentNode("expandable-title", "expandable-title", []*Node{paragraphNode(title)}),
		fragmentNode("expandable-body", "expandable-body", Filled(body)),
	}
	return n
}

// htmlReader converts HTML to nodes. A strict reader fails on HTML that it does
// not support. A lenient reader keeps such HTML as raw leaves.
type htmlReader struct {
	c      *converter
	source string
	strict bool
	failed bool
	where  places // positions of source in the page
}

func (h *htmlReader) fail() []*Node {
	h.failed = true
	return nil
}

// blocks returns the blocks of elements. Inlines between block elements become
// paragraphs.
func (h *htmlReader) blocks(kids []*syntax.Element) []*Node {
	var nodes []*Node
	var run, items []*syntax.Element
	flush := func() {
		if len(items) > 0 { // items without a list around them
			nodes = append(nodes, h.items(blockNode("list-unordered", nil), items)...)
			items = nil
		}
		nodes = append(nodes, h.paragraph(run)...)
		run = nil
	}
	for _, k := range kids {
		switch {
		case k.Name == "li":
			if len(items) == 0 || len(trimRun(run)) > 0 {
				flush()
			}
			items, run = append(items, k), nil
		case !blockElements[k.Name]:
			run = append(run, k)
		default:
			flush()
			nodes = append(nodes, h.block(k)...)
		}
	}
	flush()
	return nodes
}

// paragraph returns the paragraph of a run of inlines, or nil if the run is
// blank. Drawings without text beside them become blocks.
func (h *htmlReader) paragraph(run []*syntax.Element) []*Node {
	if only := trimRun(run); len(only) > 0 && !slices.ContainsFunc(only, func(e *syntax.Element) bool { return !isDrawing(e) }) {
		var nodes []*Node
		for _, e := range only {
			nodes = append(nodes, h.drawing(e))
		}
		return nodes
	}
	inlines := h.inlines(run)
	if len(inlines) == 0 {
		return nil
	}
	if len(run) > 0 && h.strict && len(trimRun(run)) == 1 {
		// A single image is a block, unless it has an inline size.
		e := trimRun(run)[0]
		if (e.Name == "img" && !e.Has("data-size") || e.Name == "picture") && inlines[0].Type == "inline-image" && !hasSize(e) {
			if n := h.lone(e); n != nil {
				return []*Node{n}
			}
			return nil
		}
	}
	return []*Node{paragraphNode(inlines)}
}

// isDrawing reports whether an element is the image of a drawing.
func isDrawing(e *syntax.Element) bool {
	return e.Name == "img" && slices.Contains(strings.Fields(e.Attr("class")), "gitbook-drawing")
}

func trimRun(run []*syntax.Element) []*syntax.Element {
	return slices.DeleteFunc(slices.Clone(run), func(e *syntax.Element) bool { return e.Name == "" && strings.TrimSpace(e.Text) == "" })
}

func hasSize(e *syntax.Element) bool {
	for _, k := range e.Kids {
		if k.Name == "img" && k.Has("data-size") {
			return true
		}
	}
	return false
}

var blockElements = map[string]bool{
	"p": true, "div": true, "figure": true, "table": true, "pre": true, "h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true,
	"ul": true, "ol": true, "blockquote": true, "hr": true, "details": true,
}

func (h *htmlReader) block(e *syntax.Element) []*Node {
	switch e.Name {
	case "p":
		inlines := h.inlines(e.Kids)
		if len(inlines) == 0 && len(e.Attrs) == 0 && h.strict {
			return h.fail() // Markdown has no empty paragraphs
		}
		return h.aligned(e, paragraphNode(inlines))
	case "h1", "h2", "h3", "h4", "h5", "h6":
		id := e.Attr("id")
		if e.Has("id") && !IsAnchor(id) {
			return h.fail()
		}
		n := headingNode(int(e.Name[1]-'0'), id, h.inlines(e.Kids))
		if class := strings.Join(strings.Fields(syntax.Valid(e.Attr("class"))), " "); class != "" {
			n.Data = setString(n.Data, "class", class)
		}
		return h.aligned(e, n)
	case "hr":
		return []*Node{blockNode("divider", nil)}
	case "blockquote":
		if len(e.Attrs) > 0 {
			return h.fail()
		}
		return []*Node{blockNode("blockquote", nil, Filled(h.blocks(e.Kids))...)}
	case "ul", "ol":
		return h.list(e)
	case "pre":
		return h.code(e)
	case "table":
		if n := h.table(e); n != nil {
			return []*Node{n}
		}
		return h.fail()
	case "figure":
		image := h.figure(e)
		switch {
		case image == nil:
			return h.fail()
		case image.Type == "drawing":
			return []*Node{image}
		}
		return []*Node{blockNode("images", map[string]any{}, image)}
	case "div":
		return h.div(e)
	case "details":
		return h.details(e)
	}
	return h.fail()
}

func (h *htmlReader) aligned(e *syntax.Element, n *Node) []*Node {
	if !e.Only("align", "id", "class") || e.Name == "p" && !e.Only("align") {
		return h.fail()
	}
	if e.Has("align") {
		align := textAlign[e.Attr("align")]
		if align == "" {
			return h.fail()
		}
		n.Data = setString(n.Data, "align", align)
	}
	return []*Node{n}
}

func (h *htmlReader) details(e *syntax.Element) []*Node {
	if !e.Only("open") {
		return h.fail()
	}
	var title []*Node
	kids := e.Kids
	for i, k := range kids {
		if k.Name == "" && strings.TrimSpace(k.Text) == "" {
			continue
		}
		if k.Name == "summary" {
			title, kids = h.inlines(k.Kids), kids[i+1:]
		}
		break
	}
	return []*Node{detailsNode(e, title, h.blocks(kids))}
}

func (h *htmlReader) div(e *syntax.Element) []*Node {
	if e.Has(grammar.CustomBlock) {
		return h.tag(e)
	}
	if !e.Only("align", "data-full-width", "data-with-frame") {
		return h.fail()
	}
	kids, ok := e.Elements()
	if ok && len(kids) > 0 && !slices.ContainsFunc(kids, func(k *syntax.Element) bool { return k.Name != "figure" }) {
		images := blockNode("images", map[string]any{})
		for _, k := range kids {
			image := h.figure(k)
			if image == nil || image.Type == "drawing" {
				return h.fail()
			}
			images.Nodes = append(images.Nodes, image)
		}
		if nodes := layout(e, []*Node{images}); nodes != nil {
			return nodes
		}
		return h.fail()
	}
	if nodes := layout(e, h.blocks(e.Kids)); nodes != nil && len(e.Attrs) > 0 {
		return nodes
	}
	return h.fail()
}

// list returns the list of a `<ul>` or `<ol>`. Attributes that only affect its
// look are kept in the source and not in the node.
func (h *htmlReader) list(e *syntax.Element) []*Node {
	kids, ok := e.Elements()
	n, known := listOf(e)
	if !ok || !known || len(kids) == 0 {
		return h.fail()
	}
	return h.items(n, kids)
}

// listOf returns the list node for an element, without items.
func listOf(e *syntax.Element) (n *Node, ok bool) {
	if e.Name != "ol" {
		return blockNode("list-unordered", nil), true
	}
	n = blockNode("list-ordered", map[string]any{})
	if v, ok := readLength(e.Attr("start")); ok && v != 1.0 {
		f, isNumber := v.(float64)
		if !isNumber || f != float64(int(f)) {
			return nil, false
		}
		n.set(FieldStart, f)
	}
	return n, true
}

// items appends the list items of `<li>` elements to a list.
func (h *htmlReader) items(n *Node, kids []*syntax.Element) []*Node {
	tasks := 0
	for _, k := range kids {
		if k.Name != "li" {
			return h.fail()
		}
		item := blockNode("list-item", nil)
		inner := k.Kids
		if len(inner) > 0 && inner[0].Name == "input" && inner[0].Attr("type") == "checkbox" {
			item.Data = map[string]any{"checked": inner[0].Has("checked")}
			inner = inner[1:]
			tasks++
		}
		item.Nodes = Filled(h.blocks(inner))
		if h.where != nil {
			item.span = Span{h.where.at(k.Start), h.where.at(k.End-1) + 1}
		}
		n.Nodes = append(n.Nodes, item)
	}
	if tasks == len(n.Nodes) && n.Type == "list-unordered" {
		n.Type = "list-tasks"
	}
	return []*Node{n}
}
