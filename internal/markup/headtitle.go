package markup

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxTitle is where a title is cut, in bytes.
	maxTitle = 1000
	// maxInline is how much of one line is parsed as inline markup; beyond
	// it the line is taken as it is written.
	maxInline = 2200
	// maxBrackets is how many brackets may open in that line; a hostile one
	// has thousands, which takes a parser long.
	maxBrackets = 32
)

// titleHeading is a leading heading of the first level.
type titleHeading struct {
	span    Span   // whole lines
	content Span   // the inline markup, without marks of the heading
	text    string // what a reader sees
	anchor  string // a fixed anchor as it is written at the end, if any
}

var (
	setextLine  = regexp.MustCompile(`^ {0,3}=+[ \t\r]*$`)
	otherBlock  = regexp.MustCompile("^ {0,3}([#>|<]|[-*+]([ \t]|$)|[0-9]{1,9}[.)]([ \t]|$)|```|~~~|\\{%|\\[[^\\]]*\\]:|=+\\s*$|([-*_][ \t]*){3,}$)|^( {0,3}\t| {4})")
	fixedAnchor = regexp.MustCompile(`[ \t]*<a href="#[^"<>]*" id="[^"<>]*"></a>$`)
)

// findTitle gives the heading of the first level that is the first block
// from at on, with hash marks or underlined.
func findTitle(src []byte, at int) (titleHeading, bool) {
	at = afterBlank(src, at)
	end := afterLine(src, at)
	line := src[at:end]
	h := titleHeading{span: Span{at, end}}

	indent := len(line) - len(bytes.TrimLeft(line, " "))
	rest := line[indent:]
	switch {
	case indent <= 3 && bytes.HasPrefix(rest, []byte("#")) && (len(rest) == 1 || bytes.IndexByte([]byte(" \t\r\n"), rest[1]) >= 0):
		inner := bytes.TrimRight(rest[1:], " \t\r\n")
		if cut := bytes.TrimRight(inner, "#"); len(cut) == 0 || len(cut) < len(inner) && (cut[len(cut)-1] == ' ' || cut[len(cut)-1] == '\t') {
			inner = bytes.TrimRight(cut, " \t")
		}
		h.content.Start = at + indent + 1
		h.content.End = h.content.Start + len(inner)
	case end < len(src) && setextLine.Match(bytes.TrimRight(src[end:afterLine(src, end)], "\n")) && !otherBlock.Match(bytes.TrimRight(line, "\r\n")):
		h.span.End = afterLine(src, end)
		h.content = Span{at, at + len(bytes.TrimRight(line, " \t\r\n"))}
	default:
		return titleHeading{}, false
	}
	for h.content.Start < h.content.End && (src[h.content.Start] == ' ' || src[h.content.Start] == '\t') {
		h.content.Start++
	}
	content := src[h.content.Start:h.content.End]
	h.anchor = string(bytes.TrimLeft(fixedAnchor.Find(content), " \t"))
	h.text = oneLine(InlineText(string(content)))
	return h, true
}

// CleanTitle gives a title as it can stand on one line: white space becomes
// single spaces, control characters go, and what is too long is cut.
func CleanTitle(s string) string {
	s = oneLine(s)
	if len(s) > maxTitle {
		cut := maxTitle
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = strings.TrimSpace(s[:cut])
	}
	return s
}

func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == '\ufeff':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(s), " ")
}

var inlineParser = parser.NewParser(
	parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), 500))...),
)

// InlineText gives what a reader sees of inline Markdown that stands on one
// line: no marks, the text of links, the description of images.
func InlineText(src string) string {
	if len(src) > maxInline || strings.Count(src, "[")-strings.Count(src, `\[`) > maxBrackets {
		return src
	}
	if !strings.ContainsAny(src, "\\`*_[<&~!") {
		return src
	}
	source := []byte(src)
	var out strings.Builder
	_ = ast.Walk(inlineParser.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			if _, ok := n.Parent().(*ast.CodeSpan); ok || n.IsRaw() {
				out.Write(n.Segment.Value(source))
			} else {
				writeUnescaped(&out, string(n.Segment.Value(source)))
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(n.Value)
		case *ast.AutoLink:
			out.Write(n.Label(source))
		case *ast.RawHTML:
			if tag := n.Segments.Value(source); bytes.HasPrefix(bytes.ToLower(tag), []byte("<br")) {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

var charEntity = regexp.MustCompile(`^&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// Unescape gives a text without backslashes before punctuation and with its
// entities as characters: what destinations and titles of links mean.
func Unescape(s string) string {
	if !strings.ContainsAny(s, "\\&") {
		return s
	}
	var b strings.Builder
	writeUnescaped(&b, s)
	return b.String()
}

// writeUnescaped writes text without backslashes before punctuation and with
// its entities as characters.
func writeUnescaped(out *strings.Builder, s string) {
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			out.WriteByte(s[i+1])
			i += 2
			continue
		case s[i] == '&':
			if e := charEntity.FindString(s[i:]); e != "" {
				out.WriteString(html.UnescapeString(e))
				i += len(e)
				continue
			}
		}
		out.WriteByte(s[i])
		i++
	}
}

// EscapeInline writes a text so that InlineText gives it back, with as few
// backslashes as that needs.
func EscapeInline(s string) string {
	var b strings.Builder
	trailing := strings.TrimRight(s, "#")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\', '`', '*', '[', ']', '<', '~':
			b.WriteByte('\\')
		case '_':
			// A run of them is one mark, which means nothing inside of a word only.
			from, to := len(strings.TrimRight(s[:i], "_")), len(s)-len(strings.TrimLeft(s[i:], "_"))
			if from == 0 || to == len(s) || !isWordByte(s[from-1]) || !isWordByte(s[to]) {
				b.WriteByte('\\')
			}
		case '&':
			if charEntity.MatchString(s[i:]) {
				b.WriteByte('\\')
			}
		case '#':
			if i == len(trailing) && (i == 0 || s[i-1] == ' ') {
				b.WriteByte('\\') // else it closes the heading
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
