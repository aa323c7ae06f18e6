package markup

import "strings"

// literals are the parts of the text of a leaf that are literal, even if they
// look like tags.
type literals []literalPart

// literalPart is a literal part of a text. It holds the text in addition to its
// offset, to detect that the leaf was changed later.
type literalPart struct {
	at   int
	text string
}

// literal appends a text that is never read as a tag.
func (b *InlineBuilder) literal(s string, marks []Mark) {
	if b.Text(s, marks); s == "" {
		return
	}
	if b.literals == nil {
		b.literals = new(literals)
	}
	at := len(b.last)
	if len(b.tail) > 0 {
		at = len(b.tail)
	}
	*b.literals = append(*b.literals, literalPart{at - len(s), s})
}

// withoutLiterals returns the text of a leaf with each literal part replaced by
// one character that is not part of any tag.
func (l Leaf) withoutLiterals() string {
	if l.literals == nil {
		return l.Text
	}
	var b strings.Builder
	from := 0
	for _, p := range *l.literals {
		if end := p.at + len(p.text); p.at >= from && end <= len(l.Text) && l.Text[p.at:end] == p.text {
			b.WriteString(l.Text[from:p.at])
			b.WriteByte(0)
			from = end
		}
	}
	b.WriteString(l.Text[from:])
	return b.String()
}

// markLiteral marks nodes and their descendants as literal: their texts contain
// no tags.
func markLiteral(nodes []*Node) {
	eachNode(nodes, func(n *Node) { n.setExtra(func(e *extras) { e.literal = true }) })
}
