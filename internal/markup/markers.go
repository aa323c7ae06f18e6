package markup

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// Other tools mark a part of a page with lines of their own: tags that are not
// known here, shortcodes such as `{{< note >}}`, and colons such as `:::note`.
// Such a line is a raw block, and what is between two of them is content like
// any other. ForReaders decides what readers see of it.

// marker is a tag, a shortcode or a line of colons of another tool.
type marker struct {
	kind   byte   // '%' for a tag, '{' for a shortcode, ':' for colons
	name   string // in lower case; "" for colons that end a container
	args   string // what follows the name
	closes bool
}

// maxShortcode is the maximum length of a shortcode in bytes.
const maxShortcode = 2 << 10

// shortcode returns the length of the shortcode `{{< name … >}}` or
// `{{% name … %}}` at the start of s, and its parts. The length is 0 if there is
// none. A shortcode is written on one line.
func shortcode(s string) (m marker, length int) {
	if len(s) < 6 || s[0] != '{' || s[1] != '{' || s[2] != '<' && s[2] != '%' {
		return m, 0
	}
	end := shortcodeEnd(s[:min(len(s), maxShortcode)])
	if end < 0 {
		return m, 0
	}
	inner := strings.TrimSpace(s[3 : end-3])
	inner, closes := strings.CutPrefix(inner, "/")
	inner = strings.TrimLeft(inner, " \t")
	n := 0
	for n < len(inner) && syntax.IsTagNameByte(inner[n]) {
		n++
	}
	if n == 0 || inner[0] == '/' {
		return m, 0 // {{</* name */>}} shows a shortcode
	}
	return marker{'{', strings.ToLower(inner[:n]), strings.TrimSpace(inner[n:]), closes}, end
}

// shortcodeEnd returns the offset after the end of the shortcode that begins s,
// or -1. Its end is not inside of quotes, unless these are not balanced.
func shortcodeEnd(s string) int {
	stop := ">}}"
	if s[2] == '%' {
		stop = "%}}"
	}
	if line := strings.IndexByte(s, '\n'); line >= 0 {
		s = s[:line]
	}
	first, quote := -1, byte(0)
	for i := 3; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '`':
			if quote == 0 {
				quote = c
			} else if quote == c {
				quote = 0
			}
		case strings.HasPrefix(s[i:], stop):
			if quote == 0 {
				return i + len(stop)
			}
			if first < 0 {
				first = i + len(stop)
			}
		case strings.HasPrefix(s[i:], "{{"):
			return first
		}
	}
	return first
}

// colons matches a line that begins or ends a container of colons.
var colons = regexp.MustCompile(`^:{3,}[ \t]*(?:\{?\.?([A-Za-z][-\w]*)(?:[ \t}\[{].*)?)?$`)

// colonMarker returns the marker of a line without the spaces around it.
func colonMarker(line string) (m marker, ok bool) {
	if !strings.HasPrefix(line, ":::") || strings.HasSuffix(strings.TrimLeft(line, ":"), ":::") {
		return m, false
	}
	at := colons.FindStringSubmatchIndex(line)
	if at == nil {
		return m, false
	}
	if at[2] < 0 {
		return marker{kind: ':', closes: true}, true
	}
	return marker{kind: ':', name: strings.ToLower(line[at[2]:at[3]]), args: strings.Trim(line[at[3]:], " \t[]{}")}, true
}

// isMarkerLine reports whether a line has shortcodes and nothing else, or the
// colons of a container.
func isMarkerLine(line string) bool {
	line = strings.TrimSpace(line)
	if _, ok := colonMarker(line); ok {
		return true
	}
	if !strings.HasPrefix(line, "{{") {
		return false
	}
	_, ok := shortcodes(line)
	return ok
}

// shortcodes returns the shortcodes that a text consists of.
func shortcodes(s string) (all []marker, ok bool) {
	for s != "" {
		m, n := shortcode(s)
		if n == 0 {
			return nil, false
		}
		all = append(all, m)
		s = strings.TrimLeft(s[n:], " \t\r\n")
	}
	return all, len(all) > 0
}

// markers returns the markers that the source of a raw block consists of, or nil
// if it has anything else.
func markers(source string) []marker {
	source = strings.TrimSpace(source)
	switch {
	case strings.HasPrefix(source, "{%"):
		if t, ok := syntax.ReadTag([]byte(source)); ok && t.End == len(source) {
			return []marker{tagMarker(&t)}
		}
	case strings.HasPrefix(source, "{{"):
		all, _ := shortcodes(source)
		return all
	case strings.HasPrefix(source, ":::"):
		if m, ok := colonMarker(source); ok {
			return []marker{m}
		}
	}
	return nil
}

func tagMarker(t *syntax.Tag) marker {
	if name := t.Closes(); name != "" {
		return marker{kind: '%', name: strings.ToLower(name), closes: true}
	}
	return marker{kind: '%', name: strings.ToLower(t.Name), args: t.Args}
}

// markerParser parses the lines of shortcodes and of colons as raw blocks.
type markerParser struct{}

func (markerParser) Trigger() []byte             { return []byte{'{', ':'} }
func (markerParser) CanInterruptParagraph() bool { return true }
func (markerParser) CanAcceptIndentedLine() bool { return false }

func (markerParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, seg, off, ok := blockStart(reader, pc)
	if !ok || off < scanOf(pc).literal || !bytes.HasPrefix(line, []byte("{{")) && !bytes.HasPrefix(line, []byte(":::")) || !isMarkerLine(string(line)) {
		return nil, parser.NoChildren
	}
	n := &rawBlock{}
	if all, _ := shortcodes(string(bytes.TrimSpace(line))); slices.ContainsFunc(all, func(m marker) bool { return !m.closes }) {
		n.problem = "a line of shortcodes is of another tool: readers see what is in it, but not the shortcodes"
	}
	n.Lines().Append(seg)
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

func (markerParser) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }

func (markerParser) Close(ast.Node, text.Reader, parser.Context) {}

// shortcodeParser parses a shortcode in a line as text, because what is in it is
// neither HTML nor an address.
type shortcodeParser struct{}

func (shortcodeParser) Trigger() []byte { return []byte{'{'} }

func (shortcodeParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, seg := block.PeekLine()
	if !bytes.HasPrefix(line, []byte("{{")) {
		return nil
	}
	_, n := shortcode(string(line[:min(len(line), maxShortcode)]))
	if n == 0 {
		return nil
	}
	block.Advance(n)
	return &atom{what: atomShortcode, text: string(line[:n]), at: seg.Start}
}

// codeTags are tags of other tools whose content is not Markdown. They are kept
// with it as one block.
var codeTags = map[string]bool{
	"highlight": true, "codeblock": true, "code_block": true, "sourcecode": true, "prism": true, "comment": true, "mermaid": true,
	"uml": true, "plantuml": true, "puml": true, "graphviz": true, "dot": true, "math": true, "mathjax": true, "katex": true,
	"chart": true, "jsfiddle": true, "verbatim": true, "style": true, "javascript": true, "css": true, "script": true, "graph": true,
}

// isMarkerTag reports whether a tag is one of another tool that is a mark
// alone: what is between it and its end is content of the page.
func isMarkerTag(t *syntax.Tag) bool {
	name := t.Name
	if closed := t.Closes(); closed != "" {
		name = closed
	}
	return !isKnownTag(tagName(name)) && !codeTags[name]
}
