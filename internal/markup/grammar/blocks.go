package grammar

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// TagBlock is a line that begins with a `{% tag %}`. The grammar does not treat
// a tag as a container. The content of the tag is found later, among the blocks
// that follow.
type TagBlock struct {
	ast.BaseBlock
	Pieces []TagPiece
	at     int // offset of the first tag in the source
	end    int // offset after the first tag
}

// TagPiece is a tag, or the text between two tags.
type TagPiece struct {
	Tag    *syntax.Tag
	Source string
	At     int // offset in the source
}

func (p *TagPiece) End() int { return p.At + len(p.Source) }

var kindTag = ast.NewNodeKind("Tag")

func (*TagBlock) Kind() ast.NodeKind     { return kindTag }
func (*TagBlock) IsRaw() bool            { return true }
func (n *TagBlock) Dump(b []byte, l int) { ast.DumpHelper(n, b, l, nil, nil) }

// ElementBlock is an HTML element, or one of its two tags if it contains
// Markdown.
type ElementBlock struct {
	ast.BaseBlock
	Name   string
	Open   bool // only the opening tag
	Close  bool // only the closing tag
	ends   int  // offset after the closing tag of a whole element
	Closed bool
}

var kindElement = ast.NewNodeKind("Element")

func (*ElementBlock) Kind() ast.NodeKind     { return kindElement }
func (*ElementBlock) IsRaw() bool            { return true }
func (n *ElementBlock) Dump(b []byte, l int) { ast.DumpHelper(n, b, l, nil, nil) }

// blockStart returns the current line from the start of its text, and the
// offset of that text in the source.
func blockStart(reader text.Reader, pc parser.Context) (line []byte, seg text.Segment, off int, ok bool) {
	line, seg = reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || pos >= len(line) {
		return nil, seg, 0, false
	}
	return line[pos:], seg, seg.Start + pos - seg.Padding, true
}

type tagParser struct{}

func (tagParser) Trigger() []byte             { return []byte{'{'} }
func (tagParser) CanInterruptParagraph() bool { return true }
func (tagParser) CanAcceptIndentedLine() bool { return false }

func (tagParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, seg, off, ok := blockStart(reader, pc)
	if !ok || !bytes.HasPrefix(line, []byte("{%")) {
		return nil, parser.NoChildren
	}
	scan := scanOf(pc)
	source := scan.Source
	first, ok := syntax.ReadTag(source[off:])
	if !ok || off < scan.literal {
		return nil, parser.NoChildren
	}
	if isLiteralTag(first.Name) && syntax.LoneTag(line) == "" {
		return nil, parser.NoChildren // it is part of the text
	}
	n := &TagBlock{at: off, end: off + first.End}
	if n.end <= seg.Stop {
		n.Pieces = TagPieces(line, off)
		if len(n.Pieces) > 1 && n.Pieces[1].Tag == nil && !scan.known(first.Name) && !closedBy(n.Pieces, first.Name) {
			return nil, parser.NoChildren // text that begins with something like a tag
		}
	} else if rest := source[n.end:]; !isBlankLine(rest) {
		return nil, parser.NoChildren // a tag of several lines must end its last line
	}
	if first.Name == LiteralTag {
		scan.literal = scan.Literals[off]
	}
	n.Lines().Append(seg)
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

func isBlankLine(b []byte) bool {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	return util.IsBlank(b)
}

// TagPieces splits a line into tags and the texts between them. off is the
// offset of the line.
func TagPieces(line []byte, off int) []TagPiece {
	var pieces []TagPiece
	text := 0
	flush := func(end int) {
		if s := bytes.TrimSpace(line[text:end]); len(s) > 0 {
			space := len(line[text:end]) - len(bytes.TrimLeft(line[text:end], " \t\r\n"))
			pieces = append(pieces, TagPiece{nil, string(s), off + text + space})
		}
	}
	for i := 0; i < len(line); {
		t, ok := syntax.ReadTag(line[i:])
		if !ok || len(pieces) > 0 && t.Closes() == "" && pieces[len(pieces)-1].Tag == nil {
			next := bytes.Index(line[i+1:], []byte("{%"))
			if next < 0 {
				break
			}
			i += next + 1
			continue
		}
		flush(i)
		pieces = append(pieces, TagPiece{&t, string(line[i : i+t.End]), off + i})
		i += t.End
		text = i
		if next := bytes.Index(line[i:], []byte("{%")); next >= 0 {
			i += next
		} else {
			break
		}
	}
	flush(len(line))
	return pieces
}

func closedBy(pieces []TagPiece, name string) bool {
	for _, p := range pieces {
		if p.Tag != nil && p.Tag.Closes() == name {
			return true
		}
	}
	return false
}

func (tagParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	n := node.(*TagBlock)
	_, seg := reader.PeekLine()
	if seg.Start >= n.end {
		return parser.Close
	}
	n.Lines().Append(seg)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (tagParser) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	n := node.(*TagBlock)
	if n.Pieces != nil {
		return
	}
	// Read a tag of several lines without the prefixes of the enclosing blocks.
	s := bytes.TrimSpace(n.Lines().Value(reader.Source()))
	if t, ok := syntax.ReadTag(s); ok && t.End == len(s) {
		n.Pieces = []TagPiece{{&t, string(s), n.at}}
	} else {
		n.Pieces = []TagPiece{{nil, string(s), n.at}}
	}
}

type elementParser struct{}

func (elementParser) Trigger() []byte             { return []byte{'<'} }
func (elementParser) CanInterruptParagraph() bool { return true }
func (elementParser) CanAcceptIndentedLine() bool { return false }

func (elementParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, seg, off, ok := blockStart(reader, pc)
	if !ok {
		return nil, parser.NoChildren
	}
	line = bytes.TrimSpace(line)
	n := &ElementBlock{}
	if bytes.HasPrefix(line, []byte("</")) {
		n.Name, n.Close = strings.ToLower(string(bytes.TrimSuffix(line[2:], []byte(">")))), true
		if n.Name != "details" && n.Name != "div" || line[len(line)-1] != '>' {
			return nil, parser.NoChildren
		}
	} else {
		e := scanOf(pc).Elements[off]
		if e == nil || e.OpenEnd > seg.Stop {
			return nil, parser.NoChildren
		}
		n.Name = e.Name
		alone := e.OpenEnd-off == len(line)
		switch e.Name {
		case "picture":
			if ast.IsParagraph(pc.LastOpenedBlock().Node) {
				return nil, parser.NoChildren // it is part of the text
			}
		case "details":
			if d, ok := syntax.ReadElement(string(line[:e.OpenEnd-off])); !ok || !d.Only("open") {
				return nil, parser.NoChildren
			}
			n.Open = e.Close < 0 || e.Close >= seg.Stop
		case "div":
			if !IsLayout(string(line[:e.OpenEnd-off])) {
				return nil, parser.NoChildren // HTML of the author
			}
			n.Open = alone && string(line) != "<div>"
		}
		if !n.Open && (e.Close < 0 || !e.Clean) {
			return nil, parser.NoChildren
		}
		n.ends = e.CloseEnd
	}
	n.Lines().Append(seg)
	n.Closed = n.Open || n.Close || n.ends <= seg.Stop
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

func (elementParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	n := node.(*ElementBlock)
	if n.Closed {
		return parser.Close
	}
	_, seg := reader.PeekLine()
	n.Lines().Append(seg)
	n.Closed = n.ends <= seg.Stop
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (elementParser) Close(ast.Node, text.Reader, parser.Context) {}

// htmlParser ends an HTML block before a tag, if the block has no end condition
// of its own.
type htmlParser struct{ parser.BlockParser }

func (p htmlParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	if n := node.(*ast.HTMLBlock); n.HTMLBlockType == ast.HTMLBlockType6 || n.HTMLBlockType == ast.HTMLBlockType7 {
		line, _ := reader.PeekLine()
		if w, pos := util.IndentWidth(line, reader.LineOffset()); w < 4 && pos < len(line) && line[pos] == '{' {
			if _, ok := syntax.ReadTag(line[pos:]); ok {
				return parser.Close
			}
		}
	}
	return p.BlockParser.Continue(node, reader, pc)
}

// MathBlock is a formula between two lines of `$$`.
type MathBlock struct {
	ast.BaseBlock
	end int
}

var kindMath = ast.NewNodeKind("Math")

func (*MathBlock) Kind() ast.NodeKind     { return kindMath }
func (*MathBlock) IsRaw() bool            { return true }
func (n *MathBlock) Dump(b []byte, l int) { ast.DumpHelper(n, b, l, nil, nil) }

type mathParser struct{}

func (mathParser) Trigger() []byte             { return []byte{'$'} }
func (mathParser) CanInterruptParagraph() bool { return true }
func (mathParser) CanAcceptIndentedLine() bool { return false }

func (mathParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, _, off, ok := blockStart(reader, pc)
	if !ok {
		return nil, parser.NoChildren
	}
	end, ok := scanOf(pc).Maths[off]
	if !ok {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return &MathBlock{end: end}, parser.NoChildren
}

func (mathParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	n := node.(*MathBlock)
	_, seg := reader.PeekLine()
	if seg.Start <= n.end && n.end < seg.Stop {
		reader.AdvanceToEOL()
		return parser.Close
	}
	n.Lines().Append(seg)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (mathParser) Close(ast.Node, text.Reader, parser.Context) {}

// FootnoteBlock is a definition `[^label]: …`. It stays at its position in the
// source.
type FootnoteBlock struct {
	ast.BaseBlock
	Label string
	Uses  int
}

// KindFootnote is the kind of FootnoteBlock.
var KindFootnote = ast.NewNodeKind("FootnoteBlock")

func (*FootnoteBlock) Kind() ast.NodeKind     { return KindFootnote }
func (n *FootnoteBlock) Dump(b []byte, l int) { ast.DumpHelper(n, b, l, nil, nil) }

type footnoteParser struct{}

func (footnoteParser) Trigger() []byte             { return []byte{'['} }
func (footnoteParser) CanInterruptParagraph() bool { return true }
func (footnoteParser) CanAcceptIndentedLine() bool { return false }

func (footnoteParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _, _, ok := blockStart(reader, pc)
	if !ok {
		return nil, parser.NoChildren
	}
	label, n := syntax.FootnoteLabel(line)
	if n == 0 || n >= len(line) || line[n] != ':' {
		return nil, parser.NoChildren
	}
	node := &FootnoteBlock{Label: label}
	if s := scanOf(pc); s.Notes[label] == nil {
		if s.Notes == nil {
			s.Notes = map[string]*FootnoteBlock{}
		}
		s.Notes[label] = node
	}
	n++
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	reader.Advance(pc.BlockOffset() + n)
	if rest, _ := reader.PeekLine(); util.IsBlank(rest) {
		reader.AdvanceToEOL()
		return node, parser.NoChildren
	}
	return node, parser.HasChildren
}

func (footnoteParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
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

func (footnoteParser) Close(ast.Node, text.Reader, parser.Context) {}

// IconOf returns the icon name of `<i class="fa-name">`, or an empty string.
func IconOf(e *syntax.Element) string {
	for _, c := range strings.Fields(e.Attr("class")) {
		if name, ok := strings.CutPrefix(c, "fa-"); ok && name != "" {
			return name
		}
	}
	return ""
}

// IsLayout reports whether a div only specifies the layout of its content, or
// is a hint.
func IsLayout(open string) bool {
	e, ok := syntax.ReadElement(open)
	return ok && (e.Only("align", "data-full-width", "data-with-frame") || IsHintElement(e))
}

// IsHintElement reports whether a div is a hint in the form that some exports
// write.
func IsHintElement(e *syntax.Element) bool {
	return e.Has(CustomBlock) && e.Attr("data-tag") == "hint" && e.Only(CustomBlock, "data-tag", "data-style", "data-icon")
}
