package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// MaxRaw is the maximum size of a piece of raw HTML that is parsed; a larger one
// is displayed as text.
const MaxRaw = 256 << 10

// RawInlines are the elements that are allowed in a line of text, RawBlocks those
// that are allowed around lines. Elements that run code, load a document, submit
// a form or have a syntax of their own (svg, math, style, template) are excluded.
var (
	RawInlines = []string{
		"a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "del", "dfn", "em", "i", "img", "ins", "kbd", "mark", "q",
		"rp", "rt", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
	}
	RawBlocks = []string{
		"blockquote", "caption", "center", "col", "colgroup", "dd", "details", "div", "dl", "dt", "figcaption", "figure",
		"h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "summary", "table", "tbody", "td", "tfoot", "th",
		"thead", "tr", "ul",
	}
)

// VisibleText returns the text of raw HTML that a reader sees.
func VisibleText(s string) string {
	if len(s) > MaxRaw {
		return s
	}
	var b strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(s))
	hidden := ""
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if hidden == "" {
				b.Write(tokens.Text())
			}
		case html.StartTagToken:
			if name, _ := tokens.TagName(); hidden == "" && (string(name) == "script" || string(name) == "style") {
				hidden = string(name)
			} else if slices.Contains(RawBlocks, string(name)) {
				b.WriteByte('\n')
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); string(name) == hidden {
				hidden = ""
			}
		}
	}
}
