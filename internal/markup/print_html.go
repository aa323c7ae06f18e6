package markup

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// quoteAttr returns s as a quoted HTML attribute value.
func quoteAttr(s string) string { return `"` + attrEscaper.Replace(syntax.Valid(s)) + `"` }

var attrEscaper = strings.NewReplacer("&", "&#x26;", `"`, "&#x22;", "<", "&#x3C;", ">", "&#x3E;", "\n", "&#xA;", "\r", "&#xD;", "\t", "&#x9;")

// htmlString adds text as HTML. Spaces that would collapse become character
// references.
func (w *inlineWriter) htmlString(s string) {
	s = syntax.Valid(strings.ReplaceAll(s, "\r\n", "\n"))
	space := w.afterSpace()
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == ' ' {
			if space {
				b.WriteString("&#x20;")
			} else {
				b.WriteByte(c)
			}
			space = true
			continue
		}
		space = c == '\n'
		switch c {
		case '&':
			b.WriteString("&#x26;")
		case '<':
			b.WriteString("&#x3C;")
		case '\n':
			b.WriteString("<br>")
		case '\t', '\r', '\v', '\f':
			fmt.Fprintf(&b, "&#x%X;", c)
		default:
			b.WriteByte(c)
		}
	}
	w.add(b.String())
}

// guardEnd escapes the last space of a block, which the parser would trim.
func (w *inlineWriter) guardEnd() {
	for i := len(w.pieces) - 1; i >= 0; i-- {
		pc := &w.pieces[i]
		if pc.mark != nil {
			continue
		}
		if s, ok := strings.CutSuffix(pc.s, " "); ok {
			pc.s = s + "&#x20;"
		}
		return
	}
}

// afterSpace reports whether a space at this position would collapse with the
// previous one.
func (w *inlineWriter) afterSpace() bool {
	for i := len(w.pieces) - 1; i >= 0; i-- {
		if s := w.pieces[i].s; s != "" {
			return strings.HasSuffix(s, " ") || strings.HasSuffix(s, "<br>") || strings.HasSuffix(s, "&#x20;")
		}
	}
	return true
}

// entities escapes text so that neither Markdown nor HTML finds syntax in it.
func entities(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n':
			b.WriteString("<br>")
		case c <= ' ' || isASCIIPunct(c):
			fmt.Fprintf(&b, "&#x%X;", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// isRawInline reports whether raw text is a piece of inline HTML that is parsed
// back unchanged. Anything else is printed as text.
func isRawInline(s string) bool {
	if !strings.HasPrefix(s, "<") {
		return false
	}
	doc := parse([]byte("x"+s), Refs{})
	if len(doc.Nodes) != 1 || doc.Nodes[0].Type != "paragraph" || len(doc.Nodes[0].Nodes) != 1 {
		return false
	}
	l := doc.Nodes[0].Nodes[0].Leaves
	return len(l) == 2 && l[1].Raw && l[1].Text == s
}

// balanced converts raw tags that would leave HTML unbalanced to text.
func balanced(runs []run) []run {
	if !slices.ContainsFunc(runs, func(r run) bool { return r.raw }) {
		return runs
	}
	out := slices.Clone(runs)
	var open []int
	names := make([]string, len(runs))
	for i, r := range runs {
		if !r.raw {
			continue
		}
		if _, ok := syntax.ReadHTML(r.text); ok {
			continue // complete elements, or comments
		}
		out[i].raw = false
		e, ok := syntax.ReadElement(r.text)
		if !ok {
			continue
		}
		names[i] = e.Name
		name, closing := strings.CutPrefix(e.Name, "/")
		if !closing {
			open = append(open, i)
			continue
		}
		if k := len(open); k > 0 && names[open[k-1]] == name && sameMarks(runs[open[k-1]].marks, r.marks) {
			out[open[k-1]].raw, out[i].raw = true, true
			open = open[:k-1]
		}
	}
	return out
}

func (w *inlineWriter) htmlLink(n *Node, active []Mark) {
	if w.mode&linkText != 0 {
		w.runs(runsOf(n.Nodes), active)
		return
	}
	s := "<a href=" + quoteAttr(w.p.mustDest(n, UseLink))
	if title := n.Str(FieldTitle); title != "" {
		s += " title=" + quoteAttr(title)
	}
	inner := &inlineWriter{p: w.p, mode: w.mode | linkText}
	inner.pieces = append(inner.pieces, piece{s: "|"}) // a link may begin with a space
	inner.runs(balanced(runsOf(n.Nodes)), active)
	w.add(s + ">" + inner.done()[1:] + "</a>")
}

// inlineElement returns an inline as HTML.
func (p *printer) inlineElement(n *Node) string {
	if t := inlineTypes[n.Type]; t != nil && t.printHTML != nil {
		return t.printHTML(p, n)
	}
	return p.htmlInlines(n.Nodes)
}

func (p *printer) emojiElement(n *Node) string {
	code := n.Str(FieldCode)
	return "<span data-gb-custom-inline data-tag=\"emoji\" data-code=" + quoteAttr(code) + ">" + attrEscaper.Replace(EmojiText(code)) + "</span>"
}

func (p *printer) mathElement(n *Node) string {
	return `<span class="math">` + codeEscaper.Replace(oneLineFormula(n.Str(FieldFormula))) + "</span>"
}

func (p *printer) mentionElement(n *Node) string {
	dest := p.mustDest(n, UseLink)
	return "<a data-mention href=" + quoteAttr(dest) + ">" + codeEscaper.Replace(singleLine(syntax.Valid(targetName(dest)))) + "</a>"
}

func (p *printer) expression(n *Node) string { return expressionElement(n.Str(FieldExpression)) }

func (p *printer) iconElement(n *Node) string {
	icon := oneWord(n.Str(FieldIcon))
	style := ""
	if c := n.Str(FieldColor); c != "" {
		style = " style=" + quoteAttr("color:"+c+";")
	}
	return "<i class=" + quoteAttr("fa-"+icon) + style + ">" + codeEscaper.Replace(":"+icon+":") + "</i>"
}

// expressionElement returns an expression as HTML. It escapes only what HTML
// would change, so that the expression stays legible.
func expressionElement(s string) string {
	s = cleanLines(s)
	if html.UnescapeString(s) != s {
		s = strings.ReplaceAll(s, "&", "&#x26;")
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "<", "&#x3C;"), "\n", "&#xA;")
	return `<code class="expression">` + s + "</code>"
}

func (p *printer) inlineImage(n *Node) string {
	s := "<img src=" + quoteAttr(p.mustDest(n, UseImage)) + " alt=" + quoteAttr(n.Str(FieldAlt))
	if c := n.Str(FieldCaption); c != "" {
		s += " title=" + quoteAttr(c)
	}
	size := "original"
	if n.Str(FieldSize) == "line" {
		size = "line"
	}
	return p.dark(n, s+" data-size="+quoteAttr(size)+">")
}

func (p *printer) button(n *Node) string {
	kind := "primary"
	if n.Str(FieldKind) == "secondary" {
		kind = "secondary"
	}
	attrs := " class=" + quoteAttr("button "+kind)
	name := "a"
	if action := n.Str(FieldAction); action != "" {
		name = "button"
		attrs = ` type="button"` + attrs + " data-action=" + quoteAttr(action)
	}
	if dest, ok := p.dest(n, FieldRef, UseLink); ok {
		attrs = " href=" + quoteAttr(dest) + attrs
	}
	for _, f := range []TextField{FieldQuery, FieldSlug, FieldSize, FieldIcon} {
		if v := n.Str(f); v != "" {
			attrs += " data-" + f.name + "=" + quoteAttr(v)
		}
	}
	label := &inlineWriter{p: p, mode: htmlText}
	label.htmlString(strings.TrimSpace(cleanLines(n.Str(FieldLabel))))
	return "<" + name + attrs + ">" + label.done() + "</" + name + ">"
}

// htmlBlocks returns blocks as HTML, for cells and captions. A single paragraph
// is its text, unless wrap is set.
func (p *printer) htmlBlocks(nodes []*Node, wrap bool) string {
	if len(nodes) == 1 && nodes[0].Type == "paragraph" && nodes[0].Str(FieldAlign) == "" && !wrap {
		return p.htmlInlines(nodes[0].Nodes)
	}
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(p.htmlBlock(n))
	}
	return b.String()
}

func (p *printer) htmlBlock(n *Node) string {
	t := blockTypes[n.Type]
	switch {
	case t != nil && t.printHTML != nil:
		return t.printHTML(p, n)
	case t != nil && t.open != nil:
		return p.htmlTag(n)
	}
	// A part outside of its container: its content must not be lost.
	return p.htmlBlocks(n.Nodes, true) + p.htmlBlocks(n.Fragments, true)
}

func (p *printer) htmlParagraph(n *Node) string {
	if n.Str(FieldAlign) != "" {
		return p.paragraph(n)
	}
	return "<p>" + p.htmlInlines(n.Nodes) + "</p>"
}

func (p *printer) htmlDivider(*Node) string { return "<hr>" }

func (p *printer) htmlQuote(n *Node) string {
	return "<blockquote>" + p.htmlBlocks(n.Nodes, false) + "</blockquote>"
}

func (p *printer) htmlNestedTable(n *Node) string { return nested(p.htmlTable(n)) }

func (p *printer) htmlExpandable(n *Node) string {
	open, body := p.details(n)
	return open + p.htmlBlocks(body, false) + "</details>"
}

// nested escapes HTML that is inside an element of the same name. A backtick
// inside it and one outside would be parsed as code, which would hide an end
// tag between them.
func nested(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "`", "&#x60;"), `\<`, "&#x5C;<")
}

func (p *printer) htmlHeading(n *Node) string {
	attrs := ""
	if v := n.Str(FieldID); IsAnchor(v) {
		attrs += " id=" + quoteAttr(v)
	}
	if v := n.Str(FieldAlign); v != "" {
		attrs += " align=" + quoteAttr(htmlAlign(v))
	}
	if v := strings.Join(strings.Fields(n.Str(FieldClass)), " "); v != "" {
		attrs += " class=" + quoteAttr(v)
	}
	return fmt.Sprintf("<h%d%s>%s</h%d>", n.HeadingLevel(), attrs, p.htmlInlines(n.Nodes), n.HeadingLevel())
}

func (p *printer) htmlList(n *Node) string {
	name := "ul"
	start := ""
	if n.Type == "list-ordered" {
		name = "ol"
		if f, ok := n.Num(FieldStart); ok && f != 1 {
			start = " start=" + quoteAttr(decimal(f))
		}
	}
	var b strings.Builder
	b.WriteString("<" + name + start + ">")
	for _, item := range n.Nodes {
		b.WriteString(p.htmlItem(item, n.Type == "list-tasks"))
	}
	return b.String() + "</" + name + ">"
}

// htmlItem returns a list item as HTML.
func (p *printer) htmlItem(item *Node, task bool) string {
	box := ""
	if checked, ok := item.FlagSet(FieldChecked); ok || task {
		box = `<input type="checkbox">`
		if checked {
			box = `<input type="checkbox" checked>`
		}
	}
	return "<li>" + box + p.htmlBlocks(item.Nodes, false) + "</li>"
}
