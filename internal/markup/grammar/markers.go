package grammar

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

// Marker is a tag, a shortcode or a line of colons of another tool.
type Marker struct {
	Kind   byte   // '%' for a tag, '{' for a shortcode, ':' for colons
	Name   string // in lower case; "" for colons that end a container
	Args   string // what follows the name
	Closes bool
}

// maxShortcode is the maximum length of a shortcode in bytes.
const maxShortcode = 2 << 10

// Shortcode returns the length of the shortcode `{{< name … >}}` or
// `{{% name … %}}` at the start of s, and its parts. The length is 0 if there is
// none. A shortcode is written on one line.
func Shortcode(s string) (m Marker, length int) {
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
	return Marker{'{', strings.ToLower(inner[:n]), strings.TrimSpace(inner[n:]), closes}, end
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
func colonMarker(line string) (m Marker, ok bool) {
	if !strings.HasPrefix(line, ":::") || strings.HasSuffix(strings.TrimLeft(line, ":"), ":::") {
		return m, false
	}
	at := colons.FindStringSubmatchIndex(line)
	if at == nil {
		return m, false
	}
	if at[2] < 0 {
		return Marker{Kind: ':', Closes: true}, true
	}
	return Marker{Kind: ':', Name: strings.ToLower(line[at[2]:at[3]]), Args: strings.Trim(line[at[3]:], " \t[]{}")}, true
}

// IsMarkerLine reports whether a line has shortcodes and nothing else, or the
// colons of a container.
func IsMarkerLine(line string) bool {
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
func shortcodes(s string) (all []Marker, ok bool) {
	for s != "" {
		m, n := Shortcode(s)
		if n == 0 {
			return nil, false
		}
		all = append(all, m)
		s = strings.TrimLeft(s[n:], " \t\r\n")
	}
	return all, len(all) > 0
}

// Markers returns the markers that the source of a raw block consists of, or nil
// if it has anything else.
func Markers(source string) []Marker {
	source = strings.TrimSpace(source)
	switch {
	case strings.HasPrefix(source, "{%"):
		if t, ok := syntax.ReadTag([]byte(source)); ok && t.End == len(source) {
			return []Marker{tagMarker(&t)}
		}
	case strings.HasPrefix(source, "{{"):
		all, _ := shortcodes(source)
		return all
	case strings.HasPrefix(source, ":::"):
		if m, ok := colonMarker(source); ok {
			return []Marker{m}
		}
	}
	return nil
}

func tagMarker(t *syntax.Tag) Marker {
	if name := t.Closes(); name != "" {
		return Marker{Kind: '%', Name: strings.ToLower(name), Closes: true}
	}
	return Marker{Kind: '%', Name: strings.ToLower(t.Name), Args: t.Args}
}

// markerParser parses the lines of shortcodes and of colons as raw blocks.
type markerParser struct{}

func (markerParser) Trigger() []byte             { return []byte{'{', ':'} }
func (markerParser) CanInterruptParagraph() bool { return true }
func (markerParser) CanAcceptIndentedLine() bool { return false }

func (markerParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, seg, off, ok := blockStart(reader, pc)
	if !ok || off < scanOf(pc).literal || !bytes.HasPrefix(line, []byte("{{")) && !bytes.HasPrefix(line, []byte(":::")) || !IsMarkerLine(string(line)) {
		return nil, parser.NoChildren
	}
	n := &RawBlock{}
	if all, _ := shortcodes(string(bytes.TrimSpace(line))); slices.ContainsFunc(all, func(m Marker) bool { return !m.Closes }) {
		n.Problem = "a line of shortcodes is of another tool: readers see what is in it, but not the shortcodes"
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
	_, n := Shortcode(string(line[:min(len(line), maxShortcode)]))
	if n == 0 {
		return nil
	}
	block.Advance(n)
	return &Atom{What: AtomShortcode, Content: string(line[:n]), At: seg.Start}
}

// MarkerStyles are the styles of hints for the names that other tools have for
// them.
var MarkerStyles = map[string]string{
	"note": "info", "info": "info", "information": "info", "see-also": "info", "abstract": "info", "callout": "info", "call-out": "info", "alert": "info",
	"admonition": "info", "hint": "success", "tip": "success", "success": "success", "check": "success",
	"warning": "warning", "warn": "warning", "caution": "warning", "important": "warning", "attention": "warning",
	"danger": "danger", "error": "danger", "critical": "danger", "failure": "danger", "bug": "danger",
}

// Style returns the name that decides which hint a marker is: that of the marker,
// or of what it includes, or its first argument, as in `{{< callout "note" >}}`.
func (m *Marker) Style() string {
	first, _ := syntax.ReadAttributes(m.Args).Get("")
	if first == "" {
		first, _, _ = strings.Cut(m.Args, " ")
	}
	first = strings.ToLower(strings.TrimSuffix(first[strings.LastIndexByte(first, '/')+1:], ".html"))
	if MarkerStyles[first] != "" && (m.Name == "include" || m.Name == "callout" || m.Name == "call-out" || m.Name == "alert" || m.Name == "admonition") {
		return first
	}
	return m.Name
}
