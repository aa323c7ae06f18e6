package markup

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// atom is an inline that is parsed as a whole: a formula, an emoji, an HTML
// element with a special meaning, a footnote reference, a shortcode or a literal text.
type atom struct {
	ast.BaseInline
	what atomKind
	text string // the formula, the code of the emoji, the element, the label, the literal text
	at   int    // offset of a literal text or a shortcode
	// place is where the atom is written, if it is on one line.
	place Span
}

type atomKind int

const (
	atomMath atomKind = iota
	atomEmoji
	atomElement
	atomFootnote
	atomLiteral
	atomShortcode
)

var kindAtom = ast.NewNodeKind("Atom")

func (*atom) Kind() ast.NodeKind     { return kindAtom }
func (n *atom) Dump(b []byte, l int) { ast.DumpHelper(n, b, l, nil, nil) }

// maxAtomBytes is the maximum length of an inline that is parsed as a whole.
const maxAtomBytes = 32 << 10

// takeUntil reads text from the current position up to the end that find returns.
// find is called with the text read so far and returns -1 to read another line.
// If no end is found, ok is false and the position does not change.
func takeUntil(block text.Reader, find func(b []byte) int) (taken []byte, ok bool) {
	line, seg := block.Position()
	var b []byte
	for len(b) < maxAtomBytes {
		l, _ := block.PeekLine()
		if l == nil {
			break
		}
		before := len(b)
		if before == 0 {
			b = l[:min(len(l), maxAtomBytes):min(len(l), maxAtomBytes)] // one line is enough in most cases
		} else {
			b = append(b, l[:min(len(l), maxAtomBytes)]...)
		}
		if end := find(b); end >= 0 {
			block.Advance(end - before)
			return b[:end], true
		}
		block.AdvanceLine()
	}
	block.SetPosition(line, seg)
	return nil, false
}

// placed records where an atom is written. read is everything that was read of it.
func (n *atom) placed(start int, read []byte) *atom {
	if bytes.IndexByte(read, '\n') < 0 {
		n.place = Span{start, start + len(read)}
	}
	return n
}

// taskParser parses the checkbox of a task. It must be followed by white space;
// otherwise it is the text of a link.
type taskParser struct{ parser.InlineParser }

func (p taskParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if len(line) > 3 && line[3] != ' ' && line[3] != '\t' && line[3] != '\n' && line[3] != '\r' {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// inlineMathParser parses `$$formula$$`.
type inlineMathParser struct{}

func (inlineMathParser) Trigger() []byte { return []byte{'$'} }

func (inlineMathParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, at := block.PeekLine()
	if !bytes.HasPrefix(line, []byte("$$")) {
		return nil
	}
	b, ok := takeUntil(block, func(b []byte) int {
		if i := bytes.Index(b[2:], []byte("$$")); i >= 0 {
			return i + 4
		}
		return -1
	})
	if !ok {
		return nil
	}
	return (&atom{what: atomMath, text: string(b[2 : len(b)-2])}).placed(at.Start, b)
}

// literalTag is the tag whose content is always text, even if it looks like
// markup.
const literalTag = "raw"

func isLiteralTag(name string) bool { return name == literalTag || name == "end"+literalTag }

var (
	literalOpen  = regexp.MustCompile(`^\{%[ \t]*raw[ \t]*%\}`)
	literalClose = regexp.MustCompile(`\{%[ \t]*endraw[ \t]*%\}`)
)

// literalParser parses `{% raw %}text{% endraw %}`.
type literalParser struct{}

func (literalParser) Trigger() []byte { return []byte{'{'} }

func (literalParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, seg := block.PeekLine()
	open := literalOpen.FindIndex(line)
	if open == nil {
		return nil
	}
	end := 0
	b, ok := takeUntil(block, func(b []byte) int {
		m := literalClose.FindIndex(b[open[1]:])
		if m == nil {
			return -1
		}
		end = open[1] + m[0]
		return open[1] + m[1]
	})
	if !ok {
		return nil
	}
	return &atom{what: atomLiteral, text: string(b[open[1]:end]), at: seg.Start + open[1]}
}

// emojiParser parses `:name:` if the name is that of an emoji.
type emojiParser struct{}

func (emojiParser) Trigger() []byte { return []byte{':'} }

func (emojiParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, at := block.PeekLine()
	name, n := emoji.ShortName(line)
	if n == 0 {
		return nil
	}
	code := emoji.Code(name)
	if code == "" {
		return nil
	}
	block.Advance(n)
	return (&atom{what: atomEmoji, text: code}).placed(at.Start, line[:n])
}

// footnoteRefParser parses `[^label]` if the label is defined.
type footnoteRefParser struct{}

func (footnoteRefParser) Trigger() []byte { return []byte{'['} }

func (footnoteRefParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, at := block.PeekLine()
	label, n := syntax.FootnoteLabel(line)
	if n == 0 {
		return nil
	}
	if s := scanOf(pc); s.notes[label] == nil {
		s.lacksNote(label, at.Start, line[n:])
		return nil
	}
	block.Advance(n)
	return &atom{what: atomFootnote, text: label}
}

// inlineElementParser parses the HTML elements whose content is not Markdown.
type inlineElementParser struct{}

func (inlineElementParser) Trigger() []byte { return []byte{'<'} }

func (inlineElementParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, start := block.PeekLine()
	i := 1
	for i < len(line) && syntax.IsNameByte(line[i]) {
		i++
	}
	name := strings.ToLower(string(line[1:i]))
	if !atomNames[name] {
		return nil
	}
	open, ok := takeUntil(block, func(b []byte) int {
		end := syntax.HTMLTagEnd(b[1:])
		if end < 0 {
			return -1
		}
		return end + 1
	})
	if !ok || !isAtom(name, string(open)) {
		return nil
	}
	if name == "img" {
		return (&atom{what: atomElement, text: string(open)}).placed(start.Start, open)
	}
	closing := []byte("</" + name + ">")
	_, at := block.Position()
	s := scanOf(pc)
	if s.unclosedIn != parent {
		s.unclosed, s.unclosedIn = nil, parent
	}
	if at.Start < s.unclosed[name] {
		return nil // an earlier search did not find the closing tag
	}
	rest, ok := takeUntil(block, func(b []byte) int {
		if i := bytes.Index(b, closing); i >= 0 {
			return i + len(closing)
		}
		return -1
	})
	if !ok {
		if s.unclosed == nil {
			s.unclosed = map[string]int{}
		}
		s.unclosed[name] = at.Start + maxAtomBytes/2
		return nil
	}
	all := string(open) + string(rest)
	return (&atom{what: atomElement, text: all}).placed(start.Start, []byte(all))
}

// atomNames are the elements that may be atoms, depending on their attributes,
// see isAtom.
var atomNames = map[string]bool{"a": true, "button": true, "code": true, "i": true, "img": true, "picture": true, "span": true}

func isAtom(name, open string) bool {
	e, ok := syntax.ReadElement(open)
	if !ok {
		return false
	}
	class := strings.Fields(e.Attr("class"))
	switch name {
	case "img", "picture":
		return true
	case "a":
		return hasString(class, "button") || e.Has("data-mention") || e.Has("data-footnote-ref")
	case "button":
		return hasString(class, "button")
	case "code":
		return hasString(class, "expression")
	case "i":
		return iconOf(e) != ""
	case "span":
		return e.Has("data-gb-custom-inline") || hasString(class, "math")
	}
	return false
}

func hasString(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
