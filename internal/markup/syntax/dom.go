package syntax

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// MaxDepth is the maximum nesting depth of elements.
const MaxDepth = 64

// Element is a piece of HTML: an element, a text (the name is empty), or a
// comment or doctype (the name is "!").
type Element struct {
	Name  string
	Attrs []html.Attribute
	Text  string // of a text: decoded, with spaces collapsed; of a "!": verbatim
	Kids  []*Element
	// Offsets in the source that was parsed.
	Start, OpenEnd, CloseStart, End int
}

// Attr returns the value of an attribute, or an empty string.
func (e *Element) Attr(name string) string {
	for _, a := range e.Attrs {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// Has reports whether the element has an attribute.
func (e *Element) Has(name string) bool {
	for _, a := range e.Attrs {
		if a.Key == name {
			return true
		}
	}
	return false
}

// Only reports whether the element has no attributes other than names.
func (e *Element) Only(names ...string) bool {
	for _, a := range e.Attrs {
		if !slices.Contains(names, a.Key) {
			return false
		}
	}
	return true
}

// Elements returns the child elements without blank texts. ok is false if there
// is a text or a comment between them.
func (e *Element) Elements() (kids []*Element, ok bool) {
	for _, k := range e.Kids {
		if k.Name == "" && strings.TrimSpace(k.Text) == "" {
			continue
		}
		if k.Name == "" || k.Name == "!" {
			return nil, false
		}
		kids = append(kids, k)
	}
	return kids, true
}

var voidElements = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "source": true, "track": true, "wbr": true,
}

// ReadHTML parses well-formed HTML into a tree. ok is false if elements are not
// properly nested and closed, or are nested too deeply. Such HTML is not
// converted.
func ReadHTML(source string) (root *Element, ok bool) {
	root = &Element{End: len(source)}
	z := html.NewTokenizer(strings.NewReader(source))
	stack := []*Element{root}
	off := 0
	for {
		tt := z.Next()
		raw := len(z.Raw())
		top := stack[len(stack)-1]
		e := Element{Start: off, OpenEnd: off + raw, CloseStart: off + raw, End: off + raw}
		off += raw
		switch tt {
		case html.ErrorToken:
			if top.Name == "li" {
				stack = endItem(stack, e.Start)
			}
			return root, len(stack) == 1 && off == len(source)
		case html.TextToken:
			e.Text = DecodeHTML(source[e.Start:e.End], !inside(stack, "pre"))
			if n := len(top.Kids); n > 0 && top.Kids[n-1].Name == "" && e.Text == "" {
				continue
			}
			top.add(e)
		case html.CommentToken, html.DoctypeToken:
			e.Name, e.Text = "!", source[e.Start:e.End]
			top.add(e)
		case html.SelfClosingTagToken, html.StartTagToken:
			t := z.Token()
			e.Name, e.Attrs = t.Data, t.Attr
			for i := range e.Attrs {
				e.Attrs[i].Val = Valid(e.Attrs[i].Val)
			}
			if e.Name == "li" && top.Name == "li" {
				stack = endItem(stack, e.Start)
				top = stack[len(stack)-1]
			}
			kept := top.add(e)
			if tt == html.SelfClosingTagToken || voidElements[e.Name] {
				continue
			}
			if len(stack) >= MaxDepth {
				return nil, false
			}
			stack = append(stack, kept)
		case html.EndTagToken:
			t := z.Token()
			if top.Name == "li" && (t.Data == "ul" || t.Data == "ol") {
				stack = endItem(stack, e.Start)
				top = stack[len(stack)-1]
			}
			if top == root || top.Name != t.Data {
				return nil, false
			}
			top.CloseStart, top.End = e.Start, e.End
			stack = stack[:len(stack)-1]
		}
	}
}

// add appends an element to the children of e and returns it.
func (e *Element) add(inner Element) *Element {
	e.Kids = append(e.Kids, &inner)
	return &inner
}

// endItem closes a list item, for which HTML requires no end tag.
func endItem(stack []*Element, at int) []*Element {
	top := stack[len(stack)-1]
	top.CloseStart, top.End = at, at
	return stack[:len(stack)-1]
}

func inside(stack []*Element, name string) bool {
	for _, e := range stack {
		if e.Name == name {
			return true
		}
	}
	return false
}

// KeptSpace represents a space that was written as a character reference and
// must not be collapsed. RestoreSpace converts it to a space.
const KeptSpace = "\x00"

// RestoreSpace returns s with spaces instead of KeptSpace.
func RestoreSpace(s string) string { return strings.ReplaceAll(s, KeptSpace, " ") }

// DecodeHTML decodes the character references of a text. With collapse, runs of
// spaces and line breaks become one space.
func DecodeHTML(s string, collapse bool) string {
	s = Valid(strings.ReplaceAll(s, "\r\n", "\n"))
	if !collapse {
		return html.UnescapeString(s)
	}
	var b strings.Builder
	space := false
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteByte(s[i])
	}
	return html.UnescapeString(strings.ReplaceAll(b.String(), "&#x20;", KeptSpace))
}

// ReadElement parses a single tag. The name of a closing tag begins with "/",
// like "/a".
func ReadElement(open string) (*Element, bool) {
	if len(open) < 3 || open[0] != '<' {
		return nil, false
	}
	i, slash := 1, ""
	if open[1] == '/' {
		i, slash = 2, "/"
	}
	from := i
	for i < len(open) && IsNameByte(open[i]) {
		i++
	}
	if i == from || open[from] == '-' || open[from] >= '0' && open[from] <= '9' {
		return nil, false
	}
	e := &Element{Name: slash + strings.ToLower(open[from:i]), End: len(open)}
	rest := open[i:]
	for {
		rest = strings.TrimLeft(rest, " \t\r\n/")
		if rest == "" || rest[0] == '>' {
			return e, rest != ""
		}
		n := strings.IndexAny(rest, "= \t\r\n/>")
		if n <= 0 {
			return nil, false
		}
		a := html.Attribute{Key: strings.ToLower(rest[:n])}
		if rest = strings.TrimLeft(rest[n:], " \t\r\n"); strings.HasPrefix(rest, "=") {
			rest = strings.TrimLeft(rest[1:], " \t\r\n")
			end := strings.IndexAny(rest, " \t\r\n>")
			if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
				quote := rest[:1]
				rest = rest[1:]
				if end = strings.Index(rest, quote); end < 0 {
					return nil, false
				}
				a.Val, rest = rest[:end], rest[end+1:]
			} else {
				if end < 0 {
					return nil, false
				}
				a.Val, rest = rest[:end], rest[end:]
			}
			a.Val = Valid(html.UnescapeString(a.Val))
		}
		if !e.Has(a.Key) {
			e.Attrs = append(e.Attrs, a)
		}
	}
}

// Plain returns the text of an element without tags.
func (e *Element) Plain() string {
	if e.Name == "" {
		return RestoreSpace(e.Text)
	}
	if e.Name == "!" {
		return ""
	}
	var b strings.Builder
	for _, k := range e.Kids {
		b.WriteString(k.Plain())
	}
	return b.String()
}

// Valid replaces NUL and invalid UTF-8 in s, so that JSON can represent it.
func Valid(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}
