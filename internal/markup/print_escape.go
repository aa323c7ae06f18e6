package markup

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// textEscaper escapes text so that the parser reads it as text.
type textEscaper struct {
	s           string
	mode        inlineMode
	first, last bool // the text is at the start or the end of the block
	emojiNext   bool
	rawNext     bool
	// lead is the offset after the leading line breaks, tail the offset of the
	// trailing ones.
	lead, tail int
}

func (e *textEscaper) escape() string {
	var b strings.Builder
	s := e.s
	e.lead, e.tail = len(s)-len(strings.TrimLeft(s, "\n")), len(strings.TrimRight(s, "\n"))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf {
			b.WriteString(s[i : i+size])
			i += size
			continue
		}
		e.char(&b, i)
		i++
	}
	return b.String()
}

func (e *textEscaper) char(b *strings.Builder, i int) {
	c := e.s[i]
	switch c {
	case '\n':
		e.newline(b, i)
	case ' ', '\t':
		if e.edge(i) {
			fmt.Fprintf(b, "&#x%X;", c)
		} else {
			b.WriteByte(c)
		}
	case '\r', '\v', '\f':
		fmt.Fprintf(b, "&#x%X;", c)
	case '\\':
		switch next := e.at(i + 1); {
		case next == 0 || next == '\n':
			b.WriteString("&#x5C;")
		case isASCIIPunct(next) || next <= ' ':
			b.WriteString(`\\`)
		default:
			b.WriteByte(c)
		}
	default:
		if e.special(i) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
}

func isASCIIPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

// at returns the byte at an index, or 0 outside the text.
func (e *textEscaper) at(i int) byte {
	if i < 0 || i >= len(e.s) {
		return 0
	}
	return e.s[i]
}

// edge reports whether the parser would trim a space at this index.
func (e *textEscaper) edge(i int) bool {
	if i == 0 && e.first || i > 0 && e.s[i-1] == '\n' {
		return true
	}
	return i == len(e.s)-1 && e.last
}

// newline writes a line break. It is a backslash if there is text on both
// sides, and an element otherwise.
func (e *textEscaper) newline(b *strings.Builder, i int) {
	before, after := e.at(i-1), e.at(i+1)
	if e.mode != 0 || before == 0 && e.first || after == 0 && (e.last || e.rawNext) || e.edgeBreaks(i) {
		b.WriteString("<br>")
		return
	}
	b.WriteString("\\\n")
}

// edgeBreaks reports whether there are only line breaks between an index and an
// edge of the block.
func (e *textEscaper) edgeBreaks(i int) bool {
	return e.first && i <= e.lead || (e.last || e.rawNext) && i >= e.tail
}

// special reports whether a character has a syntactic meaning at its position.
func (e *textEscaper) special(i int) bool {
	s := e.s
	switch c := s[i]; c {
	case '`', '[':
		return true
	case ']':
		return e.mode&linkText != 0
	case '*', '~':
		return !e.betweenSpaces(i)
	case '_':
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+1:])
		return !(isWord(before) && isWord(after)) && !e.betweenSpaces(i)
	case '<':
		next := e.at(i + 1)
		return next == 0 || next == '/' || next == '!' || next == '?' || next >= 'a' && next <= 'z' || next >= 'A' && next <= 'Z'
	case '&':
		_, n := characterReference(s[i:])
		return n > 0
	case '$':
		next := e.at(i + 1)
		return next == '$' || next == 0
	case '!':
		return e.at(i+1) == 0
	case '|':
		return e.mode&tableText != 0
	case ':':
		return e.colon(i)
	case '{':
		return grammar.LiteralOpen.MatchString(s[i:]) || e.shortcode(i)
	case '.':
		return e.mode&linkText == 0 && i >= 3 && s[i-3:i] == "www" && !grammar.IsWordByte(e.at(i-4))
	case '@':
		return e.mode&linkText == 0 && e.mail(i)
	}
	return false
}

// shortcode reports whether a brace may begin a shortcode, together with the text
// that follows.
func (e *textEscaper) shortcode(i int) bool {
	switch rest := e.s[i:]; {
	case strings.HasPrefix(rest, "{{<"), strings.HasPrefix(rest, "{{%"):
		return true
	default:
		return !e.last && (rest == "{" || rest == "{{")
	}
}

// betweenSpaces reports whether a character has spaces on both sides that are not
// trimmed.
func (e *textEscaper) betweenSpaces(i int) bool {
	return e.at(i-1) == ' ' && e.at(i+1) == ' ' && !e.edge(i-1) && !e.edge(i+1)
}

// colon reports whether a colon begins an emoji or is part of a URL.
func (e *textEscaper) colon(i int) bool {
	s := e.s
	if name, n := emoji.ShortName([]byte(s[i:])); n > 0 && emoji.Code(name) != "" {
		return true
	}
	if e.emojiNext && emojiTail.MatchString(s[i:]) {
		return true
	}
	if e.mode&linkText != 0 || !strings.HasPrefix(s[i:], "://") {
		return false
	}
	for _, scheme := range []string{"http", "https", "ftp"} {
		if strings.HasSuffix(s[:i], scheme) && !grammar.IsWordByte(e.at(i-len(scheme)-1)) {
			return true
		}
	}
	return false
}

var emojiTail = regexp.MustCompile(`^:[a-z0-9_+-]*$`)

// mail reports whether an at sign may be part of an email address.
func (e *textEscaper) mail(i int) bool {
	if before := e.at(i - 1); i == 0 && e.first || i > 0 && before <= ' ' {
		return false
	}
	rest := e.s[i+1:]
	if len(rest) > maxMailHost { // a long text is searched once for each @
		rest = rest[:maxMailHost]
	}
	k := strings.IndexAny(rest, " \t\n")
	return k < 0 || strings.Contains(rest[:k], ".") // without a space, the address may continue after a mark
}

// maxMailHost is more than the maximum length of a host name.
const maxMailHost = 320

// Starts of lines that would begin another block.
var (
	lineHeading = regexp.MustCompile(`^#{1,6}(?:[ \t]|$)`)
	lineNumber9 = regexp.MustCompile(`^[0-9]{1,9}[.)](?:[ \t]|$)`)
	lineBullet  = regexp.MustCompile(`^[-+*](?:[ \t]|$)`)
	lineDashes  = regexp.MustCompile(`^(?:-[ \t]*)+$|^=+[ \t]*$|^[-|: \t]+$`)
)

// guardLines escapes the starts of lines in a paragraph that would begin
// another block.
func guardLines(s string) string {
	if !strings.Contains(s, "\n") {
		return guardLine(s)
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = guardLine(l)
	}
	return strings.Join(lines, "\n")
}

func guardLine(l string) string {
	if l == "" {
		return l
	}
	bare := strings.TrimSuffix(l, `\`)
	switch c := l[0]; {
	case c == '>':
		return `\` + l
	case c == '{' && strings.HasPrefix(l, "{%"):
		return `\` + l
	case c == ':' && grammar.IsMarkerLine(bare):
		return `\` + l
	case c == '#' && lineHeading.MatchString(bare):
		return `\` + l
	case (c == '-' || c == '+' || c == '*') && lineBullet.MatchString(bare):
		return `\` + l
	case c >= '0' && c <= '9':
		if m := lineNumber9.FindString(bare); m != "" {
			k := strings.IndexAny(m, ".)")
			return l[:k] + `\` + l[k:]
		}
	case lineDashes.MatchString(bare), grammar.IsBoxLine(bare):
		return `\` + l
	}
	return l
}
