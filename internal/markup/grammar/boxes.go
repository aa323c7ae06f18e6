package grammar

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Box is what a line says that begins a box.
type Box struct {
	Kind     byte   // '!', '?' for one that readers can close, '=' for a tab
	Name     string // in lower case
	Title    string
	Titled   bool // a title is written, which may be empty
	Expanded bool
}

var boxLine = regexp.MustCompile(`^(!!!|\?\?\?\+?|===[!+]?)[ \t]*([A-Za-z][-\w]*)?((?:[ \t]+[-\w]+)*)(?:[ \t]*"(.*)")?[ \t]*$`)

// boxNames are the names of boxes besides those in MarkerStyles. Without a title,
// other lines are text that begins with such marks.
var boxNames = map[string]bool{
	"summary": true, "tldr": true, "todo": true, "done": true, "question": true, "help": true, "faq": true, "fail": true, "missing": true,
	"example": true, "snippet": true, "quote": true, "cite": true, "seealso": true, "details": true, "caution": true, "new": true, "settings": true,
}

// boxWords are words after a name that decide where a box is.
var boxWords = map[string]bool{"inline": true, "end": true, "annotate": true, "expand": true, "collapsible": true}

// ReadBox parses a line without the spaces around it.
func ReadBox(line string) (b Box, ok bool) {
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
	b = Box{Kind: line[0], Name: strings.ToLower(part(2)), Title: strings.TrimSpace(part(4)), Titled: m[8] >= 0, Expanded: strings.HasSuffix(part(1), "+")}
	words := strings.Fields(part(3))
	switch {
	case b.Kind == '=':
		return b, b.Title != "" && b.Name == "" && len(words) == 0
	case b.Titled:
		return b, b.Name != "" || b.Kind == '?'
	case !boxNames[b.Name] && MarkerStyles[b.Name] == "":
		return b, false
	}
	for _, w := range words {
		if !boxWords[w] {
			return b, false
		}
	}
	return b, true
}

// IsBoxLine reports whether a line begins a box.
func IsBoxLine(line string) bool {
	_, ok := ReadBox(strings.TrimSpace(line))
	return ok
}

// Style returns the style of the hint that the box is.
func (b Box) Style() string {
	switch b.Name {
	case "done":
		return "success"
	case "fail", "missing":
		return "danger"
	}
	if s := MarkerStyles[b.Name]; s != "" {
		return s
	}
	return "info"
}

// BoxBlock is a box with the blocks in it.
type BoxBlock struct {
	ast.BaseBlock
	Line string
}

var kindBox = ast.NewNodeKind("Box")

func (*BoxBlock) Kind() ast.NodeKind { return kindBox }

func (n *BoxBlock) Dump(b []byte, l int) { ast.DumpHelper(n, b, l, nil, nil) }

type boxParser struct{}

func (boxParser) Trigger() []byte { return []byte{'!', '?', '='} }

func (boxParser) CanInterruptParagraph() bool { return true }

func (boxParser) CanAcceptIndentedLine() bool { return false }

func (boxParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _, _, ok := blockStart(reader, pc)
	if !ok {
		return nil, parser.NoChildren
	}
	s := strings.TrimSpace(string(line))
	if _, ok := ReadBox(s); !ok {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return &BoxBlock{Line: s}, parser.NoChildren
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
