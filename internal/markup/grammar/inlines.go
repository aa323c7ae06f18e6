package grammar

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// Atom is an inline that is parsed as a whole: a formula, an emoji, an HTML
// element with a special meaning, a footnote reference, a shortcode or a literal text.
type Atom struct {
	ast.BaseInline
	What    atomKind
	Content string // the formula, the code of the emoji, the element, the label, the literal text
	At      int    // offset of a literal text or a shortcode
	// Place is where the atom is written, if it is on one line.
	Place Place
}

// atomKind says what an atom is.
type atomKind int

// Kinds of atoms.
const (
	AtomMath atomKind = iota
	AtomEmoji
	AtomElement
	AtomFootnote
	AtomLiteral
	AtomShortcode
)

// Place is a range of bytes in the source.
type Place struct{ Start, End int }

var kindAtom = ast.NewNodeKind("Atom")

func (*Atom) Kind() ast.NodeKind     { return kindAtom }
func (n *Atom) Dump(b []byte, l int) { ast.DumpHelper(n, b, l, nil, nil) }

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
func (n *Atom) placed(start int, read []byte) *Atom {
	if bytes.IndexByte(read, '\n') < 0 {
		n.Place = Place{start, start + len(read)}
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
	return (&Atom{What: AtomMath, Content: string(b[2 : len(b)-2])}).placed(at.Start, b)
}

// LiteralTag is the tag whose content is always text, even if it looks like
// markup.
const LiteralTag = "raw"

func isLiteralTag(name string) bool { return name == LiteralTag || name == "end"+LiteralTag }

var (
	// LiteralOpen matches the tag that begins a literal text.
	LiteralOpen  = regexp.MustCompile(`^\{%[ \t]*raw[ \t]*%\}`)
	literalClose = regexp.MustCompile(`\{%[ \t]*endraw[ \t]*%\}`)
)

// literalParser parses `{% raw %}text{% endraw %}`.
type literalParser struct{}

func (literalParser) Trigger() []byte { return []byte{'{'} }

func (literalParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, seg := block.PeekLine()
	open := LiteralOpen.FindIndex(line)
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
	return &Atom{What: AtomLiteral, Content: string(b[open[1]:end]), At: seg.Start + open[1]}
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
	return (&Atom{What: AtomEmoji, Content: code}).placed(at.Start, line[:n])
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
	if s := scanOf(pc); s.Notes[label] == nil {
		s.lacksNote(label, at.Start, line[n:])
		return nil
	}
	block.Advance(n)
	return &Atom{What: AtomFootnote, Content: label}
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
	if !AtomNames[name] {
		return nil
	}
	open, ok := takeUntil(block, func(b []byte) int {
		end := syntax.HTMLTagEnd(b[1:])
		if end < 0 {
			return -1
		}
		return end + 1
	})
	if !ok || !IsAtom(name, string(open)) {
		return nil
	}
	if name == "img" {
		return (&Atom{What: AtomElement, Content: string(open)}).placed(start.Start, open)
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
	return (&Atom{What: AtomElement, Content: all}).placed(start.Start, []byte(all))
}

// AtomNames are the elements that may be atoms, depending on their attributes,
// see IsAtom.
var AtomNames = map[string]bool{"a": true, "button": true, "code": true, "i": true, "img": true, "picture": true, "span": true}

// IsAtom reports whether the tag of an element of AtomNames makes it an atom.
func IsAtom(name, open string) bool {
	e, ok := syntax.ReadElement(open)
	if !ok {
		return false
	}
	class := strings.Fields(e.Attr("class"))
	switch name {
	case "img", "picture":
		return true
	case "a":
		return slices.Contains(class, "button") || e.Has("data-mention") || e.Has("data-footnote-ref")
	case "button":
		return slices.Contains(class, "button")
	case "code":
		return slices.Contains(class, "expression")
	case "i":
		return IconOf(e) != ""
	case "span":
		return e.Has("data-gb-custom-inline") || slices.Contains(class, "math")
	}
	return false
}

// CustomBlock is the attribute of an element that stands for a tag.
const CustomBlock = "data-gb-custom-block"

// noteLabel matches what is a label and no pattern such as [^a-z].
var noteLabel = regexp.MustCompile(`^(\d+|\w[\w-]{2}[\w-]+)$`)

// lacksNote records a use of a footnote that is not defined. Only numbers are taken for uses
// if the page has no footnotes: others are often patterns.
func (s *Scan) lacksNote(label string, at int, rest []byte) {
	number := strings.Trim(label, "0123456789") == ""
	if !noteLabel.MatchString(label) || !number && len(s.Notes) == 0 || len(rest) > 0 && strings.IndexByte("([:+*?{", rest[0]) >= 0 {
		return
	}
	if _, known := s.Undefined[label]; !known && len(s.Undefined) < MaxProblems {
		if s.Undefined == nil {
			s.Undefined = map[string]int{}
		}
		s.Undefined[label] = at
	}
}
