package markup

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// Table cells cannot contain tags. A block that is a tag elsewhere is written as
// a div with the attributes of the tag. GitBook writes such divs too, with names
// like data-style. Names that HTML would change have the prefix unknownAttr.

const (
	positional  = "data-0" // the value of an attribute without a name
	tagBody     = "body"   // the text of a tag that does not contain blocks
	rawBlockTag = "@" + rawIntegration + "/" + rawKind
)

// htmlTag returns the HTML of a block that Markdown has a tag for.
func (p *printer) htmlTag(n *Node) string {
	kids := n.Nodes
	if n.IsVoid() {
		kids = captionOf(n)
	}
	return p.tagElement(p.openBlock(n), n.Str(fieldBody), kids)
}

// htmlMath returns the HTML of a formula, which is a tag in HTML only.
func (p *printer) htmlMath(n *Node) string {
	return p.tagElement(openTag("math").attr("formula", n.Str(FieldFormula)), "", nil)
}

// tagElement returns the HTML of a tag with its text or its blocks.
func (p *printer) tagElement(w *tagWriter, body string, kids []*Node) string {
	var b strings.Builder
	b.WriteString("<div " + grammar.CustomBlock + " data-tag=" + quoteAttr(w.name))
	args := strings.TrimPrefix(w.b.String(), "{% "+w.name)
	if w.name == "if" {
		b.WriteString(" " + positional + "=" + quoteAttr(strings.TrimSpace(args)))
	} else {
		for _, a := range syntax.ReadAttributes(args) {
			b.WriteString(" " + htmlAttr(a.Name) + "=" + quoteAttr(a.Value))
		}
	}
	if body != "" {
		b.WriteString(" " + tagBody + "=" + quoteAttr(body))
	}
	b.WriteString(">" + p.htmlBlocks(kids, false) + "</div>")
	return b.String()
}

// camelName matches the names that can be restored from their form with hyphens.
var camelName = regexp.MustCompile(`^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$`)

// htmlAttr returns the name of the HTML attribute for an attribute of a tag.
func htmlAttr(name string) string {
	switch {
	case name == "":
		return positional
	case !camelName.MatchString(name):
		return unknownAttr + attrKey(name)
	}
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	if s := "data-" + b.String(); s != "data-tag" && s != grammar.CustomBlock && !strings.HasPrefix(s, unknownAttr) {
		return s
	}
	return unknownAttr + attrKey(name)
}

// tagAttr is the inverse of htmlAttr. ok is false for an attribute that does not
// belong to a tag.
func tagAttr(key string) (name string, ok bool) {
	if key == positional {
		return "", true
	}
	if name, ok = strings.CutPrefix(key, unknownAttr); ok {
		name = readAttrKey(name)
		return name, syntax.AttributeName.MatchString(name)
	}
	if name, ok = strings.CutPrefix(key, "data-"); !ok {
		return "", false
	}
	var b strings.Builder
	for i, part := range strings.Split(name, "-") {
		if i > 0 && part != "" {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		b.WriteString(part)
	}
	return b.String(), syntax.AttributeName.MatchString(b.String())
}

// tag returns the block of a div that represents a tag.
func (h *htmlReader) tag(e *syntax.Element) []*Node {
	name := tagName(e.Attr("data-tag"))
	if !isKnownTag(name) && name != "math" {
		return h.fail()
	}
	if n := h.tagNode(e, name); n != nil {
		return []*Node{n}
	}
	if h.strict {
		return h.fail()
	}
	return []*Node{rawNode(h.source[e.Start:e.End])}
}

// tagNode returns the block of the tag with the given name, or nil if the element
// is not valid for it.
func (h *htmlReader) tagNode(e *syntax.Element, name string) *Node {
	args, ok := tagArgs(e, name)
	if !ok || tagsByName[name] != nil && tagsByName[name].in != "" || name == grammar.LiteralTag || apiPart(name) != "" {
		return nil
	}
	as := cleanAttributes(args)
	switch name {
	case rawBlockTag:
		source, _ := as.Get("source")
		return rawNode(source)
	case "math":
		formula, _ := as.Get("formula")
		return blockNode("math", map[string]any{"formula": formula})
	}
	kids := h.tagKids(e, name)
	if kids == nil && partOf(name) != "" {
		return nil
	}
	return h.c.tagNode(name, args, kids, cleanLines(e.Attr(tagBody)))
}

// partOf returns the tag of the parts of a tag, or "".
func partOf(tag string) string {
	if form := tagsByName[tag]; form != nil {
		return form.part
	}
	return ""
}

// tagKids returns the blocks in a tag, or nil if one of its parts is not valid.
func (h *htmlReader) tagKids(e *syntax.Element, name string) []*Node {
	part := partOf(name)
	if part == "" {
		return h.blocks(e.Kids)
	}
	elements, ok := e.Elements()
	if !ok || slices.ContainsFunc(elements, func(k *syntax.Element) bool {
		return !k.Has(grammar.CustomBlock) || tagName(k.Attr("data-tag")) != part
	}) {
		return nil
	}
	var kids []*Node
	for _, k := range elements {
		args, ok := tagArgs(k, part)
		if !ok {
			return nil
		}
		n := h.c.tagNode(part, args, h.blocks(k.Kids), "")
		if n == nil {
			return nil
		}
		kids = append(kids, n)
	}
	return kids
}

// tagArgs returns the attributes of an element in the syntax of a tag. ok is
// false if one of them does not belong to a tag.
func tagArgs(e *syntax.Element, name string) (args string, ok bool) {
	if name == "if" {
		return e.Attr(positional), e.Only(grammar.CustomBlock, "data-tag", positional)
	}
	var b strings.Builder
	for _, a := range e.Attrs {
		if a.Key == grammar.CustomBlock || a.Key == "data-tag" || a.Key == tagBody {
			continue
		}
		name, ok := tagAttr(a.Key)
		if !ok {
			return "", false
		}
		b.WriteByte(' ')
		if name != "" {
			b.WriteString(name + "=")
		}
		b.WriteString(syntax.QuoteValue(a.Val))
	}
	return b.String(), true
}
