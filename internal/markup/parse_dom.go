package markup

import (
	"strings"

	"golang.org/x/net/html"
)

// element is a piece of HTML: an element, a text (the name is empty), or a
// comment or doctype (the name is "!").
type element struct {
	name  string
	attrs []html.Attribute
	text  string // of a text: decoded, with spaces collapsed; of a "!": verbatim
	kids  []*element
	// Offsets in the source that was parsed.
	start, openEnd, closeStart, end int
}

func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (e *element) has(name string) bool {
	for _, a := range e.attrs {
		if a.Key == name {
			return true
		}
	}
	return false
}

// only reports whether the element has no attributes other than names.
func (e *element) only(names ...string) bool {
	for _, a := range e.attrs {
		if !hasString(names, a.Key) {
			return false
		}
	}
	return true
}

// elements returns the child elements without blank texts. ok is false if there
// is a text or a comment between them.
func (e *element) elements() (kids []*element, ok bool) {
	for _, k := range e.kids {
		if k.name == "" && strings.TrimSpace(k.text) == "" {
			continue
		}
		if k.name == "" || k.name == "!" {
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

// readHTML parses well-formed HTML into a tree. ok is false if elements are not
// properly nested and closed, or are nested too deeply. Such HTML is not
// converted.
func readHTML(source string) (root *element, ok bool) {
	root = &element{end: len(source)}
	z := html.NewTokenizer(strings.NewReader(source))
	stack := []*element{root}
	off := 0
	for {
		tt := z.Next()
		raw := len(z.Raw())
		top := stack[len(stack)-1]
		e := element{start: off, openEnd: off + raw, closeStart: off + raw, end: off + raw}
		off += raw
		switch tt {
		case html.ErrorToken:
			if top.name == "li" {
				stack = endItem(stack, e.start)
			}
			return root, len(stack) == 1 && off == len(source)
		case html.TextToken:
			e.text = decodeHTML(source[e.start:e.end], !inside(stack, "pre"))
			if n := len(top.kids); n > 0 && top.kids[n-1].name == "" && e.text == "" {
				continue
			}
			top.add(e)
		case html.CommentToken, html.DoctypeToken:
			e.name, e.text = "!", source[e.start:e.end]
			top.add(e)
		case html.SelfClosingTagToken, html.StartTagToken:
			t := z.Token()
			e.name, e.attrs = t.Data, t.Attr
			for i := range e.attrs {
				e.attrs[i].Val = valid(e.attrs[i].Val)
			}
			if e.name == "li" && top.name == "li" {
				stack = endItem(stack, e.start)
				top = stack[len(stack)-1]
			}
			kept := top.add(e)
			if tt == html.SelfClosingTagToken || voidElements[e.name] {
				continue
			}
			if len(stack) >= maxDepth {
				return nil, false
			}
			stack = append(stack, kept)
		case html.EndTagToken:
			t := z.Token()
			if top.name == "li" && (t.Data == "ul" || t.Data == "ol") {
				stack = endItem(stack, e.start)
				top = stack[len(stack)-1]
			}
			if top == root || top.name != t.Data {
				return nil, false
			}
			top.closeStart, top.end = e.start, e.end
			stack = stack[:len(stack)-1]
		}
	}
}

// add appends an element to the children of e and returns it.
func (e *element) add(inner element) *element {
	e.kids = append(e.kids, &inner)
	return &inner
}

// endItem closes a list item, for which HTML requires no end tag.
func endItem(stack []*element, at int) []*element {
	top := stack[len(stack)-1]
	top.closeStart, top.end = at, at
	return stack[:len(stack)-1]
}

func inside(stack []*element, name string) bool {
	for _, e := range stack {
		if e.name == name {
			return true
		}
	}
	return false
}

// keptSpace represents a space that was written as a character reference and
// must not be collapsed. restoreSpace converts it to a space.
const keptSpace = "\x00"

func restoreSpace(s string) string { return strings.ReplaceAll(s, keptSpace, " ") }

// decodeHTML decodes the character references of a text. With collapse, runs of
// spaces and line breaks become one space.
func decodeHTML(s string, collapse bool) string {
	s = valid(strings.ReplaceAll(s, "\r\n", "\n"))
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
	return html.UnescapeString(strings.ReplaceAll(b.String(), "&#x20;", keptSpace))
}

// readElement parses a single tag. The name of a closing tag begins with "/",
// like "/a".
func readElement(open string) (*element, bool) {
	if len(open) < 3 || open[0] != '<' {
		return nil, false
	}
	i, slash := 1, ""
	if open[1] == '/' {
		i, slash = 2, "/"
	}
	from := i
	for i < len(open) && isNameByte(open[i]) {
		i++
	}
	if i == from || open[from] == '-' || open[from] >= '0' && open[from] <= '9' {
		return nil, false
	}
	e := &element{name: slash + strings.ToLower(open[from:i]), end: len(open)}
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
			a.Val = valid(html.UnescapeString(a.Val))
		}
		if !e.has(a.Key) {
			e.attrs = append(e.attrs, a)
		}
	}
}

// isLayout reports whether a div only specifies the layout of its content, or
// is a hint.
func isLayout(open string) bool {
	e, ok := readElement(open)
	return ok && (e.only("align", "data-full-width", "data-with-frame") || isHintElement(e))
}

// isHintElement reports whether a div is a hint in the form that some exports
// write.
func isHintElement(e *element) bool {
	return e.has(customBlock) && e.attr("data-tag") == "hint" && e.only(customBlock, "data-tag", "data-style", "data-icon")
}

// plain returns the text of an element without tags.
func (e *element) plain() string {
	if e.name == "" {
		return restoreSpace(e.text)
	}
	if e.name == "!" {
		return ""
	}
	var b strings.Builder
	for _, k := range e.kids {
		b.WriteString(k.plain())
	}
	return b.String()
}

// iconOf returns the icon name of `<i class="fa-name">`, or an empty string.
func iconOf(e *element) string {
	for _, c := range strings.Fields(e.attr("class")) {
		if name, ok := strings.CutPrefix(c, "fa-"); ok && name != "" {
			return name
		}
	}
	return ""
}

// styleOf returns the value of a property in a style attribute.
func styleOf(style, property string) string {
	for _, d := range strings.Split(style, ";") {
		name, value, ok := strings.Cut(d, ":")
		if ok && strings.TrimSpace(name) == property {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
