package html

import "github.com/octavo-docs/octavo/internal/markup"

func (h *writer) quoteCard(n *markup.Node) {
	h.open("figure", "class", "quote-card")
	h.within(n, "blockquote")
	h.open("figcaption")
	h.text(n.Str(markup.FieldAuthor))
	h.close("figcaption")
	h.close("figure")
}
