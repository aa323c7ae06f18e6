package markup

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/util"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
)

func (w *inlineWriter) inline(r run, active []Mark) {
	t := inlineTypes[r.node.Type]
	switch {
	case t != nil && t.write != nil && (t.printHTML == nil || w.mode&htmlText == 0):
		t.write(w, r.node, active)
	case w.mode&htmlText != 0:
		w.add(w.p.inlineElement(r.node))
	default:
		w.element(r.node)
	}
}

// element adds an inline as HTML in Markdown.
func (w *inlineWriter) element(n *Node) { w.add(w.inTable(w.p.inlineElement(n))) }

func (w *inlineWriter) emoji(n *Node, _ []Mark) {
	if name := emoji.Name(n.Str(FieldCode)); name != "" {
		w.add(":" + name + ":")
	} else {
		w.element(n)
	}
}

func (w *inlineWriter) math(n *Node, _ []Mark) {
	formula := oneLineFormula(n.Str(FieldFormula))
	if strings.Contains(formula, "$$") || strings.HasSuffix(formula, "$") || w.looksLikeMail(formula) || w.mode&tableText != 0 && strings.Contains(formula, "|") {
		w.element(n)
	} else {
		w.add("$$" + formula + "$$")
	}
}

func (w *inlineWriter) mention(n *Node, _ []Mark) {
	if w.mode&linkText != 0 { // links cannot be nested
		w.element(n)
	} else {
		w.add(w.inTable(w.p.mentionLink(w.p.mustDest(n, UseLink), "mention")))
	}
}

// inTable escapes vertical bars in HTML, which would end a table cell.
func (w *inlineWriter) inTable(s string) string {
	if w.mode&tableText == 0 {
		return s
	}
	return strings.ReplaceAll(s, "|", "&#x7C;")
}

func oneLineFormula(s string) string { return strings.ReplaceAll(cleanLines(s), "\n", " ") }

func (w *inlineWriter) link(n *Node, active []Mark) {
	if w.mode&htmlText != 0 {
		w.htmlLink(n, active)
		return
	}
	dest := w.p.mustDest(n, UseLink)
	if w.mode&linkText != 0 { // links cannot be nested
		w.runs(runsOf(n.Nodes), active)
		return
	}
	inner := &inlineWriter{p: w.p, mode: w.mode | linkText}
	inner.runs(runsOf(n.Nodes), active)
	s := "[" + inner.done() + "](" + writeDest(dest)
	if title := n.Str(FieldTitle); title != "" && title != "mention" {
		s += " " + writeTitle(title)
	}
	s += ")"
	if w.mode&tableText != 0 {
		// The bars in the text are already escaped. Escape those in the
		// destination.
		head := len("[" + inner.done() + "](")
		s = s[:head] + strings.ReplaceAll(s[head:], "|", "&#x7C;")
	}
	w.add(s)
}

// annotation writes a note after the word that it is attached to. A note that
// is attached to anything else is written as HTML.
func (w *inlineWriter) annotation(n *Node, active []Mark) {
	if w.p.inRef {
		w.runs(runsOf(n.Nodes), active)
		return
	}
	inner := runsOf(n.Nodes)
	if w.mode&htmlText == 0 && aboutWord(w.before, inner) {
		if len(inner) == 1 {
			w.runs(inner, active)
		}
		w.add("[^" + w.p.label(noteBodyOf(n)) + "]")
		return
	}
	w.add(w.inTable(w.p.noteSpan(n, w.p.htmlRuns(inner, active))))
}

func noteBodyOf(n *Node) []*Node {
	for _, f := range n.Fragments {
		return f.Nodes
	}
	return nil
}

// aboutWord reports whether the parser would attach the note to the same text
// again.
func aboutWord(before run, inner []run) bool {
	text := before.text
	if before.node != nil || before.raw {
		text = ""
	}
	ends := text == "" || strings.HasSuffix(text, " ") || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\t")
	if len(inner) == 0 {
		return ends
	}
	if len(inner) != 1 || inner[0].node != nil || inner[0].raw || strings.ContainsAny(inner[0].text, " \t\n\u00a0") {
		return false
	}
	return ends || !sameMarks(before.marks, inner[0].marks)
}

// noteSpan returns a note with the text that it is attached to as HTML.
func (p *printer) noteSpan(n *Node, inner string) string {
	return fmt.Sprintf(`<a data-footnote-ref href="%s%s">%s</a>`, noteHref, p.label(noteBodyOf(n)), inner)
}

// mentionLink returns a link whose text is the name of its target. Only
// programs that do not support mentions show that text.
func (p *printer) mentionLink(dest, title string) string {
	s := "[" + mentionLabel(dest) + "](" + writeDest(dest)
	if title != "" {
		s += " " + writeTitle(title)
	}
	return s + ")"
}

func mentionLabel(dest string) string {
	e := textEscaper{s: targetName(dest), mode: linkText | singleLineText, first: true, last: true}
	return e.escape()
}

// targetName returns the display name of a destination: its anchor, or the name
// of its file or folder.
func targetName(dest string) string {
	if _, fragment, ok := strings.Cut(dest, "#"); ok {
		return "#" + fragment
	}
	if strings.Contains(dest, "://") || dest == "" {
		return dest
	}
	if dir, ok := strings.CutSuffix(dest, "/README.md"); ok && path.Base(dir) != ".." {
		return path.Base(dir)
	}
	return path.Base(dest)
}

// writeDest returns the destination of a link, escaped and quoted as necessary.
func writeDest(dest string) string {
	pointy := dest == "" || strings.ContainsAny(dest, " \t()<>")
	var b strings.Builder
	for i := 0; i < len(dest); i++ {
		c := dest[i]
		switch {
		case isControl(c):
			fmt.Fprintf(&b, "&#x%X;", c)
		case c == '\\' && (i+1 == len(dest) || util.IsPunct(dest[i+1]) || isControl(dest[i+1])):
			b.WriteString(`\\`)
		case (c == '<' || c == '>') && pointy:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '&':
			if _, n := characterReference(dest[i:]); n > 0 {
				b.WriteString("&amp;")
			} else {
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
		}
	}
	if pointy {
		return "<" + b.String() + ">"
	}
	return b.String()
}

func isControl(c byte) bool { return c < ' ' || c == 0x7f }

func writeTitle(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ':
			fmt.Fprintf(&b, "&#x%X;", c)
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '&':
			b.WriteString("&amp;")
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
