package markup

import "strings"

// literals are parts of the text of a leaf that are text whatever they look like.
type literals []literalPart

// literalPart has the text itself beside its offset: where somebody has changed the
// leaf since, it is found not to be there any more.
type literalPart struct {
	at   int
	text string
}

// literal adds a text that nobody may take for a tag.
func (b *inlineBuilder) literal(s string, marks []Mark) {
	if b.text(s, marks); s == "" {
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

// withoutLiterals returns the text of a leaf in which each literal part is one
// character that is part of no tag.
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

// markLiteral notes of nodes and all in them that their texts are no tags.
func markLiteral(nodes []*Node) {
	every(nodes, func(n *Node) { n.setExtra(func(e *extras) { e.literal = true }) })
}
