package markup

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// MkDocs marks a part of a page with a line such as `!!! note "Title"`, and indents
// what is in it by four spaces. Such a box is a hint with its line in the data,
// so that its content is edited like any other and its form is kept.

// fieldBox has the line of a box in the data of its hint.
var fieldBox = TextField{"marker"}

// box is what a line says that begins a box.
type box struct {
	kind     byte   // '!', '?' for one that readers can close, '=' for a tab
	name     string // in lower case
	title    string
	titled   bool // a title is written, which may be empty
	expanded bool
}

var boxLine = regexp.MustCompile(`^(!!!|\?\?\?\+?|===[!+]?)[ \t]*([A-Za-z][-\w]*)?((?:[ \t]+[-\w]+)*)(?:[ \t]*"(.*)")?[ \t]*$`)

// boxNames are the names of boxes besides those in markerStyles. Without a title,
// other lines are text that begins with such marks.
var boxNames = map[string]bool{
	"summary": true, "tldr": true, "todo": true, "done": true, "question": true, "help": true, "faq": true, "fail": true, "missing": true,
	"example": true, "snippet": true, "quote": true, "cite": true, "seealso": true, "details": true, "caution": true, "new": true, "settings": true,
}

// boxWords are words after a name that decide where a box is.
var boxWords = map[string]bool{"inline": true, "end": true, "annotate": true, "expand": true, "collapsible": true}

// readBox parses a line without the spaces around it.
func readBox(line string) (b box, ok bool) {
	if len(line) < 4 || line[0] != line[1] || line[1] != line[2] || line[0] != '!' && line[0] != '?' && line[0] != '=' {
		return b, false
	}
	m := boxLine.FindStringSubmatchIndex(line)
	if m == nil {
		return b, false
	}
	part := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return line[m[2*i]:m[2*i+1]]
	}
	b = box{kind: line[0], name: strings.ToLower(part(2)), title: strings.TrimSpace(part(4)), titled: m[8] >= 0, expanded: strings.HasSuffix(part(1), "+")}
	words := strings.Fields(part(3))
	switch {
	case b.kind == '=':
		return b, b.title != "" && b.name == "" && len(words) == 0
	case b.titled:
		return b, b.name != "" || b.kind == '?'
	case !boxNames[b.name] && markerStyles[b.name] == "":
		return b, false
	}
	for _, w := range words {
		if !boxWords[w] {
			return b, false
		}
	}
	return b, true
}

func isBoxLine(line string) bool {
	_, ok := readBox(strings.TrimSpace(line))
	return ok
}

func (b box) style() string {
	switch b.name {
	case "done":
		return "success"
	case "fail", "missing":
		return "danger"
	}
	if s := markerStyles[b.name]; s != "" {
		return s
	}
	return "info"
}

// boxOf returns the box that a hint is, if it is printed as one.
func boxOf(n *Node) (b box, ok bool) {
	line := n.Str(fieldBox)
	if n.Type != "hint" || line == "" || len(n.Data) != 2 || strings.ContainsAny(line, "\r\n") || strings.TrimSpace(line) != line {
		return b, false
	}
	b, ok = readBox(line)
	return b, ok && b.style() == n.Str(FieldStyle)
}

// boxBlock is a box with the blocks in it.
type boxBlock struct {
	ast.BaseBlock
	line string
}

var kindBox = ast.NewNodeKind("Box")

func (*boxBlock) Kind() ast.NodeKind     { return kindBox }
func (n *boxBlock) Dump(b []byte, l int) { ast.DumpHelper(n, b, l, nil, nil) }

type boxParser struct{}

func (boxParser) Trigger() []byte             { return []byte{'!', '?', '='} }
func (boxParser) CanInterruptParagraph() bool { return true }
func (boxParser) CanAcceptIndentedLine() bool { return false }

func (boxParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _, _, ok := blockStart(reader, pc)
	if !ok {
		return nil, parser.NoChildren
	}
	s := strings.TrimSpace(string(line))
	if _, ok := readBox(s); !ok {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return &boxBlock{line: s}, parser.NoChildren
}

func (boxParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	pos, padding := util.IndentPosition(line, reader.LineOffset(), 4)
	if pos < 0 {
		return parser.Close
	}
	reader.AdvanceAndSetPadding(pos, padding)
	return parser.Continue | parser.HasChildren
}

func (boxParser) Close(ast.Node, text.Reader, parser.Context) {}

// box returns the hint of a box.
func (c *converter) box(n *boxBlock) *Node {
	b, _ := readBox(n.line)
	return c.arena.block("hint", map[string]any{"style": b.style(), fieldBox.name: c.valid(n.line)}, Filled(c.children(n)))
}

// printBox prints a hint as the box that it is.
func (p *printer) printBox(n *Node) string {
	body := p.body("hint", n.Nodes)
	if body == "" {
		return n.Str(fieldBox)
	}
	return n.Str(fieldBox) + "\n" + hang("    ", "    ", body)
}

// readersTitle returns the title that readers see, with its marks. A hint shows
// what its style is, so that a name that is a style needs no title.
func (b box) readersTitle() []*Node {
	title := b.title
	if !b.titled && (b.kind == '?' || markerStyles[b.name] == "") && b.name != "" {
		title = strings.ToUpper(b.name[:1]) + b.name[1:]
	}
	if title == "" {
		return nil
	}
	var inlines InlineBuilder
	addMarkdown(&inlines, title, []Mark{{Type: "bold"}})
	return inlines.Done()
}

// box returns what readers see of the box at the start of nodes, and how many of
// them it takes: tabs that follow each other are one.
func (f *foreign) box(b box, nodes []*Node) (shown *Node, taken int) {
	n := nodes[0]
	switch b.kind {
	case '=':
		tabs := blockNode("tabs", nil)
		for _, k := range nodes {
			b, ok := boxOf(k)
			if !ok || b.kind != '=' || len(tabs.Nodes) > 0 && strings.HasPrefix(k.Str(fieldBox), "===!") {
				break
			}
			item := blockNode("tabs-item", map[string]any{"title": PlainText(b.readersTitle())}, Filled(f.list(k.Nodes))...)
			item.Key = k.Key
			tabs.Nodes = append(tabs.Nodes, item)
		}
		return tabs, len(tabs.Nodes)
	case '?':
		shown = blockNode("expandable", map[string]any{"defaultExpanded": b.expanded})
		shown.Fragments = []*Node{
			fragmentNode("expandable-title", "expandable-title", []*Node{paragraphNode(b.readersTitle())}),
			fragmentNode("expandable-body", "expandable-body", Filled(f.list(n.Nodes))),
		}
	default:
		inner := f.list(n.Nodes)
		if title := b.readersTitle(); title != nil {
			inner = append([]*Node{paragraphNode(title)}, inner...)
		}
		shown = blockNode("hint", map[string]any{"style": b.style()}, Filled(inner)...)
	}
	shown.Key = n.Key
	return shown, 1
}
