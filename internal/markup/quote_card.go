package markup

// A quote card is a quotation with a title and the name of who said it.

// FieldAuthor is who said what a quote card holds.
var FieldAuthor = TextField{"author"}

func quoteCardNode(_ *converter, t *tagContent) *Node {
	return blockNode("quote-card", t.as.strings(t.others(), "title", "author"), filled(t.kids)...)
}

func openQuoteCard(_ *printer, n *Node) *tagWriter {
	return openTag("quote-card").strings(n, FieldTitle, FieldAuthor).others(n, FieldTitle.name, FieldAuthor.name)
}

// quoteCard writes what search finds of a quote card itself.
func (p *plain) quoteCard(n *Node) {
	p.title(n)
	p.line(n.Str(FieldAuthor))
}
