package markup

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// block adds the nodes of one block. Most blocks have one node; a layout
// element has a node for each block inside it.
func (c *converter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		c.add(c.paragraph(n))
	case *ast.Heading:
		c.add(c.heading(n))
	case *ast.ThematicBreak:
		c.add(c.arena.block("divider", nil, nil))
	case *ast.Blockquote:
		c.add(c.arena.block("blockquote", nil, Filled(c.children(n))))
	case *ast.List:
		c.add(c.list(n))
	case *ast.FencedCodeBlock:
		c.add(c.fenced(n))
	case *ast.CodeBlock:
		code := c.code(nil, strings.TrimRight(c.linesOf(n), "\n"))
		c.traceLines(code, n.Lines())
		c.add(code)
	case *ast.HTMLBlock:
		source := c.linesOf(n)
		if n.HasClosure() {
			source += string(n.ClosureLine.Value(c.Source))
		}
		c.add(c.html(source, c.placesOf(n.Lines()))...)
	case *extast.Table:
		c.add(c.pipeTable(n))
	case *grammar.MathBlock:
		c.add(c.arena.block("math", map[string]any{"formula": strings.TrimSuffix(cleanLines(c.linesOf(n)), "\n")}, nil))
	case *grammar.BoxBlock:
		c.add(c.box(n))
	case *grammar.RawBlock:
		if n.Problem != "" {
			c.problem(firstOffset(n), n.Problem)
		}
		c.add(c.rawMarker(c.linesOf(n)))
	case *ast.LinkReferenceDefinition, *grammar.FootnoteBlock:
	default:
		// The grammar has no other blocks. If a new version of the library adds
		// some, their lines are kept.
		if n.Lines().Len() > 0 {
			c.add(rawNode(c.linesOf(n)))
		}
	}
}

// linesOf returns the source lines of a block as one text.
func (c *converter) linesOf(n ast.Node) string {
	return c.textOf(n.Lines().Sliced(0, n.Lines().Len()))
}

func (c *converter) paragraph(n ast.Node) *Node {
	if image := soleImage(n); image != nil {
		return c.imageBlock(image)
	}
	inlines := c.inlines(n)
	if len(inlines) > 0 && len(inlines[0].Leaves) > 0 && inlines[0].Leaves[0].Raw {
		// On a line of its own, the HTML may begin a block.
		source := c.linesOf(n)
		if l := inlines[0].Leaves; len(inlines) == 1 && len(l) == 1 {
			source = l[0].Text // a tag of several lines is printed on one line
		}
		if line, _, _ := strings.Cut(source, "\n"); strings.HasPrefix(line, "<") && !readsAs(line, ast.KindParagraph) {
			if readsAs(source, ast.KindHTMLBlock) {
				return rawNode(source)
			}
			var b InlineBuilder
			for i, l := range inlines[0].Leaves {
				if l.Raw && i > 0 {
					b.Raw(l.Text, l.Marks)
				} else {
					b.Text(l.Text, l.Marks)
				}
			}
			inlines[0] = b.Done()[0]
		}
	}
	return c.arena.paragraph(inlines)
}

func readsAs(source string, kind ast.NodeKind) bool {
	root, _ := read([]byte(source))
	return root.ChildCount() == 1 && root.FirstChild().Kind() == kind
}

// soleImage returns the image of a paragraph that contains nothing else, or
// nil.
func soleImage(n ast.Node) *ast.Image {
	image, ok := n.FirstChild().(*ast.Image)
	if !ok {
		return nil
	}
	for k := image.NextSibling(); k != nil; k = k.NextSibling() {
		if t, ok := k.(*ast.Text); !ok || t.Segment.Len() > 0 {
			return nil
		}
	}
	return image
}

func (c *converter) heading(n *ast.Heading) *Node {
	inlines := c.inlines(n)
	id := ""
	if len(inlines) > 0 {
		if inlines, id = cutAnchor(inlines); id == "" {
			inlines, id = c.cutBraces(n, inlines)
		}
	}
	return headingNode(n.Level, id, inlines)
}

// headingNode returns a heading. The model has three levels. Headings of a
// deeper level have type heading-3 and their level in the data.
func headingNode(level int, id string, inlines []*Node) *Node {
	data := map[string]any{}
	if level > 3 {
		data["level"] = float64(level)
	}
	if id != "" {
		data["id"] = id
	}
	if len(inlines) == 0 {
		inlines = []*Node{textNode()}
	}
	return blockNode(headingTypes[min(level, 3)], data, inlines...)
}

var headingTypes = [...]string{1: "heading-1", 2: "heading-2", 3: "heading-3"}

// anchorOpen matches the opening tag that sets the anchor of a heading.
var anchorOpen = regexp.MustCompile(`^<a\s+(?:href="#([^"]*)"\s+)?id="([^"]*)"\s*>$`)

// cutAnchor removes `<a href="#slug" id="slug"></a>` from the end of a heading.
// It returns the anchor, or an empty string.
func cutAnchor(inlines []*Node) ([]*Node, string) {
	last := inlines[len(inlines)-1]
	if last.Object != ObjectText {
		return inlines, ""
	}
	l := last.Leaves
	if len(l) > 1 && l[len(l)-1].Text == "" {
		l = l[:len(l)-1]
	}
	if len(l) == 0 || !l[len(l)-1].Raw {
		return inlines, ""
	}
	raw := l[len(l)-1]
	open, ok := strings.CutSuffix(raw.Text, "</a>")
	m := anchorOpen.FindStringSubmatch(open)
	if !ok || m == nil || !IsAnchor(m[2]) || m[1] != "" && m[1] != m[2] {
		return inlines, ""
	}
	rest := l[:len(l)-1]
	if k := len(rest); k > 0 && !rest[k-1].Raw {
		rest[k-1].Text = strings.TrimSuffix(rest[k-1].Text, " ")
		if rest[k-1].Text == "" {
			rest = rest[:k-1]
		}
	}
	if len(rest) == 0 {
		return inlines[:len(inlines)-1], m[2]
	}
	last.Leaves = rest
	return inlines, m[2]
}

var bracedAnchor = regexp.MustCompile(`(?:^|[ \t]+)\{#([^\s{}]+)\}$`)

// cutBraces removes an unescaped `{#id}` from the end of a heading. It returns
// the id, or an empty string.
func (c *converter) cutBraces(n *ast.Heading, inlines []*Node) ([]*Node, string) {
	if lines := n.Lines(); lines.Len() == 0 || !bracedAnchor.MatchString(strings.TrimRight(c.value(lines.At(lines.Len()-1)), " \t\r\n")) {
		return inlines, ""
	}
	last := inlines[len(inlines)-1]
	if last.Object != ObjectText || len(last.Leaves) == 0 {
		return inlines, ""
	}
	l := &last.Leaves[len(last.Leaves)-1]
	m := bracedAnchor.FindStringSubmatch(l.Text)
	if m == nil || l.Raw || len(l.Marks) > 0 || !IsAnchor(m[1]) {
		return inlines, ""
	}
	l.Text = strings.TrimSuffix(l.Text, m[0])
	switch {
	case l.Text != "":
	case len(last.Leaves) > 1:
		last.Leaves = last.Leaves[:len(last.Leaves)-1]
	default:
		inlines = inlines[:len(inlines)-1]
	}
	return inlines, m[1]
}

func (c *converter) list(n *ast.List) *Node {
	typ, data := "list-unordered", map[string]any(nil)
	if n.IsOrdered() {
		typ = "list-ordered"
		data = map[string]any{}
		if n.Start != 1 {
			data["start"] = float64(n.Start)
		}
	}
	place, tasks := len(c.open), 0
	for i := n.FirstChild(); i != nil; i = i.NextSibling() {
		var itemData map[string]any
		limit := c.limitTo(i.NextSibling())
		kids := c.children(i)
		if box := checkBox(i); box != nil {
			itemData = map[string]any{"checked": box.IsChecked}
			tasks++
			if len(kids) > 1 && isEmptyParagraph(kids[0]) {
				kids = kids[1:] // the box is alone on its line
			}
		}
		c.add(c.arena.block("list-item", itemData, Filled(kids)))
		c.traceBlock(c.open[len(c.open)-1], i.Pos())
		c.limit = limit
	}
	items := c.since(place)
	if typ == "list-unordered" && tasks == len(items) && tasks > 0 {
		typ = "list-tasks"
	}
	return c.arena.block(typ, data, items)
}

func checkBox(item ast.Node) *extast.TaskCheckBox {
	if first := item.FirstChild(); first != nil {
		if box, ok := first.FirstChild().(*extast.TaskCheckBox); ok {
			return box
		}
	}
	return nil
}

func (c *converter) fenced(n *ast.FencedCodeBlock) *Node {
	data := map[string]any{}
	if n.Info != nil {
		info := strings.Fields(c.valid(decode(c.value(n.Info.Segment))))
		if len(info) > 0 {
			data["syntax"] = info[0]
		}
		if len(info) > 1 {
			data["info"] = strings.Join(info[1:], " ")
		}
	}
	code := c.code(data, strings.TrimSuffix(c.linesOf(n), "\n"))
	c.traceLines(code, n.Lines())
	return code
}

// code returns a code block of at least one line.
func (s *arena) code(data map[string]any, code string) *Node {
	if data == nil {
		data = map[string]any{}
	}
	place := len(s.open)
	for l := range strings.SplitSeq(cleanLines(strings.TrimSuffix(code, "\r")), "\n") {
		s.add(s.block("code-line", nil, s.list(s.text(Leaf{Text: l}))))
	}
	return s.block("code", data, s.since(place))
}
