package frontmatter

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTitle is the maximum length of a title in bytes; a longer title is
// truncated.
const maxTitle = 1000

// titleHeading is a heading of level 1 at the beginning of the source.
type titleHeading struct {
	span    span   // whole lines
	content span   // inline Markdown without the hash marks
	text    string // text that a reader sees
	anchor  string // source of the explicit anchor at the end
}

var (
	setextLine  = regexp.MustCompile(`^ {0,3}=+[ \t\r]*$`)
	otherBlock  = regexp.MustCompile("^ {0,3}([#>|<]|[-*+]([ \t]|$)|[0-9]{1,9}[.)]([ \t]|$)|```|~~~|\\{%|\\[[^\\]]*\\]:|=+\\s*$|([-*_][ \t]*){3,}$)|^( {0,3}\t| {4})")
	fixedAnchor = regexp.MustCompile(`[ \t]*<a href="#[^"<>]*" id="[^"<>]*"></a>$`)
)

// findTitle returns the heading of level 1 if it is the first block from at on.
// It may be marked by a hash or by an underline.
func findTitle(src []byte, at int, text InlineText) (titleHeading, bool) {
	at = afterBlank(src, at)
	end := afterLine(src, at)
	line := src[at:end]
	h := titleHeading{span: span{at, end}}

	indent := len(line) - len(bytes.TrimLeft(line, " "))
	rest := line[indent:]
	switch {
	case indent <= 3 && bytes.HasPrefix(rest, []byte("#")) && (len(rest) == 1 || bytes.IndexByte([]byte(" \t\r\n"), rest[1]) >= 0):
		inner := bytes.TrimRight(rest[1:], " \t\r\n")
		if cut := bytes.TrimRight(inner, "#"); len(cut) == 0 || len(cut) < len(inner) && (cut[len(cut)-1] == ' ' || cut[len(cut)-1] == '\t') {
			inner = bytes.TrimRight(cut, " \t")
		}
		h.content.start = at + indent + 1
		h.content.end = h.content.start + len(inner)
	case end < len(src) && setextLine.Match(bytes.TrimRight(src[end:afterLine(src, end)], "\n")) && !otherBlock.Match(bytes.TrimRight(line, "\r\n")):
		h.span.end = afterLine(src, end)
		h.content = span{at, at + len(bytes.TrimRight(line, " \t\r\n"))}
	default:
		return titleHeading{}, false
	}
	for h.content.start < h.content.end && (src[h.content.start] == ' ' || src[h.content.start] == '\t') {
		h.content.start++
	}
	content := src[h.content.start:h.content.end]
	h.anchor = string(bytes.TrimLeft(fixedAnchor.Find(content), " \t"))
	h.text = oneLine(text(string(content)))
	return h, true
}

// CleanTitle returns a title on one line: white space becomes single spaces,
// control characters are removed, and a title that is too long is cut.
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
