package html

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	htmlatom "golang.org/x/net/html/atom"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// maxRawDepth is the maximum nesting depth of elements of raw HTML.
const maxRawDepth = 64

var (
	// rawAttributes are the allowed attributes of each element: no classes, styles
	// or event handlers.
	rawAttributes = map[string][]string{
		"a": {"href", "id", "title", "name"}, "img": {"src", "alt", "title", "width", "height"},
		"ol": {"start"}, "td": {"align", "colspan", "rowspan"}, "th": {"align", "colspan", "rowspan", "scope"},
		"p": {"align"}, "div": {"align"}, "details": {"open"}, "abbr": {"title"}, "bdo": {"dir"}, "time": {"datetime"},
		"h1": {"id", "align"}, "h2": {"id", "align"}, "h3": {"id", "align"}, "h4": {"id", "align"}, "h5": {"id", "align"}, "h6": {"id", "align"},
		"span": {"id"},
	}
	rawVoids = []string{"br", "col", "hr", "img", "wbr"}
)

var (
	digitsForm = regexp.MustCompile(`^[0-9]{1,4}%?$`)
	alignForm  = regexp.MustCompile(`^(left|center|right|justify)$`)
	// plainForm and nameForm do not limit the length: a regular expression that
	// repeats a Unicode class a limited number of times compiles to megabytes, in
	// every process that starts.
	plainForm = regexp.MustCompile(`^[\pL\pN\pP\pZ\pS]*$`)
	nameForm  = regexp.MustCompile(`^[-\pL\pM\pN.+_]+$`)
)

// maxAttribute is the maximum length of the value of a raw attribute in
// characters, except for addresses.
const maxAttribute = 300

// attributeForms are the allowed forms of values of raw attributes, except for
// addresses.
var attributeForms = map[string]*regexp.Regexp{
	"id": nameForm, "name": nameForm, "title": plainForm, "alt": plainForm, "width": digitsForm, "height": digitsForm,
	"start": digitsForm, "colspan": regexp.MustCompile(`^[1-9][0-9]?$`), "rowspan": regexp.MustCompile(`^[1-9][0-9]?$`), "align": alignForm,
	"scope": regexp.MustCompile(`^(row|col|rowgroup|colgroup)$`), "dir": regexp.MustCompile(`^(ltr|rtl)$`),
	"datetime": regexp.MustCompile(`^[-0-9A-Za-z:+. ]{1,64}$`), "open": regexp.MustCompile(`^(open)?$`),
}

func rawPolicy(elements ...string) *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(elements...)
	p.AllowNoAttrs().OnElements(elements...)
	p.AllowURLSchemes("http", "https", "mailto", "tel")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	for _, element := range elements {
		for _, name := range rawAttributes[element] {
			if form := attributeForms[name]; form != nil {
				p.AllowAttrs(name).Matching(form).OnElements(element)
			} else {
				p.AllowAttrs(name).OnElements(element)
			}
		}
	}
	return p
}

var (
	inlinePolicy = sync.OnceValue(func() *bluemonday.Policy { return rawPolicy(markup.RawInlines...) })
	blockPolicy  = sync.OnceValue(func() *bluemonday.Policy { return rawPolicy(slices.Concat(markup.RawInlines, markup.RawBlocks)...) })
)

// rawInline writes raw HTML in a line of text. Each tag is a separate piece
// there, so open elements are tracked for the line. An end tag without a start
// tag is dropped, and elements that are still open are closed at the end of the
// line.
func (h *writer) rawInline(s string) {
	if len(s) > markup.MaxRaw {
		h.text(s)
		return
	}
	tokens := html.NewTokenizer(strings.NewReader(inlinePolicy().Sanitize(s)))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			h.text(tokens.Token().Data)
		case html.StartTagToken, html.SelfClosingTagToken:
			t := tokens.Token()
			if !slices.Contains(markup.RawInlines, t.Data) || len(h.raw) >= maxRawDepth {
				continue
			}
			h.open(t.Data, h.rawAttrs(t.Data, t.Attr)...)
			if !slices.Contains(rawVoids, t.Data) {
				h.raw = append(h.raw, t.Data)
			}
		case html.EndTagToken:
			name := tokens.Token().Data
			for i := len(h.raw) - 1; i >= h.rawFrom; i-- {
				if h.raw[i] == name {
					h.closeRaw(i)
					break
				}
			}
		}
	}
}

// closeRaw closes raw elements until the given number of them is open.
func (h *writer) closeRaw(to int) {
	for i := len(h.raw) - 1; i >= to; i-- {
		h.close(h.raw[i])
	}
	h.raw = h.raw[:to]
}

// rawBlock writes raw HTML that is a block. It is parsed as in a browser, so that
// elements that it leaves open end with it.
func (h *writer) rawBlock(s string) {
	if len(s) > markup.MaxRaw {
		h.preformatted(s)
		return
	}
	clean := blockPolicy().Sanitize(s)
	nodes, err := html.ParseFragment(strings.NewReader(clean), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: htmlatom.Div})
	if err != nil {
		h.preformatted(s)
		return
	}
	h.open("div", "class", "raw")
	for _, n := range nodes {
		h.rawNode(n, 0)
	}
	h.close("div")
}

func (h *writer) rawNode(n *html.Node, depth int) {
	switch n.Type {
	case html.TextNode:
		h.text(n.Data)
	case html.ElementNode:
		known := depth < maxRawDepth && (slices.Contains(markup.RawInlines, n.Data) || slices.Contains(markup.RawBlocks, n.Data))
		if known {
			h.open(n.Data, h.rawAttrs(n.Data, n.Attr)...)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			h.rawNode(c, depth+1)
		}
		if known && !slices.Contains(rawVoids, n.Data) {
			h.close(n.Data)
		}
	}
}

// rawAttrs returns the allowed attributes of an element. It checks the decoded
// values, after the policy has checked the source. Addresses within the site are
// replaced by their addresses in the output, if these are known.
func (h *writer) rawAttrs(element string, attrs []html.Attribute) []string {
	var out []string
	for _, a := range attrs {
		if a.Namespace != "" || !slices.Contains(rawAttributes[element], a.Key) {
			continue
		}
		value := a.Val
		if form := attributeForms[a.Key]; form != nil {
			if form == nameForm && !markup.IsAnchor(value) || utf8.RuneCountInString(value) > maxAttribute || !form.MatchString(value) {
				continue
			}
		} else {
			safe, ok := markup.SafeURL(value)
			if !ok {
				continue
			}
			value = safe
			if near, ok := h.href(docs.Ref{Kind: docs.RefURL, URL: a.Val}); ok {
				value = near
			}
		}
		out = append(out, a.Key, value)
	}
	if element == "img" {
		out = append(out, "loading", "lazy", "decoding", "async")
	}
	return out
}
